"""Asking a run: the answer, how sure to be of it, and whether it is given at all.

The same code calibrates on calibration people, reports on held-out ones and serves `ask`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.features import Asker, open_asker
from wherefrom.answering.policy import Doubt, read_doubt
from wherefrom.core.contracts import Answer
from wherefrom.runs.run import Run


@dataclass(frozen=True)
class Reply:
    """An answer with its calibrated probability of being right; `known` if it is given at all.

    The probability is meant for people whom the text is about: where the model does not know
    the name, `stranger`, nothing is given and no probability said. A run without calibration
    people has none either, and gives every answer; whether a name is known is None there.
    """

    question: str
    answer: Answer
    confidence: float | None
    known: bool
    stranger: bool | None = None


def ask(run: Run, questions: Sequence[str]) -> list[Reply]:
    """Put questions to a finished run."""
    return put(open_asker(run), read_doubt(run), questions)


def put(asker: Asker, doubt: Doubt, questions: Sequence[str]) -> list[Reply]:
    """Put questions to a model that is already open."""
    if not questions:
        return []
    for question in questions:
        asker.check(question)
    answers, features = asker.examine(questions)
    return reply(doubt, questions, answers, features)


def reply(
    doubt: Doubt | None, questions: Sequence[str], answers: Sequence[Answer], features: np.ndarray
) -> list[Reply]:
    """What is said to questions whose answers have been examined."""
    if doubt is None:
        return [Reply(q, a, None, True) for q, a in zip(questions, answers, strict=True)]
    confidence, score = doubt.probability(features), doubt.score(features)
    known = doubt.threshold.answers(score)
    stranger = [None] * len(score) if doubt.gate is None else list(confidence > score)
    return [
        Reply(q, a, None if s else float(c), bool(k), None if s is None else bool(s))
        for q, a, c, k, s in zip(questions, answers, confidence, known, stranger, strict=True)
    ]
