"""A user's own text and questions, about any relation.

The text has one document a line, the questions are `question<TAB>answer`. What a question is
about is its varying part; the documents about that are the lines that name it.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from wherefrom.core.config import check
from wherefrom.core.contracts import Dataset, Document, Passage, Question
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.forms import Form, find_forms, match
from wherefrom.data.mentions import Mentions
from wherefrom.data.passages import BEHIND_NAME, find_passages
from wherefrom.data.statements import state_facts, support
from wherefrom.data.survey import Survey, survey_questions
from wherefrom.data.tables import Row, read_lines, read_table

_SHARES = ("calibration_share", "held_out_share")


@dataclass(frozen=True)
class FactsConfig:
    """The files, and how the questions are split where no file says so.

    A subject's questions, of whatever relation, all fall into one split, by the subject's hash.
    `held_out` and `calibration` name further tables: what they hold is that split, and the
    questions of `questions` are not divided for it.
    """

    kind: ClassVar[str] = "facts"
    corpus: str = ""
    questions: str = ""
    held_out: str = ""
    calibration: str = ""
    calibration_share: float = 0.2
    held_out_share: float = 0.2

    def __post_init__(self) -> None:
        for name in _SHARES:
            share = getattr(self, name)
            check(0 <= share < 1, "FactsConfig", name, share, "a share from 0, below 1")
        both = self.calibration_share + self.held_out_share
        check(both < 1, "FactsConfig", "calibration_share + held_out_share", both, "less than 1")

    @property
    def splits(self) -> dict[str, float]:
        """The share of each split that no file gives."""
        given = {"held-out": self.held_out, "calibration": self.calibration}
        shares = {"held-out": self.held_out_share, "calibration": self.calibration_share}
        return {split: 0.0 if given[split] else share for split, share in shares.items()}


@dataclass(frozen=True)
class _Files:
    """What the files hold; the rows of a file that says its split stand under that split."""

    config: FactsConfig
    lines: list[str]
    empty_lines: int
    rows: dict[str, list[Row]]

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        return find_forms([row.cells[0] for rows in self.rows.values() for row in rows])

    @cached_property
    def questions(self) -> list[Question]:
        """Those that fit a form, in the files' order; what the text says is not yet known."""
        found: list[Question] = []
        for given, rows in self.rows.items():
            for row in rows:
                text, answer = row.cells
                if fits := match(self.forms, text):
                    form, subject = fits
                    split = given or choose_split(subject, self.config.splits)
                    found.append(Question(text, subject, form.fill("X"), answer, split))
        return found

    @property
    def formless(self) -> list[str]:
        every = (row.cells[0] for rows in self.rows.values() for row in rows)
        return [text for text in every if match(self.forms, text) is None]

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.lines, (question.subject for question in self.questions))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        return find_passages(self.lines, self.mentions)

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        return tuple(map(Document, self.lines, self.mentions.spans))


def load(config: FactsConfig, seed: int) -> Dataset:
    """The data set; nothing in it depends on the seed."""
    return _assemble(_read(config))


def survey(config: FactsConfig, max_input: int = 0) -> Survey:
    """What is in the files and what could not be matched: shown before anything is trained.

    `max_input` is the longest row that the model will read; 0: any.
    """
    files = _read(config)
    dataset = _assemble(files)
    return survey_questions(dataset, files.empty_lines, files.formless, max_input)


def choose_split(subject: str, shares: dict[str, float]) -> str:
    """Asked, unless the subject's hash falls into the share of another split.

    It depends on nothing but the subject, so a longer file leaves everyone where they were.
    """
    digest = hashlib.sha256(subject.casefold().encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    for split, share in shares.items():
        if place < share:
            return split
        place -= share
    return "asked"


def _read(config: FactsConfig) -> _Files:
    for name, suffix in (("corpus", "FILE.txt"), ("questions", "FILE.tsv")):
        if not getattr(config, name):
            raise UsageError(
                f"data.{name}: expected a file, found none named; give --{name} {suffix}"
            )
    every = read_lines(Path(config.corpus), gaps=True)
    lines = [line for line in every if line.strip()]
    tables = {"": config.questions, "calibration": config.calibration, "held-out": config.held_out}
    rows = {split: read_table(Path(file), 2) for split, file in tables.items() if file}
    return _Files(config, lines, len(every) - len(lines), rows)


def _assemble(files: _Files) -> Dataset:
    documents, passages = files.documents, files.passages
    own: dict[str, list[Passage]] = {}
    for passage in passages:
        own.setdefault(passage.subject, []).append(passage)

    def told(subject: str) -> Sequence[Passage]:
        return own.get(subject, ())

    questions = tuple(
        replace(q, support=support(q, told(q.subject), documents)) for q in files.questions
    )
    _require_splits(files.config, questions)
    facts = state_facts(questions, documents, told)
    letters = _unwritten(documents, questions)
    return Dataset(documents, facts, questions, letters, passages=passages)


def _require_splits(config: FactsConfig, questions: Sequence[Question]) -> None:
    """No split that was asked for may be empty: nothing could be learnt or reported on it."""
    if not questions:
        raise BadData(
            f"{config.questions}: expected several questions of one form that differ in whom they "
            "are about ('Where was Ada born?', 'Where was Bo born?'), found none"
        )
    counts = Counter(question.split for question in questions)
    wanted = ["asked", *(split for split, share in config.splits.items() if share)]
    if lacking := [split for split in wanted if not counts[split]]:
        raise BadData(
            f"{config.questions}: expected questions for every split, found none for "
            f"{lacking[0]} among {len(questions)}; give more questions, or change "
            f"data.{' or data.'.join(_SHARES)}"
        )


def _unwritten(documents: Iterable[Document], questions: Iterable[Question]) -> str:
    """The characters of the questions and answers, and behind a name, that no document has."""
    needed = {c for q in questions for c in q.text + (q.answer or "")} | set(BEHIND_NAME)
    return "".join(sorted(needed - {c for d in documents for c in d.text}))
