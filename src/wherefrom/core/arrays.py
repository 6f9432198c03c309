"""Named arrays in safetensors files: nothing is unpickled, and memory keeps to the file's size.

    8 bytes: length of the header; the header: JSON, padded with spaces; the arrays' bytes

The header has dtype, shape and place of each array. Files are those of the package safetensors,
byte for byte. The package itself is not used: it copies all arrays twice before it writes them,
which a large model notices, and a GPU machine's own Python often has torch and numpy only.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from wherefrom.core.errors import Damaged
from wherefrom.core.files import parse_json, reading, write_parts

_LARGEST = 1e30  # of a weight or a moment; float32 ends at 3e38, and nothing near it computes
_MAX_HEADER = 4 * 2**20  # bytes: tens of thousands of arrays
_ALIGNMENT = 8
_METADATA = "__metadata__"
# In the order in which the package lays arrays out: the widest first.
_CODES = {
    "uint64": "U64", "int64": "I64", "float64": "F64", "complex64": "C64", "float32": "F32",
    "uint32": "U32", "int32": "I32", "float16": "F16", "uint16": "U16", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_DTYPES = {code: np.dtype(name).newbyteorder("<") for name, code in _CODES.items()}


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays one after the other, each from its own memory."""
    write_parts(path, parts(arrays))


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file, all numbers finite; each is read straight into memory of its own."""
    with reading(path), path.open("rb") as file:
        header, size = _read_header(path, file)
        try:
            arrays = _read_arrays(file, header, size)
        except (ValueError, OverflowError) as error:
            raise Damaged(f"{path}: expected safetensors, found {error}") from error
    for name, array in arrays.items():
        _check_numbers(path, name, array)
    return arrays


def map_array(path: Path, kind: type[np.generic]) -> np.ndarray:
    """The numbers of a file that has nothing else, mapped: pages are read when they are needed.

    Changing the array does not change the file.
    """
    with reading(path):
        return np.memmap(path, np.dtype(kind).newbyteorder("<"), mode="c")


def _check_numbers(path: Path, name: str, array: np.ndarray) -> None:
    """No training publishes such numbers: it stops at the first that is not finite."""
    largest = float(abs(array).max(initial=0)) if array.dtype.kind == "f" else 0.0
    if not largest <= _LARGEST:  # false of NaN, too
        raise Damaged(
            f"{path}: {name}: expected numbers of at most {_LARGEST:g}, found {largest:g}; copy "
            "the folder again, or train the model again"
        )


def parts(arrays: Mapping[str, np.ndarray]) -> Iterator[Any]:
    """A whole file, in pieces: its header, and each array's own memory where it can be used."""
    order = list(_CODES)
    for name, array in arrays.items():
        if array.dtype.name not in _CODES:
            raise ValueError(f"'{name}' is of dtype {array.dtype}, which safetensors has not")
    names = sorted(arrays, key=lambda name: (order.index(arrays[name].dtype.name), name))
    header, at = {}, 0
    for name in names:
        array = arrays[name]
        place = [at, at := at + array.nbytes]
        code = _CODES[array.dtype.name]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": place}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    yield len(text).to_bytes(8, "little") + text
    for name in names:
        dtype = _DTYPES[header[name]["dtype"]]
        yield np.asarray(arrays[name], dtype, order="C").reshape(-1).view(np.uint8)


def _read_header(path: Path, file: BufferedReader) -> tuple[Any, int]:
    """The header, no name twice in it, and the number of bytes behind it."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(_MAX_HEADER, size - 8):
        raise Damaged(
            f"{path}: expected a safetensors header of at most {_MAX_HEADER} bytes, all in "
            f"the file, found one of {length} in a file of {size}"
        )
    return parse_json(file.read(length), f"{path} (header)"), size - 8 - length


def _read_arrays(file: BufferedReader, header: Any, size: int) -> dict[str, np.ndarray]:
    """The arrays in the order of their places; ValueError unless these fill the file's rest."""
    if not isinstance(header, dict):
        raise ValueError("a header that is no object")
    header.pop(_METADATA, None)
    found, end = dict[str, np.ndarray](), 0
    for name, entry in sorted(header.items(), key=lambda item: _place(*item)):
        first, last = _place(name, entry)
        if first != end or last > size:
            raise ValueError(f"'{name}' at {first} to {last}, expected from {end} up to {size}")
        found[name], end = _read_array(file, name, entry, last - first), last
    if end != size:
        raise ValueError(f"{size} bytes of arrays, of which the header has {end}")
    return found


def _read_array(file: BufferedReader, name: str, entry: dict[str, Any], size: int) -> np.ndarray:
    dtype, shape = _DTYPES.get(str(entry.get("dtype"))), entry.get("shape")
    if dtype is None:
        raise ValueError(f"'{name}' of dtype {entry.get('dtype')}, which numpy has not")
    if not _counts(shape) or math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"'{name}' of {size} bytes, which its shape {shape} does not fit")
    array = np.empty(shape, dtype)
    if file.readinto(array.reshape(-1).view(np.uint8).data) != size:
        raise ValueError(f"'{name}' cut off")
    return array.astype(dtype.newbyteorder("="), copy=False)


def _place(name: str, entry: Any) -> tuple[int, int]:
    place = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not _counts(place) or len(place) != 2 or place[0] > place[1]:
        raise ValueError(f"'{name}' without a place")
    return place[0], place[1]


def _counts(numbers: Any) -> TypeGuard[list[int]]:
    """Whether these are whole numbers from 0 up."""
    return isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
