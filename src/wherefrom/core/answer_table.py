"""The table of answers: questions, what was answered, features, further columns; and its files.

A file of answers has one JSON row for each answer. `encode_answers` and `decode_answers` are given
the names of the fields of a row: predictions, kept and labelled answers share one codec.
Shapes: N answers, K features.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from wherefrom.core.contracts import EVERY_SUPPORT, Answer, Candidate, Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import ParsedQuestion


@dataclass(frozen=True)
class FeatureTable:
    """One column for each feature, with one value for each answer."""

    columns: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        sizes = {name: np.shape(column) for name, column in self.columns.items()}
        if len(set(sizes.values())) > 1 or any(len(size) != 1 for size in sizes.values()):
            raise ValueError(f"expected columns of one length, found {sizes}")

    @classmethod
    def from_matrix(cls, values_NK: np.ndarray, names: Sequence[str]) -> "FeatureTable":
        """A table of a matrix's columns, named in this order."""
        return cls(dict(zip(names, values_NK.T, strict=True)))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"feature '{name}': expected one of {tuple(self.columns)}")
        return self.columns[name]

    def matrix(self, names: Sequence[str]) -> np.ndarray:
        """(N, K): these columns in this order."""
        return np.column_stack([self[name] for name in names])

    def finite(self, names: Sequence[str]) -> np.ndarray:
        """The same; BadData if a value is not a finite number."""
        x_NK = self.matrix(names).astype(np.float64)
        if not np.isfinite(x_NK).all():
            row, column = np.argwhere(~np.isfinite(x_NK))[0]
            raise BadData(
                f"answer {row}: expected a finite '{names[column]}', found {x_NK[row, column]}"
            )
        return x_NK

    def rows(self, which: np.ndarray) -> "FeatureTable":
        """The rows that a mask or a list of row numbers selects."""
        return FeatureTable({name: column[which] for name, column in self.columns.items()})

    def join(self, other: "FeatureTable") -> "FeatureTable":
        """A table with the columns of both."""
        return FeatureTable({**self.columns, **other.columns})

    def append(self, other: "FeatureTable") -> "FeatureTable":
        """A table with the rows of both; NaN where one of them lacks a column."""
        names = (*self.columns, *other.columns)
        one, more = (
            {**dict.fromkeys(names, np.full(len(table), np.nan)), **table.columns}
            for table in (self, other)
        )
        return FeatureTable({name: np.append(one[name], more[name]) for name in one})

    def row(self, number: int) -> dict[str, float]:
        return {name: float(column[number]) for name, column in self.columns.items()}


class Prediction(NamedTuple):
    """One row of a table: a question as the data set has it, and what was answered."""

    question: Question
    answer: Answer

    @property
    def correct(self) -> bool:
        return self.question.accepts(self.answer.text)


