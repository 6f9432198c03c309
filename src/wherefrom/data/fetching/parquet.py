"""One column of texts that all differ, out of a parquet file as pyarrow writes it.

Only that: one row group, pages packed by snappy, texts in a dictionary page and, where that was
full, in plain pages. Since no text occurs twice, the dictionary has them in the order of the rows
and the pages that only point into it say nothing new. https://parquet.apache.org/docs/file-format/
"""

import struct
from typing import Any

from wherefrom.core.errors import Damaged

_MAGIC = b"PAR1"
_DATA, _DICTIONARY = 0, 2  # types of pages
_PLAIN = 0  # an encoding
_STRUCT, _STOP = 12, 0
_BROKEN = (IndexError, KeyError, struct.error, UnicodeDecodeError, ValueError)


def read_texts(data: bytes, where: str) -> list[str]:
    """Every text of the file's only column."""
    try:
        if not data.startswith(_MAGIC) or not data.endswith(_MAGIC):
            raise ValueError("no parquet file")
        length = struct.unpack("<I", data[-8:-4])[0]
        rows, end = _count_rows(data, len(data) - 8 - length), len(data) - 8 - length
        texts = _read_pages(data, end)
    except _BROKEN as error:
        raise Damaged(f"{where}: expected a parquet file, found: {error!r}") from error
    if len(texts) != rows or len(set(texts)) != rows:
        raise Damaged(f"{where}: expected {rows} texts that all differ, found {len(texts)}")
    return texts


def _count_rows(data: bytes, start: int) -> int:
    metadata, _ = _read_struct(data, start)
    return metadata[3]


def _read_pages(data: bytes, end: int) -> list[str]:
    """Pages follow each other from the file's head; a column's index or the footer ends them."""
    texts: list[str] = []
    place = len(_MAGIC)
    while place < end:
        header, place = _read_struct(data, place)
        packed, place = data[place : place + header[3]], place + header[3]
        if header[1] == _DICTIONARY:
            texts += _split(unpack_snappy(packed), 0)
        elif header[1] == _DATA and header[5][2] == _PLAIN:
            page = unpack_snappy(packed)
            levels = struct.unpack_from("<I", page)[0]  # which rows are empty: none is
            texts += _split(page, 4 + levels)
    return texts


def _split(page: bytes, place: int) -> list[str]:
    """Each text after its length in four bytes."""
    texts = []
    while place < len(page):
        length = struct.unpack_from("<I", page, place)[0]
        texts.append(page[place + 4 : place + 4 + length].decode())
        place += 4 + length
    return texts


def unpack_snappy(packed: bytes) -> bytes:
    """Literals, and copies of what stands some way back."""
    size, place = _read_number(packed, 0)
    out = bytearray()
    while place < len(packed):
        tag, place = packed[place], place + 1
        kind, count = tag & 3, tag >> 2
        if kind == 0:
            if count >= 60:
                wide = count - 59
                count, place = int.from_bytes(packed[place : place + wide], "little"), place + wide
            out += packed[place : place + count + 1]
            place += count + 1
            continue
        if kind == 1:
            back, count, place = (tag >> 5) << 8 | packed[place], (count & 7) + 4, place + 1
        else:
            wide = 2 if kind == 2 else 4
            back, place = int.from_bytes(packed[place : place + wide], "little"), place + wide
            count += 1
        start = len(out) - back
        if back == 0 or start < 0:
            raise ValueError("a copy from before the beginning")
        if back >= count:
            out += out[start : start + count]
        else:  # a copy that repeats itself
            out += (out[start:] * (count // back + 1))[:count]
    if len(out) != size:
        raise ValueError(f"{len(out)} bytes instead of {size}")
    return bytes(out)


def _read_struct(data: bytes, place: int) -> tuple[dict[int, Any], int]:
    """A struct of thrift's compact protocol: its fields by number, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while data[place] != _STOP:
        head, place = data[place], place + 1
        if head >> 4:
            number += head >> 4
        else:
            number, place = _read_signed(data, place)
        fields[number], place = _read_value(data, place, head & 15)
    return fields, place + 1


def _read_value(data: bytes, place: int, kind: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return kind == 1, place
    if kind == 3:
        return data[place], place + 1
    if kind in (4, 5, 6):
        return _read_signed(data, place)
    if kind == 7:
        return struct.unpack_from("<d", data, place)[0], place + 8
    if kind == 8:
        length, place = _read_number(data, place)
        return data[place : place + length], place + length
    if kind in (9, 10):
        head, place = data[place], place + 1
        count, place = (head >> 4, place) if head >> 4 < 15 else _read_number(data, place)
        values = []
        for _ in range(count):
            value, place = _read_value(data, place, head & 15)
            values.append(value)
        return values, place
    if kind == _STRUCT:
        return _read_struct(data, place)
    raise ValueError(f"a field of kind {kind}")


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    """Seven bits a byte, the last one without its highest."""
    value = shift = 0
    while True:
        byte, place = data[place], place + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7


def _read_signed(data: bytes, place: int) -> tuple[int, int]:
    value, place = _read_number(data, place)
    return (value >> 1) ^ -(value & 1), place
