"""A table of facts: a row about each subject, a column for each thing that is told of it.

The first line names the columns. A row becomes a document that states its cells, and each cell a
question with its answer; an empty cell is a question that has none. Rows about the same subject
are taken together: every value is right then.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.errors import BadData, UsageError, nearest
from wherefrom.core.plurals import plural
from wherefrom.reading.markup import clean_text
from wherefrom.reading.question_files import QuestionRow, are_questions
from wherefrom.reading.table_files import read_cells, read_lines, refuse_rows
from wherefrom.reading.texts import join_lines

_SUFFIXES = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
_LONG = 60  # characters: what is longer is a text, which no model gives as an answer
_ADDRESS = "://"
_FEW = 0.1  # the share of values that may be longer
_NAME = "name"  # what a first column of names is called that has no name itself


@dataclass(frozen=True)
class FactTable:
    """What a table says: for each subject a list of values in each column of `relations`."""

    subject: str
    relations: tuple[str, ...]
    left_out: tuple[str, ...]  # columns that are not asked about
    rows: int
    nameless: int  # rows without a subject, which are left out
    facts: dict[str, list[list[str]]]

    def describe(self) -> str:
        """How the table was understood, in a line."""
        parts = [
            f"table: {self.rows:,} {plural('row', self.rows)}; subject = {self.subject}",
            f"relations = {', '.join(self.relations)}",
            f"left out: {', '.join(self.left_out)}" if self.left_out else "",
            f"without a subject: {self.nameless:,}" if self.nameless else "",
        ]
        return "; ".join(filter(None, parts))

    def texts(self) -> list[str]:
        """A document for each subject: its name, and what is told of it.

        Semicolons part the facts: a full stop behind "R" would be taken for that of an initial.
        """
        return [f"{name}. {self._state(cells)}".rstrip() for name, cells in self.facts.items()]

    def _state(self, columns: Sequence[Sequence[str]]) -> str:
        facts = zip(self.relations, columns, strict=True)
        told = "; ".join(f"its {relation} is {', '.join(own)}" for relation, own in facts if own)
        return told[:1].upper() + told[1:]

    def questions(self) -> Iterator[QuestionRow]:
        for number, (subject, columns) in enumerate(self.facts.items(), 1):
            for relation, values in zip(self.relations, columns, strict=True):
                text = f"What is the {relation} of {subject}?"
                first, *others = values or [""]
                yield QuestionRow(
                    number, text, first, tuple(others), relation=relation, subject=subject
                )


def is_table(path: Path) -> bool:
    """Whether a file's name says that it is a table."""
    return path.name.casefold().removesuffix(".gz").endswith(_SUFFIXES)


def read_fact_table(path: Path, columns: str = "") -> FactTable:
    """The facts of a table; `columns` are its subject and what is asked, parted by commas.

    Without them the subject is the first column of different names, and all others are asked for
    that have short values in most rows. With one, it is the subject.
    """
    first, *rows = _read_rows(path)
    named = next(csv.reader([columns]), list[str]())
    if "question" in map(str.casefold, first) or (
        not named and are_questions([first[0], *(row[0] for row in rows)])
    ):
        raise BadData(
            f"{path}:1: expected a table of facts, found questions with their answers; give it as "
            "--questions, and a text as --corpus"
        )
    header = [_spell(name) for name in first]
    if not header[0] and _NAME not in header and 2 * sum(_is_name(r[0]) for r in rows) > len(rows):
        header[0] = _NAME  # so a data frame's index of names is written
    _check_header(path, header, rows, bool(named))
    places = {name: i for i, name in enumerate(header) if name}
    chosen = [_find_column(path, name.strip(), places) for name in named]
    subject = chosen[0] if chosen else _choose_subject(path, rows, list(places.values()))
    asked = chosen[1:] or [i for i in places.values() if i != subject and _is_askable(rows, i)]
    if not asked:
        raise BadData(
            f"{path}: expected a column of short values beside '{header[subject]}', found none; "
            "name the columns with --table"
        )
    facts: dict[str, list[list[str]]] = {}
    for row in rows:
        if row[subject]:
            own = facts.setdefault(row[subject], [[] for _ in asked])
            for values, place in zip(own, asked, strict=True):
                if row[place] and row[place] not in values:
                    values.append(row[place])
    nameless = sum(not row[subject] for row in rows)
    others = tuple(name for name, i in places.items() if i not in (subject, *asked))
    asked_for = tuple(header[i] for i in asked)
    return FactTable(header[subject], asked_for, others, len(rows), nameless, facts)


