"""Text that is not in UTF-8: which encoding it seems to have, and how to convert it."""

import shlex
from pathlib import Path

_MARKS = {  # byte-order marks; the longer ones first, since UTF-32's begins like UTF-16's
    b"\xff\xfe\0\0": ("UTF-32", "UTF-32"),
    b"\0\0\xfe\xff": ("UTF-32", "UTF-32"),
    b"\xff\xfe": ("UTF-16", "UTF-16"),
    b"\xfe\xff": ("UTF-16", "UTF-16"),
}
_SAMPLE = 4096  # bytes around the first bad one that the guess is made from
_NULS = 0.2  # Latin letters in UTF-16 are NULs to a half; no other text has any
_WESTERN = 0.3  # a larger share of bytes above 127 is no Western European text


def guess_encoding(data: bytes) -> tuple[str, str] | None:
    """What people call the encoding that bytes seem to have, and iconv's name; None: no idea."""
    for mark, names in _MARKS.items():
        if data.startswith(mark):
            return names
    even, odd = data[::2].count(0), data[1::2].count(0)
    if even + odd > _NULS * len(data) and min(even, odd) < 0.1 * max(even, odd):
        return ("UTF-16", "UTF-16LE") if odd > even else ("UTF-16", "UTF-16BE")
    high = sum(byte > 127 for byte in data)
    if 0 in data or high > _WESTERN * len(data):
        return None
    if any(0x80 <= byte < 0xA0 for byte in data):  # control characters in Latin-1
        return "Windows-1252", "WINDOWS-1252"
    return ("Latin-1", "ISO-8859-1") if high else None


def explain_bytes(path: Path | str, data: bytes, start: int) -> str:
    """What was found in place of UTF-8, and what to do; `start` is where the bad bytes begin."""
    sample = data if data.startswith(tuple(_MARKS)) else data[max(start - _SAMPLE, 0) :]
    guess = guess_encoding(sample[: 2 * _SAMPLE])
    seems = f"bytes that seem to be {guess[0]}" if guess else "other bytes"
    return f"{seems}; {convert_command(path, guess[1] if guess else 'ENCODING')}"


def convert_command(path: Path | str, encoding: str) -> str:
    return f"convert it: iconv -f {encoding} -t UTF-8 {shlex.quote(str(path))} > new-file"
