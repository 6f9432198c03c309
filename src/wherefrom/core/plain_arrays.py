"""The layout of a safetensors file: to write without copies, and without the package.

The package copies all arrays twice before it writes them, which a large model notices. `make gpu`
runs in the GPU machine's own Python, which has torch and numpy and often nothing else.

    8 bytes: length of the header; the header: JSON, padded with spaces; the arrays' bytes

The header has dtype, shape and place of each array. This module writes what the package writes,
byte for byte, and refuses what the package refuses.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

import numpy as np

# In the order in which the package lays arrays out: the widest first.
_CODES = {
    "uint64": "U64", "int64": "I64", "float64": "F64", "complex64": "C64", "float32": "F32",
    "uint32": "U32", "int32": "I32", "float16": "F16", "uint16": "U16", "int16": "I16",
    "int8": "I8", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
_DTYPES = {code: np.dtype(name).newbyteorder("<") for name, code in _CODES.items()}
_ALIGNMENT = 8
_METADATA = "__metadata__"


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


def pack(arrays: Mapping[str, np.ndarray]) -> bytes:
    """A whole file."""
    return b"".join(parts(arrays))


def unpack(data: bytes) -> dict[str, np.ndarray]:
    """The arrays of a whole file; ValueError says what is wrong with it."""
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), memoryview(data)[8 + length :]
    if not isinstance(header, dict):
        raise ValueError("a header that is no object")
    header.pop(_METADATA, None)
    found, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: _place(*item)):
        first, last = _place(name, entry)
        if first != end:
            raise ValueError(f"'{name}' begins at {first}, what is before it ends at {end}")
        found[name], end = _array(name, entry, body[first:last]), last
    if end != len(body):
        raise ValueError(f"{len(body)} bytes of arrays, of which the header has {end}")
    return found


def _array(name: str, entry: dict[str, Any], data: memoryview) -> np.ndarray:
    dtype, shape = _DTYPES.get(str(entry.get("dtype"))), entry.get("shape")
    if dtype is None:
        raise ValueError(f"'{name}' is of dtype {entry.get('dtype')}, which numpy has not")
    if not _counts(shape) or math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"'{name}' has {len(data)} bytes, which its shape {shape} does not fit")
    return np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="))


def _place(name: str, entry: Any) -> tuple[int, int]:
    place = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not _counts(place) or len(place) != 2 or place[0] > place[1]:
        raise ValueError(f"'{name}' has no place")
    return place[0], place[1]


def _counts(numbers: Any) -> TypeGuard[list[int]]:
    """Whether these are whole numbers from 0 up."""
    return isinstance(numbers, list) and all(type(n) is int and n >= 0 for n in numbers)
