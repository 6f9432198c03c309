"""A quoted line with the subject's name and the stated value marked, ready to be drawn.

Characters are counted in cells of a monospaced font, so that a mark can be drawn behind its
characters without measuring text: measured widths differ between machines.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from wherefrom.core.contracts import Span

PLAIN, NAME, VALUE = "plain", "name", "value"
GAP = " … "  # stands for what a long quote leaves out
_UNDRAWABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


@dataclass(frozen=True)
class Piece:
    """Neighbouring characters of one line with the same mark; `column` counts cells."""

    text: str
    mark: str
    column: int

    @property
    def cells(self) -> int:
        return sum(map(cells, self.text))


def drawable(text: str) -> str:
    """The text without characters that cannot be drawn; its length stays the same.

    The text comes from other people. It may have characters that XML forbids, or that change the
    direction of writing. Each becomes a space or a replacement character, so that spans stay valid.
    """
    return _UNDRAWABLE.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def cells(character: str) -> int:
    """The width of one character in a monospaced font."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def mark(text: str, name: str, value: Span | None) -> list[str]:
    """One mark for each character; the value's mark wins where the two overlap."""
    marks = [PLAIN] * len(text)
    for found in find_words(text, name):
        marks[found.start : found.end] = [NAME] * (found.end - found.start)
    if value is not None:
        end = min(value.end, len(text))
        marks[value.start : end] = [VALUE] * max(end - value.start, 0)
    return marks


def find_words(text: str, name: str) -> list[Span]:
    """Where a name stands as whole words; case and the width of spaces do not matter."""
    words = name.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Span(*found.span()) for found in re.finditer(pattern, text, re.IGNORECASE)]


def lay_out(text: str, marks: Sequence[str], width: int, most_lines: int) -> list[list[Piece]]:
    """Lines of at most `width` cells; a text that is too long is shortened around its marks."""
    room = width * most_lines * 7 // 8  # words do not fill their lines
    pairs = _shorten(list(zip(text, marks, strict=True)), room)
    return [_pieces(line) for line in _wrap(pairs, width)]


def shorten(text: str, name: str, value: Span | None, room: int) -> str:
    """The text or, if it is longer than `room`, the parts around the name and the value."""
    pairs = list(zip(text, mark(text, name, value), strict=True))
    return "".join(character for character, _ in _shorten(pairs, room))


def _shorten(pairs: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
    """The parts around the first name and around the value, with a gap for what is left out."""
    if len(pairs) <= room:
        return pairs
    marks = [mark for _, mark in pairs]
    anchors = sorted({marks.index(each) for each in (NAME, VALUE) if each in marks}) or [0]
    if anchors[-1] - anchors[0] < room // 2:  # one stretch has both
        anchors = anchors[:1]
    share = room // len(anchors)
    gap = [(character, PLAIN) for character in GAP]
    out: list[tuple[str, str]] = []
    end = 0
    for anchor in anchors:
        start = max(min(anchor - share // 4, len(pairs) - share), 0)
        last, (start, end) = end, _whole_words(pairs, start, start + share)
        if start > last:
            out += gap if out else gap[1:]
        out += pairs[max(start, last) : end]
    return out + gap[:-1] if end < len(pairs) else out


def _whole_words(pairs: list[tuple[str, str]], start: int, end: int) -> tuple[int, int]:
    """The stretch without the words that are cut at its ends, unless they are marked."""
    first, last = start, end
    while start and first < end and pairs[first - 1][0] != " " and pairs[first][1] == PLAIN:
        first += 1
    while (
        end < len(pairs) and last > first and pairs[last][0] != " " and pairs[last - 1][1] == PLAIN
    ):
        last -= 1
    return (first, last) if first < last else (start, end)


def _wrap(pairs: list[tuple[str, str]], width: int) -> list[list[tuple[str, str]]]:
    """Break at the last space that fits, or inside a word that is longer than a line."""
    lines: list[list[tuple[str, str]]] = []
    while pairs:
        used, end = 0, 0
        while end < len(pairs) and used + cells(pairs[end][0]) <= width:
            used += cells(pairs[end][0])
            end += 1
        if end < len(pairs):
            spaces = [i for i in range(1, end + 1) if pairs[i][0] == " "]
            end = spaces[-1] if spaces else max(end, 1)
        lines.append(pairs[:end])
        pairs = pairs[end:]
        while pairs and pairs[0][0] == " ":
            pairs = pairs[1:]
    return lines


def _pieces(line: list[tuple[str, str]]) -> list[Piece]:
    pieces: list[Piece] = []
    column = 0
    for each, group in groupby(line, key=lambda pair: pair[1]):
        piece = Piece("".join(character for character, _ in group), each, column)
        pieces.append(piece)
        column += piece.cells
    return pieces
