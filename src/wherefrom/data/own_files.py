"""A user's own files: which they are in a folder, and what `wherefrom data check` says of them."""

from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from wherefrom.core.bounds import LONGEST_QUESTION
from wherefrom.core.errors import MissingInput
from wherefrom.core.forms import find_forms, match
from wherefrom.core.plurals import counted
from wherefrom.data.facts import FactsConfig, survey
from wherefrom.data.survey import FileSurvey, Survey
from wherefrom.reading.fact_tables import is_table
from wherefrom.reading.question_files import is_questions, read_questions
from wherefrom.reading.texts import read_texts

_CORPUS = ("corpus.txt", "corpus.jsonl")
_TABLES = (".tsv", ".csv", ".jsonl")
_PACKED = ("", ".gz")


def find_files(folder: Path) -> dict[str, str]:
    """The files of a folder by the field of FactsConfig that each is for.

    A text and questions must be there: corpus.txt or corpus.jsonl, and questions.tsv, .csv or
    .jsonl. Files called held_out and calibration may be. Each may be packed by gzip.
    """
    tables = ("questions", "held_out", "calibration")
    wanted = {"corpus": _CORPUS} | {t: tuple(t + end for end in _TABLES) for t in tables}
    found = {
        field: str(path)
        for field, names in wanted.items()
        for path in [folder / (name + end) for name in names for end in _PACKED][::-1]
        if path.is_file()
    }
    for field in ("corpus", "questions"):
        if field not in found:
            lacks = f"no {field} file" if folder.is_dir() else "no such folder"
            raise MissingInput(
                f"{folder}: expected a folder with {' or '.join(wanted[field])}, found {lacks}; "
                "name the files with --corpus and --questions, or fetch a text: "
                "'wherefrom data list' names them"
            )
    return found


def has_files(folder: Path) -> bool:
    """Whether a folder has a text with questions, under the names that `find_files` knows."""
    try:
        return bool(find_files(folder))
    except MissingInput:
        return False


def check_files(
    which: Path,
    questions: str | Path | None = None,
    held_out: str | Path | None = None,
    calibration: str | Path | None = None,
    documents: str = "lines",
    table: str = "",
) -> Survey | FileSurvey:
    """What is in a text with its questions, in a text alone, or in a file of questions alone."""
    config = FactsConfig(documents=documents, table=table)
    if questions is not None:
        tables = {"questions": questions, "held_out": held_out, "calibration": calibration}
        given = {name: str(file) for name, file in tables.items() if file is not None}
        return survey(replace(config, corpus=str(which), **given))
    if which.is_dir() and has_files(which):
        return survey(replace(config, **find_files(which)))
    if which.is_file() and not table and is_questions(which):
        return _survey_table(which)
    if table or is_table(which):  # columns of what is no table are refused there
        return survey(replace(config, corpus=str(which)))
    return _survey_text(which, config.documents)


def _survey_text(path: Path, documents: str) -> FileSurvey:
    found = read_texts(path, documents)
    lengths = [len(text) for text in found.texts]
    holds = (
        f"a text of {counted(len(lengths), 'document')}, {counted(sum(lengths), 'character')}; the "
        f"longest document has {max(lengths):,}"
    )
    named = sum(map(bool, found.ids))
    rest = {"documents with an id": named, "empty documents left out": found.empty}
    return FileSurvey(str(path), holds, {}, rest)


def _survey_table(path: Path) -> FileSurvey:
    rows = read_questions(path)
    forms = find_forms([row.question for row in rows])
    fits = [match(forms, row.question) for row in rows]
    tables = {
        "form": Counter(pair[0].fill("X") for pair in fits if pair),
        "split": Counter(row.split for row in rows if row.split),
        "relation": Counter(row.relation for row in rows if row.relation),
    }
    holds = (
        f"a file of {counted(len(rows), 'question')} with answers; a table of facts would have a "
        "header of column names"
    )
    long = f"questions of over {LONGEST_QUESTION} characters, which a run leaves out"
    rest = {
        "questions of a form of their own, which a run leaves out": fits.count(None),
        long: sum(row.is_long for row in rows),
        "questions with more than one right answer": sum(bool(row.accepted) for row in rows),
        "questions with an id": sum(bool(row.id) for row in rows),
    }
    ordered = {what: dict(count.most_common()) for what, count in tables.items()}
    return FileSurvey(str(path), holds, ordered, rest)
