"""The course's birthplaces: one-line biographies, and where the people were born.

A folder has `wiki.txt` (a line is "Name. Text"), `birth_places_train.tsv` and `birth_dev.tsv`
(question, tab, place) and, if it is there, `birth_test_inputs.tsv` (questions alone).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wherefrom.core.bounds import MOST_QUESTIONS, check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Dataset, Document, Passage, Question
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.core.files import file_hash
from wherefrom.core.forms import Form, find_forms
from wherefrom.data.collection_results import DatasetFiles
from wherefrom.data.fetching import registry
from wherefrom.data.survey import survey_questions
from wherefrom.reading.names import lines_by_person, name_span, person
from wherefrom.reading.statements import state_facts, whole_documents
from wherefrom.reading.table_files import Row, read_lines, read_table, refuse_rows

NAME, RELATION = "birthplaces", "birthplace"
TEXT, TRAIN, DEV = "wiki.txt", "birth_places_train.tsv", "birth_dev.tsv"
TEST = "birth_test_inputs.tsv"  # need not be there
TABLES = {  # file: its columns and the split of its questions
    TRAIN: (2, "asked"),
    DEV: (2, "held-out"),
    TEST: (1, "unanswered"),
}
LETTERS = ("all", "ascii")
_COURSE = "the course's"
KNOWN = {  # SHA-256 of the versions that are in circulation
    TEXT: {
        "17e381468abd91b60be8acaff006c66b77532b4ea4c0ce097b0a686d2e8e8219": _COURSE,
        "823bb536fca77c8b5a15b34b0dead6355d0cf1f806e822464bca28806c2fd055": (
            f"{_COURSE}, with a final newline"
        ),
    },
    TRAIN: {"02364dfca78e23d2583a19f03a2d8cddd90ee3e1a3795ddec7f0addadea30b0d": _COURSE},
    DEV: {"101a56073eba0db9aad5e2aaf1aa9bf8bdae966ae3aaed8fc8cda5edfa7856da": _COURSE},
    TEST: {"5ccd3b2a1682e0daf90d59488aef8805ef21b9d35795cc3bdabdea79d293aa1f": _COURSE},
}


class BirthplacesConfig(TaggedConfig, frozen=True, tag=NAME):
    """Where the files are, and how they are read.

    `calibration` training questions, chosen by hash, are never trained on. `letters = "ascii"`
    is the course's defect: its training questions and answers lose every other letter, while
    the questions of the evaluation keep them.
    """

    folder: str = ""  # "": the registered one
    calibration: int = 0
    letters: str = "all"

    def __post_init__(self) -> None:
        name = "BirthplacesConfig"
        check_whole(self, "calibration", 0, MOST_QUESTIONS, "0: none")
        check(self.letters in LETTERS, name, "letters", self.letters, f"one of {LETTERS}")


@dataclass(frozen=True)
class Files:
    """The files of a folder after their form was checked; questions by their file's name."""

    documents: tuple[Document, ...]
    tables: dict[str, list[Row]]
    form: Form

    def subject(self, question: str) -> str:
        return self.form.subject(question) or ""


def load(config: BirthplacesConfig, seed: int) -> Dataset:
    """The data set; nothing in it depends on the seed."""
    files = read_files(find_folder(config.folder))
    lines = lines_by_person(files.documents)

    def told(subject: str) -> Sequence[Passage]:
        return whole_documents(subject, lines.get(person(subject), ()), files.documents)

    kept = choose_calibration(files, files.tables[TRAIN], config.calibration)
    questions: list[Question] = []
    for file, rows in files.tables.items():
        for row in rows:
            text, answer = row.cells[0], row.cells[1] if len(row.cells) > 1 else None
            subject = files.subject(text)
            calibrates = file == TRAIN and person(subject) in kept
            split = "calibration" if calibrates else TABLES[file][1]
            questions.append(Question(text, subject, RELATION, answer, split))
    facts = state_facts(questions, files.documents, told, inside_words=True)
    if config.letters == "ascii":
        questions = [_lose_letters(q) if q.split == "asked" else q for q in questions]
    return Dataset(files.documents, facts, tuple(questions), alphabet(files.documents, questions))


def find_folder(folder: str) -> Path:
    """The named folder, or the registered one."""
    path = Path(folder) if folder else registry.find_unchanged(NAME)
    if path is None:
        raise MissingInput(
            f"data.folder: expected the folder of the {NAME} files, found none registered; "
            f"register it once with 'wherefrom data add {NAME} FOLDER' or name it with --data"
        )
    if not path.is_dir():
        raise MissingInput(
            f"{path}: expected a folder with {TEXT} and {', '.join(TABLES)}, found no such "
            "folder; name another with --data"
        )
    return path


def read_files(folder: Path) -> Files:
    documents = tuple(Document(line, name_span(line)) for line in read_lines(folder / TEXT))
    present = [file for file in TABLES if file != TEST or (folder / file).exists()]
    tables = {file: read_table(folder / file, TABLES[file][0]) for file in present}
    form = find_forms([row.cells[0] for rows in tables.values() for row in rows])[0]
    for file, rows in tables.items():
        bad = [(r.line, repr(r.cells[0])) for r in rows if form.subject(r.cells[0]) is None]
        expected = f"a question about a person, like '{form.fill('...')}'"
        refuse_rows(folder / file, bad, expected, "add the person or remove the line")
    return Files(documents, tables, form)


def choose_calibration(files: Files, rows: Sequence[Row], count: int) -> frozenset[str]:
    """The people of `count` questions: those whose questions have the smallest hashes.

    A person with several questions has all of them on one side; where that makes the count
    too large, the next one is taken.
    """
    if count >= len(rows):
        raise UsageError(
            f"data.calibration: expected fewer than the {len(rows)} questions there are, "
            f"found {count}"
        )
    people: dict[str, list[str]] = {}
    for row in rows:
        digest = hashlib.sha256(row.cells[0].encode()).hexdigest()
        people.setdefault(person(files.subject(row.cells[0])), []).append(digest)
    chosen: list[str] = []
    for name in sorted(people, key=lambda name: min(people[name])):
        if len(people[name]) <= count:
            chosen.append(name)
            count -= len(people[name])
    return frozenset(chosen)


def alphabet(documents: Sequence[Document], questions: Sequence[Question]) -> str:
    """Characters the vocabulary needs besides the documents' own.

    The end of a line is one of the course's 256, though no document has it.
    """
    needed = {c for q in questions for c in q.text + (q.answer or "")}
    known = {c for d in documents for c in d.text}
    return "\n" + "".join(sorted(needed - known))


def _lose_letters(question: Question) -> Question:
    text, answer = (
        t.encode("ascii", "ignore").decode() for t in (question.text, question.answer or "")
    )
    return replace(question, text=text, answer=answer)


def inspect(folder: str) -> DatasetFiles:
    """Read and count a folder's files; BadData if one has not the form that training needs."""
    path = find_folder(folder)
    counted = replace(survey_questions(load(BirthplacesConfig(str(path)), 0), {}), calibration={})
    files = {file: file_hash(path / file) for file in KNOWN if (path / file).exists()}
    known = {file: KNOWN[file].get(digest, "") for file, digest in files.items()}
    return DatasetFiles(NAME, None, str(path), files, counted, known)