def _read_rows(path: Path) -> list[list[str]]:
    """The rows that are not empty, all of one length; the first one is the header."""
    lines = read_lines(path, gaps=True)
    tabs = path.name.casefold().removesuffix(".gz").endswith(".tsv")
    first = next(line for line in lines if line.strip())
    # Most exports put quotes round a comma in a CSV file, and none round anything in a TSV file.
    mark = "\t" if tabs else max(_DELIMITERS, key=first.count)
    rows, bad = list[list[str]](), list[tuple[int, str]]()
    same: dict[str, str] = {}  # equal cells are kept once: there are many
    for number, cells in read_cells(path, lines, mark, quotes=not tabs):
        found = [same.setdefault(c, c) for c in (clean_text(join_lines(c)) for c in cells)]
        if not any(found) or (rows and found == rows[0]):
            continue  # two tables that were put together have the header twice
        width = len(rows[0] if rows else found)
        rows.append(found + [""] * (width - len(found)))
        if len(found) > width:
            bad.append((number, f"{len(found)} columns where the header has {width}"))
    refuse_rows(path, bad, "a row with the header's columns", "put text with commas in quotes")
    if len(rows) < 2:
        raise BadData(f"{path}: expected rows below the header, found none; name another file")
    return rows


def _check_header(path: Path, header: list[str], rows: list[list[str]], trusted: bool) -> None:
    """Refuse a first line that looks like the others; `trusted`: somebody named columns of it."""
    if len([name for name in header if name]) < 2:
        raise BadData(
            f"{path}:1: expected at least two columns, a subject and what is told of it, found "
            f"'{header[0][:60]}' alone; a text without columns is a .txt file"
        )
    twice = next((name for i, name in enumerate(header) if name and name in header[:i]), None)
    number = next((name for name in header if name and not _has_letter(name)), None)
    below = [{row[i] for row in rows} for i in range(len(header))]
    value = next((n for n, values in zip(header, below, strict=True) if n and n in values), None)
    for found, what in ((twice, "twice"), (number, "a value"), (value, "as in the rows below")):
        if found is not None and (found is twice or not trusted):
            raise BadData(
                f"{path}:1: expected a header that names the columns, found '{found[:60]}' "
                f"({what}); write one, such as 'name,director,year', on the first line"
            )


def _find_column(path: Path, name: str, places: dict[str, int]) -> int:
    wanted = _spell(name).casefold()
    for column, place in places.items():
        if column.casefold() == wanted:
            return place
    raise UsageError(
        f"--table: expected columns of {path}, found '{name}'; {nearest(name, places)}"
    )


def _choose_subject(path: Path, rows: Sequence[Sequence[str]], places: Sequence[int]) -> int:
    """The first column whose values are names and mostly different."""
    for place in places:
        values = [row[place] for row in rows if row[place]]
        names = sum(map(_is_name, values))
        if 2 * names > len(values) and 2 * len(set(values)) > len(values):
            return place
    raise BadData(
        f"{path}: expected a column of names that are mostly different, for the subject, found "
        "none; name the subject's column with --table"
    )


def _is_askable(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether most rows have a value here, nearly all could be answers, and none is a number of a
    row: such numbers say nothing of their subjects."""
    values = [row[place] for row in rows if row[place]]
    if any(values == [str(i) for i in range(first, first + len(rows))] for first in (0, 1)):
        return False
    bad = sum(len(value) > _LONG or _ADDRESS in value for value in values)
    return 2 * len(values) > len(rows) and bad <= _FEW * len(values)


def _spell(name: str) -> str:
    """A column's name as words: birth_place is birth place."""
    return " ".join(name.replace("_", " ").rstrip("?: ").split())


def _is_name(value: str) -> bool:
    """Whether a value is words rather than a number, a code or an address."""
    letters = sum(c.isalpha() or c.isspace() for c in value)
    return _ADDRESS not in value and 2 * letters > len(value)


def _has_letter(text: str) -> bool:
    return any(c.isalpha() for c in text)
