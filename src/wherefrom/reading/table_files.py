"""Text files of a user: one document or one question a line, checked before anything is used.

Lines end at \\n alone; a byte-order mark, \\r\\n and files that gzip packed (.gz) are accepted.
What is wrong is told by file and line: the first five of a kind, and how many there are.
"""

import csv
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.encodings import convert_command, guess_encoding
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.files import not_utf8, reading, require_file
from wherefrom.core.progress import tell
from wherefrom.core.unpacking import Readable, Unpacked

_SHOWN = 5
_CHUNK = 2**22  # bytes that are decoded at once, so that a large text is never there twice
_BOM = b"\xef\xbb\xbf"
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
    lines = split_lines(path)
    if not any(line.strip() for line in lines):
        raise BadData(f"{path}: expected lines of text, found none; name another file")
    if not lines[-1]:
        lines.pop()
    if len(lines) == 1 and "\r" in lines[0]:
        raise BadData(
            f"{path}:1: expected lines that end in \\n, found \\r instead, as on old Macs; convert "
            f"it: tr '\\r' '\\n' < {shlex.quote(str(path))} > new-file"
        )
    refuse_nul(path, lines)
    if not gaps:
        empty = [(n, "an empty line") for n, line in enumerate(lines, 1) if not line.strip()]
        refuse_rows(path, empty, "text on every line", "remove it")
    return lines


def split_lines(path: Path) -> list[str]:
    """What stands between the line ends of a text, and after the last of them, whatever it is."""
    lines: list[str] = []
    for part in _decoded(path):
        found = part.split("\n")
        if "\r" in part:
            found = [line.removesuffix("\r") for line in found]
        if lines:  # a part begins where the one before it stopped, after a \n
            lines.pop()
        lines += found
    return lines


def read_table(path: Path, columns: int) -> list[Row]:
    """The rows of a table with `columns` columns, none of them empty."""
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


def read_cells(
    path: Path, lines: Sequence[str], delimiter: str, quotes: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row with the line that it begins on; a cell in quotes may have several."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    feed = (f"{line}\n" for line in lines)
    reader = csv.reader(feed, delimiter=delimiter, quoting=quoting, strict=quotes)
    start = 1
    try:
        for cells in reader:
            number, start = start, reader.line_num + 1
            yield number, cells
    except csv.Error as error:
        raise BadData(
            f"{path}:{start}: expected a row of a CSV file, found: {error}; check its double quotes"
        ) from None


def refuse_nul(path: Path, lines: Sequence[str], numbers: Sequence[int] = ()) -> None:
    """Refuse NUL bytes, which no text has.

    `numbers` are those of the lines in the file, 1, 2, ... by default.
    """
    head = "\n".join(lines[:5])
    if "\0" in head and (guess := guess_encoding(head.encode()[:4096])):
        raise BadData(
            f"{path}:1: expected UTF-8 text, found bytes that seem to be {guess[0]}; "
            f"{convert_command(path, guess[1])}"
        )
    bad = [i for i, line in enumerate(lines) if "\0" in line]
    rows = [(numbers[i] if numbers else i + 1, "a NUL byte") for i in bad]
    refuse_rows(path, rows, "text", "it is a binary file")


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


def _decoded(path: Path) -> Iterator[str]:
    """The text of a file in parts that end after a \\n; the byte-order mark is dropped."""
    line = 1
    for part in _parts(path):
        try:
            yield part.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(path, part, error.start, line) from None
        line += part.count(b"\n")


def _parts(path: Path) -> Iterator[bytes]:
    with reading(path):
        require_file(path)
        raw = path.open("rb")
    with raw:
        file = Unpacked(raw, path) if path.suffix == ".gz" else raw
        size, begun = path.stat().st_size, list[bytes]()  # what a line began with
        mark = _BOM
        while chunk := _read(path, file):
            chunk, mark = chunk.removeprefix(mark), b""
            end = chunk.rfind(b"\n") + 1
            if end:
                yield b"".join((*begun, chunk[:end]))
                begun.clear()
            begun.append(chunk[end:])
            if size:  # a pipe has none, and no place in it can be told
                tell(f"reading {path.name}", raw.tell(), size)
        yield b"".join(begun)


def _read(path: Path, file: Readable) -> bytes:
    try:
        return file.read(_CHUNK)
    except OSError as error:
        raise MissingInput(f"{path}: expected a file, found: {error.strerror}") from error
