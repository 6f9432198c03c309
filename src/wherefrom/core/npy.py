"""Arrays in numpy's own files, from anybody's hand."""

from pathlib import Path

import numpy as np
from numpy.lib import format as numpy_format

from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import reading


def read_npy(path: Path) -> np.ndarray:
    """The array of a NAME.npy; nothing is ever unpickled, and no archive is opened."""
    with reading(path), path.open("rb") as file:
        if file.read(len(numpy_format.MAGIC_PREFIX)) != numpy_format.MAGIC_PREFIX:
            raise BadData(
                f"{path}: expected an array as numpy saves it, found another kind of file"
            )
        file.seek(0)
        try:  # a header that promises more than the file has takes no memory: no page is touched
            array = numpy_format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError, OverflowError, MemoryError) as error:
            kind = BadData if "Python objects" in (found := _why(error)) else Damaged
            raise kind(
                f"{path}: expected an array of numbers as numpy saves it, found {found}"
            ) from None
    return array


def _why(error: BaseException) -> str:
    """numpy's own words go on to recommend what is not safe."""
    if "pickle" in str(error) or "Object arrays" in str(error):
        return "an array of Python objects, which is not read"
    return f"it damaged or cut off ({' '.join(str(error).split())[:100]}); get it again"
