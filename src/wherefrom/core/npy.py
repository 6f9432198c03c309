"""Arrays in numpy's own files, from anybody's hand."""

from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib import format as numpy_format

from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import reading
from wherefrom.core.known_files import check_file


def read_npy(path: Path) -> np.ndarray:
    """The array of a NAME.npy; nothing is ever unpickled, and no archive is opened."""
    with reading(path), path.open("rb") as file:
        check_file(path, file)
        if file.read(len(numpy_format.MAGIC_PREFIX)) != numpy_format.MAGIC_PREFIX:
            raise BadData(
                f"{path}: expected an array as numpy saves it, found another kind of file"
            )
        file.seek(0)
        _require_whole(path, file)
        try:
            array = numpy_format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError, OverflowError, MemoryError) as error:
            kind = BadData if "Python objects" in (found := _why(error)) else Damaged
            raise kind(
                f"{path}: expected an array of numbers as numpy saves it, found {found}"
            ) from None
    return array


def _require_whole(path: Path, file: BinaryIO) -> None:
    """Refuse a header that promises more than the file has: memory is asked for by the header."""
    try:
        version = numpy_format.read_magic(file)
        header = {(1, 0): numpy_format.read_array_header_1_0}.get(
            version, numpy_format.read_array_header_2_0
        )
        shape, _, dtype = header(file)
    except (ValueError, EOFError, OverflowError):
        return  # whoever reads the array says what is wrong
    finally:
        begun = file.tell()
        file.seek(0)
    promised = prod(shape) * dtype.itemsize
    there = path.stat().st_size - begun
    if not dtype.hasobject and promised > there:
        raise Damaged(
            f"{path}: expected {promised:,} bytes of numbers, as its header says, found {there:,}; "
            "it is cut off, get it again"
        )


def _why(error: BaseException) -> str:
    """numpy's own words go on to recommend what is not safe."""
    if "pickle" in str(error) or "Object arrays" in str(error):
        return "an array of Python objects, which is not read"
    return f"it damaged or cut off ({' '.join(str(error).split())[:100]})"
