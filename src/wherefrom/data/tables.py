"""Text files of a user: one document or one question a line, checked before anything is used.

Lines end at \\n alone; a byte-order mark and \\r\\n are accepted. What is wrong is told by file
and line: the first five of a kind, and how many there are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.errors import BadData
from wherefrom.core.files import read_text
from wherefrom.core.vocabulary import MASK, PAD

_SHOWN = 5
_FORMS = {1: "a question", 2: "'question<TAB>answer'"}
_ADVICE = {
    1: "leave out everything after the question",
    2: "put one tab between question and answer, and none elsewhere",
}


@dataclass(frozen=True)
class Row:
    """One line of a table and its number in the file, from 1."""

    line: int
    cells: tuple[str, ...]


def read_lines(path: Path, gaps: bool = False) -> list[str]:
    """The lines of a text; an empty last one is the end of the file.

    Another empty line is an error unless gaps are allowed: then it is given as it is.
    """
    text = read_text(path)
    if not text.strip():
        raise BadData(f"{path}: expected lines of text, found none; name another file")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    lines = lines if lines[-1] else lines[:-1]
    _refuse(path, lines, lambda line: "\0" in line, "text", "a NUL byte; it is a binary file")
    for mark, name in ((MASK, "mask"), (PAD, "pad")):
        found = f"the {name} character; remove it: the model uses it as a marker"
        _refuse(path, lines, lambda line, c=mark: c in line, f"no U+{ord(mark):04X}", found)
    if not gaps:
        found = "an empty line; remove it"
        _refuse(path, lines, lambda line: not line.strip(), "text on every line", found)
    return lines


def read_table(path: Path, columns: int) -> list[Row]:
    """The rows of a table with so many columns, none of them empty."""
    rows = [Row(number, tuple(line.split("\t"))) for number, line in enumerate(read_lines(path), 1)]
    bad: list[tuple[int, str]] = []
    for row in rows:
        count = len(row.cells)
        if count != columns:
            bad.append((row.line, f"{count} column{'s' if count > 1 else ''}"))
        elif not all(cell.strip() for cell in row.cells):
            empty = next(i for i, cell in enumerate(row.cells) if not cell.strip())
            bad.append((row.line, f"an empty {('question', 'answer')[empty]}"))
    refuse_rows(path, bad, _FORMS[columns], _ADVICE[columns])
    return rows


def refuse_rows(path: Path, bad: Sequence[tuple[int, str]], expected: str, advice: str) -> None:
    """Raise BadData if there are bad lines (number, what was found there): five, and a count."""
    if not bad:
        return
    line, found = bad[0]
    text = f"{path}:{line}: expected {expected}, found {found}; {advice}"
    if len(bad) > 1:
        others = ", ".join(f"line {number}: {what}" for number, what in bad[1:_SHOWN])
        text += f" ({others}; {len(bad)} bad lines in all)"
    raise BadData(text)


def _refuse(
    path: Path, lines: Sequence[str], wrong: Callable[[str], bool], expected: str, found: str
) -> None:
    bad = [number for number, line in enumerate(lines, 1) if wrong(line)]
    what, _, advice = found.partition("; ")
    refuse_rows(path, [(number, what) for number in bad], expected, advice)
