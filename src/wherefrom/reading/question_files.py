"""The questions of a user: TSV, CSV with a header, or JSON lines, told apart by the file's suffix.

| column | |
| --- | --- |
| question | the question |
| answer | its answer; empty where the text has none: the right reply is "I don't know" |
| answers | several right answers: a list in JSON, else parted by `|`; the first is taught |
| split | train, calibration or test, or one of the other words in SPLITS; or unanswerable |
| relation | a name for what is asked, in place of the question's form |
| id | what you call the question |

A TSV without a header has a question and an answer on each line. Other columns are left alone.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from wherefrom.core.bounds import LONGEST_QUESTION
from wherefrom.core.errors import BadData
from wherefrom.core.forms import find_forms, match
from wherefrom.reading.table_files import read_cells, read_lines, refuse_nul, refuse_rows
from wherefrom.reading.texts import is_json, join_lines, read_json_rows

COLUMNS = ("question", "answer", "answers", "split", "relation", "id")
BETWEEN_ANSWERS = "|"
SPLITS = {
    "asked": ("asked", "train", "training"),
    "calibration": ("calibration", "dev", "development", "val", "valid", "validation"),
    "held-out": ("held-out", "heldout", "test", "testing", "eval", "evaluation"),
}
UNANSWERABLE = "unanswerable"  # in place of a split, it says what an empty answer says
_SPLIT_OF = {name: split for split, names in SPLITS.items() for name in names}
_SPLIT_OF[UNANSWERABLE] = UNANSWERABLE
_DELIMITERS = ",;\t"
_SAMPLE = 1000  # rows that say whether a file has questions
_ASK = ("?", "\uff1f", "\u061f")  # question marks; the last two are the wide and the Arabic one


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of a file; what the file does not say is "", also an answer that is not."""

    line: int
    question: str
    answer: str
    accepted: tuple[str, ...] = ()
    split: str = ""
    relation: str = ""
    id: str = ""
    subject: str = ""  # what it is about, where that is known without its form

    @property
    def is_long(self) -> bool:
        """Whether it is left out: no model is given rows for it."""
        return len(self.question) + len(self.answer) > LONGEST_QUESTION


class _Bad(ValueError):
    """What is wrong with one row."""


def read_questions(path: Path) -> list[QuestionRow]:
    """The rows of a file of questions, whatever its format; bad lines are told together."""
    rows, expected, advice = _open_rows(path)
    found, bad = list[QuestionRow](), list[tuple[int, str]]()
    same: dict[str, str] = {}  # equal answers and relations are kept once: there are many
    for number, fields in rows:
        try:
            found.append(_row(number, fields, same))
        except _Bad as error:
            bad.append((number, str(error)))
    refuse_rows(path, bad, expected, advice)
    if not found:
        raise BadData(f"{path}: expected questions, found none; name another file")
    if is_json(path):  # of other files, the lines were searched already
        texts = ["\n".join((r.question, r.answer, *r.accepted)) for r in found]
        refuse_nul(path, texts, [r.line for r in found])
    return found


def _open_rows(path: Path) -> tuple[Iterator[tuple[int, dict[str, Any]]], str, str]:
    """The rows of a file, what each must be, and what to do about one that is not."""
    if is_json(path):
        return _json_rows(path), "a question with its answer", "mend the row"
    if path.name.casefold().removesuffix(".gz").endswith(".csv"):
        advice = "mend the row, and put text with commas or line breaks in double quotes"
        return _csv_rows(path), "a question with its answer", advice
    advice = "put one tab between question and answer, and none elsewhere"
    return _tsv_rows(path), "'question<TAB>answer'", advice


def is_questions(path: Path) -> bool:
    """Whether a file has questions rather than a text or a table of facts.

    A header says so, or in a TSV without one the first of two columns.
    """
    name = path.name.casefold().removesuffix(".gz")
    if name.endswith((".tsv", ".csv")):
        lines = [line for line in read_lines(path, gaps=True) if line.strip()]
        ways = [_names(_cells(lines[0], mark)) for mark in _DELIMITERS]
        headless = name.endswith(".tsv") and len(ways[-1]) < 3
        return any(map(_is_header, ways)) or (
            headless and are_questions([line.split("\t")[0] for line in lines[:_SAMPLE]])
        )
    if not is_json(path):
        return False
    for _, row in _json_rows(path):
        return "question" in row
    return False


def are_questions(cells: Sequence[str]) -> bool:
    """Whether a column without a header, its first row included, has questions rather than names.

    Most end in a question mark, or share a form with a word that no name has ("capital of X").
    Many rows of a table may share such a form too, but the name of its column does not.
    """
    some = [cell.strip() for cell in cells[:_SAMPLE]]
    if 2 * sum(cell.endswith(_ASK) for cell in some) > len(some):
        return True
    forms = [form for form in find_forms(some) if any(map(_is_plain, form.fill(" ").split()))]
    fits = [match(forms, cell) is not None for cell in some]
    return len(fits) > 2 and fits[0] and 2 * sum(fits) > len(fits)


