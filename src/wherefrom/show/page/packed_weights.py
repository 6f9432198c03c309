"""Weights for a page: a model's arrays as one piece of bytes, and a manifest of where each is.

The page computes with 32-bit floats; this file decides how few bytes they travel in. `i8` and `i12`
have a scale for every block of a row, `i12` two values in three bytes. Vectors (norms, biases) are
small and decisive, so they stay 32-bit floats. An embedding of an n-gram that never occurred in
training is a row of zeros: such rows are left out.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from wherefrom.core.errors import BadData, UsageError, nearest

PRECISIONS = ("fp32", "fp16", "int12", "int8")  # from the most exact to the smallest
AUTO = "auto"
_DTYPES = {"fp32": "f32", "fp16": "f16", "int12": "i12", "int8": "i8"}
_BLOCK = 64  # values that share a scale
_LARGEST = {"i8": 127, "i12": 2047}
_WORTH_LEAVING_OUT = 1 / 16  # share of a matrix's rows that must be zeros
_ALIGNED = 4  # bytes


@dataclass(frozen=True)
class PackedWeights:
    """`entries` has shape, type and place of every array in `data`."""

    entries: Mapping[str, Mapping[str, Any]]
    data: bytes

    @property
    def base64(self) -> str:
        return b64encode(self.data).decode("ascii")


def check_precision(precision: str) -> None:
    if precision not in (AUTO, *PRECISIONS):
        found = nearest(precision, (AUTO, *PRECISIONS))
        raise UsageError(
            f"precision: expected {', '.join((AUTO, *PRECISIONS))}, found '{precision}'; {found}"
        )


def pack_weights(arrays: Mapping[str, np.ndarray], precision: str) -> PackedWeights:
    """The same arrays always give the same bytes; their order is that of their names."""
    entries: dict[str, dict[str, Any]] = {}
    data = bytearray()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name], dtype="<f4")
        if not np.isfinite(array).all():
            raise BadData(f"weights of '{name}': expected finite numbers, found other values")
        entries[name] = _pack_array(array, precision, data)
    return PackedWeights(entries, bytes(data))


def _pack_array(array: np.ndarray, precision: str, data: bytearray) -> dict[str, Any]:
    """Append an array to the data; how it is found there again."""
    entry: dict[str, Any] = {"shape": [*array.shape]}
    rows = array.reshape(-1, array.shape[-1]) if array.ndim else array.reshape(1, 1)
    if array.ndim > 1:
        used = rows.any(1)
        if (~used).mean() >= _WORTH_LEAVING_OUT:
            entry["rows"] = _append(data, np.packbits(used, bitorder="little"))
            rows = rows[used]
    dtype = _choose_type(rows if array.ndim > 1 else array.reshape(1, -1), array, precision)
    entry |= {"dtype": dtype, "count": int(rows.size)}
    entry["offset"] = _append(data, *_encode(rows, dtype))
    if dtype in _LARGEST:
        entry["block"] = _BLOCK
    return entry


def _choose_type(rows: np.ndarray, array: np.ndarray, precision: str) -> str:
    if array.ndim < 2:
        return "f32"
    if precision == "fp16" and np.abs(rows).max(initial=0.0) > np.finfo(np.float16).max:
        return "f32"
    return _DTYPES[precision]


def _encode(rows: np.ndarray, dtype: str) -> tuple[np.ndarray, ...]:
    if dtype == "f32":
        return (rows.astype("<f4"),)
    if dtype == "f16":
        return (rows.astype("<f2"),)
    blocks = -(-rows.shape[1] // _BLOCK)
    padded = np.zeros((rows.shape[0], blocks * _BLOCK), dtype=np.float32)
    padded[:, : rows.shape[1]] = rows
    parts = padded.reshape(rows.shape[0], blocks, _BLOCK)
    most = _LARGEST[dtype]
    scales = (np.abs(parts).max(2) / most).astype("<f4")
    divided = parts / np.where(scales > 0, scales, 1)[..., None]
    values = np.clip(np.rint(divided), -most, most).astype(np.int16)
    values = values.reshape(padded.shape)[:, : rows.shape[1]]
    return scales, values.astype(np.int8) if dtype == "i8" else _join_pairs(values.ravel())


def _join_pairs(values: np.ndarray) -> np.ndarray:
    """Numbers of 12 bits, two in three bytes; they are shifted to be positive."""
    even = np.append(values, np.zeros(values.size % 2, values.dtype)).astype(np.uint16) + 2048
    first, second = (even & 0xFFF).reshape(-1, 2).T
    parts = (first & 255, (first >> 8) | ((second & 15) << 4), second >> 4)
    return np.stack(parts, 1).astype(np.uint8)


def unpack_weights(
    entries: Mapping[str, Mapping[str, Any]], data: bytes, most: int
) -> dict[str, np.ndarray]:
    """The arrays as 32-bit floats; ValueError if the data are not what the entries say.

    Rows of zeros take no room in the data, so `most` limits the numbers of all arrays together.
    """
    if (found := sum(prod(entry["shape"]) for entry in entries.values())) > most:
        raise ValueError(f"expected at most {most:,} numbers, found {found:,}")
    return {name: _unpack_array(entry, data) for name, entry in entries.items()}


def _unpack_array(entry: Mapping[str, Any], data: bytes) -> np.ndarray:
    shape = tuple(entry["shape"])
    width = shape[-1] if shape else 1
    stored = _decode(entry, data, width)
    if "rows" not in entry:
        return stored.reshape(shape)
    height = int(np.prod(shape[:-1]))
    bits = np.frombuffer(data, np.uint8, -(-height // 8), entry["rows"])
    rows = np.zeros((height, width), np.float32)
    rows[np.unpackbits(bits, count=height, bitorder="little").astype(bool)] = stored
    return rows.reshape(shape)


def _decode(entry: Mapping[str, Any], data: bytes, width: int) -> np.ndarray:
    """The rows that were stored."""
    dtype, count, place = entry["dtype"], entry["count"], entry["offset"]
    if dtype in ("f32", "f16"):
        found = np.frombuffer(data, "<f4" if dtype == "f32" else "<f2", count, place)
        return found.astype(np.float32).reshape(-1, width)
    height, blocks = count // width, -(-width // entry["block"])
    scales = np.frombuffer(data, "<f4", height * blocks, place).reshape(height, blocks)
    place += scales.nbytes
    if dtype == "i8":
        values = np.frombuffer(data, np.int8, count, place)
    else:
        pairs = np.frombuffer(data, np.uint8, -(-count // 2) * 3, place).reshape(-1, 3)
        low, middle, high = pairs.T.astype(np.int16)
        both = np.stack((low | (middle & 15) << 8, middle >> 4 | high << 4), 1)
        values = both.ravel()[:count] - 2048
    return values.reshape(height, width) * np.repeat(scales, entry["block"], 1)[:, :width]


def _append(data: bytearray, *arrays: np.ndarray) -> int:
    """Put arrays one after the other at the end; the place of the first."""
    data += b"\0" * (-len(data) % _ALIGNED)
    place = len(data)
    for array in arrays:
        data += np.ascontiguousarray(array).tobytes()
    return place
