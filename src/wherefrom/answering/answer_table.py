"""The table of answers: questions, what the model answered, its features, and what is known.

Shapes: N answers, K features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wherefrom.core.contracts import EVERY_SUPPORT, Answer, Question
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
        """A table with the rows of both, and the columns of this one."""
        return FeatureTable(
            {name: np.append(column, other[name]) for name, column in self.columns.items()}
        )

    def row(self, number: int) -> dict[str, float]:
        return {name: float(column[number]) for name, column in self.columns.items()}


@dataclass(frozen=True)
class AnswerTable:
    """One row for each question that was put to the model.

    `asked` has the questions as the parser finds them, `known` the same as the data set has them,
    with their right answers; it is empty where nobody knows these.
    """

    asked: tuple[ParsedQuestion, ...]
    answers: tuple[Answer, ...]
    features: FeatureTable
    known: tuple[Question, ...] = ()

    def __len__(self) -> int:
        return len(self.asked)

    @cached_property
    def right(self) -> np.ndarray:
        pairs = zip(self.known, self.answers, strict=True)
        return np.array([question.accepts(answer.text) for question, answer in pairs], dtype=bool)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """What each question asks for."""
        return tuple(question.relation for question in self.asked)

    @property
    def subjects(self) -> list[str]:
        return [question.subject for question in self.asked]

    def select(self, split: str, support: Sequence[str] = EVERY_SUPPORT) -> np.ndarray:
        """A mask of the questions with this split and support."""
        here = [q.split == split and q.support in support for q in self.known]
        return np.array(here, dtype=bool)

    def rows(self, which: np.ndarray) -> "AnswerTable":
        """The rows that a mask selects."""
        at = np.flatnonzero(which)
        return AnswerTable(
            tuple(self.asked[i] for i in at),
            tuple(self.answers[i] for i in at),
            self.features.rows(at),
            tuple(self.known[i] for i in at) if self.known else (),
        )