def _is_plain(word: str) -> bool:
    """Whether a word has no capital; where letters have none, whether it is longer than a name's
    usual last sign."""
    return word.islower() or (word.isalpha() and word.lower() == word.upper() and len(word) > 2)


def _row(line: int, fields: dict[str, Any], same: dict[str, str]) -> QuestionRow:
    question = _text(fields, "question")
    if not question:
        raise _Bad("an empty question" if "question" in fields else "no question")
    answers = [same.setdefault(answer, answer) for answer in _answers(fields)]
    split = _split(_text(fields, "split"))
    if split == UNANSWERABLE:
        answers, split = list[str](), ""
    elif "answer" not in fields and "answers" not in fields:
        raise _Bad("no answer")
    first, *others = answers if len(answers) == 1 else dict.fromkeys(answers or ("",))
    if len(fields) == 2:  # a question and an answer, as most files have
        return QuestionRow(line, question, first, tuple(others), split)
    relation = _text(fields, "relation")
    relation = same.setdefault(relation, relation)
    return QuestionRow(line, question, first, tuple(others), split, relation, _text(fields, "id"))


def _split(name: str) -> str:
    """Our word for a split that a file names; "" if it names none."""
    if not name:
        return ""
    known = _SPLIT_OF.get("-".join(name.casefold().replace("_", " ").split()))
    if known is None:
        raise _Bad(f"the split {name[:40]!r} (known: {', '.join(_SPLIT_OF)})")
    return known


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Bad(f"a '{name}' that is not text")
    return join_lines(value)


def _answers(fields: dict[str, Any]) -> Iterator[str]:
    """Every right answer, the one under `answer` first; none of them empty."""
    for name in ("answer", "answers"):
        value = fields.get(name)
        for each in cast(list[Any], value) if isinstance(value, list) else [value]:
            if text := _text({name: each}, name):
                yield text


# -- formats -------------------------------------------------------------------------


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    return read_json_rows(path, '{"question": "...", "answer": "..."}')


def _tsv_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """By the header's names if the first line is a header; else a question and an answer."""
    names: list[str] | None = None
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(read_lines(path, gaps=True), 1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if names is None:
            names = _find_header(cells)
            if names == _names(cells):
                continue
        if len(cells) > len(names) or (len(cells) < 2 and len(names) > 1):
            bad.append((number, f"{len(cells)} column{'s' if len(cells) > 1 else ''}"))
        else:
            yield number, _fields(names, cells)
    advice = "put one tab between question and answer, and none elsewhere"
    if names and len(names) > 2:
        advice = f"put a tab between two of the {len(names)} columns, and none elsewhere"
    refuse_rows(path, bad, "'question<TAB>answer'", advice)


def _find_header(cells: list[str]) -> list[str]:
    """The names of the columns: those of the first line, if it is a header."""
    header = _names(cells)
    return header if _is_header(header) else ["question", "answer"]


def _csv_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = read_lines(path, gaps=True)
    first = next(line for line in lines if line.strip())
    # A spreadsheet writes semicolons where the comma is the decimal mark.
    ways = {mark: _names(_cells(first, mark)) for mark in _DELIMITERS}
    mark = next((mark for mark, names in ways.items() if _is_header(names)), None)
    if mark is None:
        raise BadData(
            f"{path}:1: expected a header with the columns question and answer, found "
            f"'{first[:60]}'; write 'question,answer' on the first line"
        )
    bad: list[tuple[int, str]] = []
    names = ways[mark]
    for number, cells in read_cells(path, lines, mark):
        if not any(cell.strip() for cell in cells) or _names(cells) == names:
            continue
        if len(cells) > len(names):
            bad.append((number, f"{len(cells)} columns where the header has {len(names)}"))
        else:
            yield number, _fields(names, cells)
    refuse_rows(path, bad, "a row with the header's columns", "put text with commas in quotes")


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), list[str]())
    except csv.Error:
        return []


def _names(cells: Iterable[str]) -> list[str]:
    return [cell.strip().casefold() for cell in cells]


def _is_header(names: list[str]) -> bool:
    return "question" in names and ("answer" in names or "answers" in names)


def _fields(names: list[str], cells: list[str]) -> dict[str, Any]:
    """The cells by their columns' names, several answers taken apart."""
    fields: dict[str, Any] = dict(zip(names, cells, strict=False))
    if "answers" in fields:
        fields["answers"] = fields["answers"].split(BETWEEN_ANSWERS)
    return fields