@dataclass(frozen=True)
class AnswerTable:
    """One row for each question that was put to a model.

    `asked` has the questions as the parser finds them; it is empty if nobody parsed them. `known`
    has them as the data set has them, with their right answers; it is empty where nobody knows
    these. `columns` are further values by name, each of one row or one matrix row per answer.
    """

    asked: tuple[ParsedQuestion, ...]
    answers: tuple[Answer, ...]
    features: FeatureTable
    known: tuple[Question, ...] = ()
    columns: Mapping[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    @classmethod
    def of(cls, questions: Sequence[Question], answers: Sequence[Answer]) -> "AnswerTable":
        """What was answered to questions of a data set."""
        return cls((), tuple(answers), FeatureTable({}), tuple(questions))

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[Prediction]:
        return map(Prediction, self.known, self.answers)

    @cached_property
    def right(self) -> np.ndarray:
        pairs = zip(self.known, self.answers, strict=True)
        return np.array([question.accepts(answer.text) for question, answer in pairs], dtype=bool)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """What each question asks for."""
        return tuple(question.relation for question in self.asked or self.known)

    @property
    def subjects(self) -> list[str]:
        return [question.subject for question in self.asked or self.known]

    def select(self, split: str, support: Sequence[str] = EVERY_SUPPORT) -> np.ndarray:
        """A mask of the questions with this split and support."""
        here = [q.split == split and q.support in support for q in self.known]
        return np.array(here, dtype=bool)

    def rows(self, which: np.ndarray) -> "AnswerTable":
        """The rows that a mask or a list of row numbers selects."""
        at = np.arange(len(self))[which]
        return AnswerTable(
            tuple(self.asked[i] for i in at) if self.asked else (),
            tuple(self.answers[i] for i in at),
            self.features.rows(at),
            tuple(self.known[i] for i in at) if self.known else (),
            {name: column[at] for name, column in self.columns.items()},
        )


# -- files ---------------------------------------------------------------------------------------

PREDICTION = (
    "id", "question", "subject", "gold", "accepted", "answer", "correct", "probability",
    "finished", "support", "relation", "others",
)  # fmt: skip
_UNLESS_THERE = {"id": "", "accepted": (), "others": (), "finished": True}
_OF_QUESTION = {  # the field of a Question by the field of a row
    "id": "id", "question": "text", "subject": "subject", "gold": "answer",
    "support": "support", "relation": "relation", "split": "split",
}  # fmt: skip
_RIGHT = ("correct", "right")
_FIELDS = {*PREDICTION, *_OF_QUESTION, *_RIGHT, "features"}  # any other is a column


def encode_answers(
    table: AnswerTable, fields: Sequence[str], digits: int | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of a file with these fields; numbers with as many significant digits, or exact.

    A row has `id` and `accepted` only if its question has them.
    """
    for i, (question, answer) in enumerate(table):
        own: dict[str, Any] = {name: getattr(question, f) for name, f in _OF_QUESTION.items()}
        own |= {
            "accepted": list(question.accepted),
            "answer": answer.text,
            "probability": answer.probability,
            "finished": answer.finished,
            "others": [{"text": o.text, "probability": o.probability} for o in answer.others],
            "features": {k: v for k, v in table.features.row(i).items() if not np.isnan(v)},
        }
        own |= dict.fromkeys(_RIGHT, question.accepts(answer.text))
        own |= {name: column[i] for name, column in table.columns.items()}
        here = (name for name in fields if name not in ("id", "accepted") or own[name])
        yield {name: _spell(own[name], digits) for name in here}


def decode_answers(rows: Sequence[Any], fields: Sequence[str]) -> AnswerTable:
    """The table that `encode_answers` wrote."""
    pairs = [_decode_pair(row, fields) for row in rows]
    features = [row["features"] for row in rows] if "features" in fields else []
    names = dict.fromkeys(name for row in features for name in row)
    return AnswerTable(
        (),
        tuple(answer for _, answer in pairs),
        FeatureTable({n: np.array([_read(row.get(n)) for row in features]) for n in names}),
        tuple(question for question, _ in pairs),
        {n: np.array([_read(row[n]) for row in rows]) for n in fields if n not in _FIELDS},
    )


def _decode_pair(row: Any, fields: Sequence[str]) -> Prediction:
    own = {**_UNLESS_THERE, **row}
    others = tuple(Candidate(o["text"], o["probability"]) for o in own["others"])
    answer = Answer(own["answer"], own["probability"], others, own["finished"])
    right = next((own[name] for name in _RIGHT if name in fields), None)
    texts = {f: own[name] for name, f in _OF_QUESTION.items() if name in fields}
    # A file that only says whether an answer is right does not say which one is.
    blank = Question("", "", "", answer.text if right else None, "")
    return Prediction(replace(blank, **texts, accepted=tuple(own["accepted"])), answer)


def _spell(value: Any, digits: int | None) -> Any:
    """A value as JSON has it: null for NaN, a string of 0 and 1 for a row of yes and no."""
    if isinstance(value, np.ndarray):
        if value.dtype == bool:
            return "".join("01"[int(each)] for each in value)
        return [_spell(each, digits) for each in value]
    if isinstance(value, dict):
        return {name: _spell(each, digits) for name, each in value.items()}
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else float(f"{value:.{digits}g}" if digits else value)
    return value


def _read(value: Any) -> Any:
    if isinstance(value, str):
        return [mark == "1" for mark in value]
    if isinstance(value, list):
        return [_read(each) for each in value]
    return float("nan") if value is None else float(value)
