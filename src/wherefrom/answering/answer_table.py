"""The table of answers: questions, what the model answered, and what is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.contracts import EVERY_SUPPORT, Answer, Question
from wherefrom.core.forms import ParsedQuestion


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
