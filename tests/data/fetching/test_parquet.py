"""A parquet file put together by hand: a dictionary page, one that points into it, a plain one."""

import struct

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.data.fetching.parquet import read_texts, unpack_snappy

I32, LIST, STRUCT = 5, 9, 12


def number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(step: int, kind: int, data: bytes) -> bytes:
    return bytes([step << 4 | kind]) + data


def whole(value: int) -> bytes:
    return number(value << 1)


def literal(data: bytes) -> bytes:
    """Snappy's plainest form: everything as it is."""
    out = number(len(data))
    for i in range(0, len(data), 60):
        piece = data[i : i + 60]
        out += bytes([(len(piece) - 1) << 2]) + piece
    return out


def texts(words: list[str]) -> bytes:
    return b"".join(struct.pack("<I", len(w.encode())) + w.encode() for w in words)


def page(kind: int, data: bytes, encoding: int) -> bytes:
    packed = literal(data)
    about = field(1, I32, whole(1)) + field(1, I32, whole(encoding)) + b"\0"
    place = 4 if kind == 2 else 2  # of the header of its own kind, after field 3
    header = field(1, I32, whole(kind)) + field(1, I32, whole(len(data)))
    header += field(1, I32, whole(len(packed))) + field(place, STRUCT, about) + b"\0"
    return header + packed


def file(pages: list[bytes], rows: int) -> bytes:
    names = field(1, LIST, bytes([1 << 4 | 8]) + number(1) + b"x")  # a list of one text
    footer = field(1, I32, whole(1)) + names + field(1, 6, whole(rows)) + b"\0"
    return b"PAR1" + b"".join(pages) + footer + struct.pack("<I", len(footer)) + b"PAR1"


LEVELS = struct.pack("<I", 2) + b"\x02\x01"
PAGES = [
    page(2, texts(["the", "of", "ā"]), 0),
    page(0, LEVELS + b"pointers", 8),
    page(0, LEVELS + texts(["cat", "x" * 300]), 0),
]


def test_texts_come_from_the_dictionary_and_from_plain_pages():
    assert read_texts(file(PAGES, 5), "words") == ["the", "of", "ā", "cat", "x" * 300]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"PAR1PAR1", b"no parquet file at all", file(PAGES, 6), file(PAGES[:2], 5),
        file([PAGES[0], PAGES[0]], 6), file(PAGES, 5)[:40] + file(PAGES, 5)[60:],
    ],
)  # fmt: skip
def test_what_is_no_such_file_is_refused_in_one_line(data):
    with pytest.raises(Damaged, match=r"^words: expected") as caught:
        read_texts(data, "words")
    assert "\n" not in str(caught.value)


def test_snappy_copies_what_stands_before():
    # abcd, four from four back, then five from one back: a copy that repeats itself.
    packed = number(13) + bytes([3 << 2]) + b"abcd" + bytes([1, 4]) + bytes([1 << 2 | 1, 1])
    assert unpack_snappy(packed) == b"abcdabcdddddd"
    far = number(7) + bytes([2 << 2]) + b"abc" + bytes([3 << 2 | 2, 3, 0])
    assert unpack_snappy(far) == b"abcabca"
    long = bytes(range(100))
    assert unpack_snappy(number(100) + bytes([60 << 2, 99]) + long) == long


@pytest.mark.parametrize("packed", [number(4) + bytes([1, 4]), number(9) + bytes([0]) + b"a"])
def test_snappy_that_is_broken(packed):
    with pytest.raises(ValueError, match=r"before the beginning|instead of"):
        unpack_snappy(packed)
