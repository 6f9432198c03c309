"""Named arrays in safetensors files: nothing is unpickled, and memory keeps to the file's size."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from wherefrom.core.errors import Damaged
from wherefrom.core.files import one_line, parse_json, reading, write_parts

if TYPE_CHECKING:
    import numpy as np

_LARGEST = 1e30  # of a weight or a moment; float32 ends at 3e38, and nothing near it computes
_MAX_HEADER = 4 * 2**20  # bytes of a safetensors header: tens of thousands of arrays


def save_arrays(path: Path, arrays: "Mapping[str, np.ndarray]") -> None:
    """Write arrays one after the other; the package would hold two further copies of all."""
    from wherefrom.core.plain_arrays import parts

    write_parts(path, parts(arrays))


def load_arrays(path: Path) -> "dict[str, np.ndarray]":
    """The arrays of a safetensors file, all numbers finite; memory keeps to the file's size."""
    _check_header(path)
    try:
        arrays = _load_file(path)
    except Exception as error:  # whatever a parser makes of hostile bytes
        raise Damaged(f"{path}: expected safetensors, found: {one_line(error)}") from error
    for name, array in arrays.items():
        _check_numbers(path, name, array)
    return arrays


def map_array(path: Path, kind: "type[np.generic]") -> "np.ndarray":
    """The numbers of a file that has nothing else, mapped: pages are read when they are needed.

    Whoever changes the array changes no file.
    """
    import numpy as np

    with reading(path):
        return np.memmap(path, np.dtype(kind).newbyteorder("<"), mode="c")


def _load_file(path: Path) -> "dict[str, np.ndarray]":
    try:
        from safetensors.numpy import load_file
    except ImportError:
        from wherefrom.core.plain_arrays import unpack

        return unpack(path.read_bytes())
    return load_file(path)


def _check_numbers(path: Path, name: str, array: "np.ndarray") -> None:
    """No training publishes such numbers: it stops at the first that is not finite."""
    largest = float(abs(array).max(initial=0)) if array.dtype.kind == "f" else 0.0
    if not largest <= _LARGEST:  # false of NaN, too
        raise Damaged(
            f"{path}: {name}: expected numbers of at most {_LARGEST:g}, found {largest:g}; copy "
            "the folder anew, or train the model again"
        )


def _check_header(path: Path) -> None:
    """What safetensors lets pass: a header out of proportion, a name that stands there twice."""
    with reading(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(_MAX_HEADER, size - 8):
            raise Damaged(
                f"{path}: expected a safetensors header of at most {_MAX_HEADER} bytes, all in "
                f"the file, found one of {length} in a file of {size}"
            )
        parse_json(file.read(length), f"{path} (header)")
