"""What an answer owes to the person's own text, by training without it.

m = P(answer | trained with the person's text) - P(answer | trained without it), for the answer
that the run's own model gives. Near 1 the model recalls it from there; near 0 it would have said
the same anyway, from the name or from habit. Models are trained in pairs: one without the text
of half the people, one without that of the others, so each pair has every person once with and
once without.

Shapes: K models, N questions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.generation.scoring import score
from wherefrom.runs.run import Run

INFLUENCE = "influence.jsonl"  # in a run's audit/
RECALLED = 0.5  # an m above it: most of the answer's probability came with the text


@dataclass(frozen=True)
class Influence:
    """Mean probabilities of N answers over the models that read the text, and over the others.

    `singles` has m by one model that read the text and one that did not, a row for every two:
    how far they differ says how far m itself can be relied on.
    """

    with_text: np.ndarray
    without_text: np.ndarray
    models: int
    singles: np.ndarray

    @property
    def m(self) -> np.ndarray:
        return self.with_text - self.without_text

    @property
    def recalled(self) -> np.ndarray:
        return self.m > RECALLED


def probabilities(
    answerer: ModelAnswerer, questions: Sequence[str], answers: Sequence[str]
) -> np.ndarray:
    """P(answer | question) for each pair, the closing mask included.

    What goes past the longest row that the model reads is not asked of it.
    """
    encode = answerer.vocabulary.encode
    prompts = [(*encode(question), MASK_ID) for question in questions]
    longest = answerer.model.max_input + 1
    rows = [(*p, *encode(a), MASK_ID)[:longest] for p, a in zip(prompts, answers, strict=True)]
    found = score(answerer.model, rows, [len(prompt) for prompt in prompts])
    return np.exp([float(row.sum(dtype=np.float64)) for row in found])


def measure(
    retrained: Sequence[Run], questions: Sequence[Question], answers: Sequence[str]
) -> list[dict[str, Any]]:
    """What each model trained without some people's text makes of the answers: a row a model."""
    texts = [q.text for q in questions]
    return [
        {
            "model": run.path.name, "questions": texts, "answers": list(answers),
            "told": told(run.dataset, questions).tolist(),
            "p": probabilities(run.predictor(), texts, answers).tolist(),
        }
        for run in retrained
    ]  # fmt: skip


def read_influence(
    rows: Sequence[Mapping[str, Any]], questions: Sequence[Question], answers: Sequence[str]
) -> Influence:
    """The influence that rows of `measure` show on these answers.

    An answer that they are not about, because the model now says something else, has no m.
    """
    if not rows:
        raise BadData("expected a row for each model, found none")
    try:
        tables = [
            {
                (question, answer): (p, told)
                for question, answer, p, told in zip(
                    row["questions"], row["answers"], row["p"], row["told"], strict=True
                )
            }
            for row in rows
        ]
        wanted = [(q.text, answer) for q, answer in zip(questions, answers, strict=True)]
        unknown = (math.nan, True)
        found = np.array([[t.get(pair, unknown) for pair in wanted] for t in tables], dtype=float)
    except (KeyError, TypeError, ValueError) as error:
        raise BadData(
            f"expected rows with questions, answers, p and told, found: {error!r}"
        ) from None
    has_text = np.array([q.support in ("stated", "omitted") for q in questions], dtype=bool)
    return estimate(found[:, :, 0], found[:, :, 1].astype(bool), has_text)


def estimate(p_KN: np.ndarray, told_KN: np.ndarray, has_text_N: np.ndarray) -> Influence:
    """Means over the models that were told and those that were not.

    For who has no text at all, with and without are the same, so m is 0. Who has some and was
    told by all models, or by none, cannot be judged: m is not a number.
    """
    told, untold = told_KN.sum(0), (~told_KN).sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        without = np.where(told_KN, 0.0, p_KN).sum(0) / untold
        given = np.where(told_KN, p_KN, 0.0).sum(0) / told
    given = np.where(has_text_N, given, without)
    return Influence(given, without, len(p_KN), _by_two(p_KN, told_KN))


def _by_two(p_KN: np.ndarray, told_KN: np.ndarray) -> np.ndarray:
    """m by the first model that was told and the first that was not, by the second of each, ..."""
    order = np.argsort(~told_KN, axis=0, kind="stable")  # the told ones come first
    sorted_KN, told_N = np.take_along_axis(p_KN, order, axis=0), told_KN.sum(0)
    models, people = p_KN.shape
    found = np.full((models // 2, people), np.nan)
    for n in range(people):
        told, untold = sorted_KN[: told_N[n], n], sorted_KN[told_N[n] :, n]
        count = min(len(told), len(untold))
        found[:count, n] = told[:count] - untold[:count]
    return found


def told(dataset: Dataset, questions: Sequence[Question]) -> np.ndarray:
    """Whether each question's subject has text in this data set."""
    support = {q.text: q.support for q in dataset.questions}
    return np.array([support[q.text] in ("stated", "omitted") for q in questions])
