"""The evaluator: everything that answers or scores text is measured here, and only here."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Answerer, Question, Scorer
from wherefrom.core.errors import BadData, Diverged
from wherefrom.core.measures import BY_RELATION
from wherefrom.evaluation.intervals import Interval, bootstrap_mean, wilson
from wherefrom.evaluation.relations import divide

_MOST_NATS = 700  # the exponential of 710 is no number


class Score:
    """One measured number, its interval, and how many items it rests on."""

    def __init__(
        self, measure: str, value: float, interval: Interval, n: int, details: Any = None
    ) -> None:
        self.measure, self.value, self.interval, self.n = measure, value, interval, n
        self.details: dict[str, Any] = details or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Score) and vars(self) == vars(other)

    @classmethod
    def of_share(
        cls,
        measure: str,
        count: int,
        n: int,
        details: dict[str, Any] | None = None,
    ) -> "Score":
        """A share with Wilson's interval."""
        return cls(measure, count / n, wilson(count, n), n, details)

    def as_json(self) -> dict[str, Any]:
        """The value stands under its measure's name: `{"accuracy": 0.93, "interval": ...}`."""
        named = {self.measure: self.value, "interval": list(self.interval), "n": self.n}
        return named | self.details

    @classmethod
    def from_json(cls, row: Any) -> "Score":
        """The score that `as_json` wrote: its measure is the name of the first value."""
        try:
            (measure, value), *others = row.items()
            details = dict(others)
            low, high = details.pop("interval")
            n = int(details.pop("n"))
            return cls(str(measure), float(value), (float(low), float(high)), n, details)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"expected a value, its interval and n, found: {error!r}") from None


def evaluate_answers(
    answerer: Answerer, questions: Sequence[Question]
) -> tuple[Score, AnswerTable]:
    """Ask every question closed-book; right is an accepted answer, character by character."""
    if not questions:
        raise BadData("questions: expected at least one to evaluate, found none")
    for question in questions:
        gold_answer(question)
    answers = answerer.answer([question.text for question in questions])
    predictions = AnswerTable.of(questions, answers)
    return accuracy(predictions), predictions


def accuracy(predictions: AnswerTable) -> Score:
    """The share that is right, with Wilson's interval: also of predictions read from a file.

    Where the questions ask for several relations, the details have the score of each.
    """
    if not len(predictions):
        raise BadData("predictions: expected at least one to score, found none")
    right = int(predictions.right.sum())
    details: dict[str, Any] = {"correct": right}
    if parts := divide(predictions.relations):
        details[BY_RELATION] = {
            name: accuracy(predictions.rows(at)).as_json() for name, at in parts.items()
        }
    return Score.of_share("accuracy", right, len(predictions), details)


def gold_answer(question: Question) -> str:
    """The answer of a question that must have one."""
    if question.answer is None:
        raise BadData(
            f"question '{question.text}': expected its answer, found none; "
            "it can be asked but not scored"
        )
    return question.answer


@dataclass(frozen=True)
class ScoredText:
    """A text as a Scorer reads it, and what is to be reported about it beside the score."""

    targets: Any
    details: dict[str, Any] = field(default_factory=dict[str, Any])


def evaluate_text(scorer: Scorer, text: ScoredText) -> Score:
    """Perplexity: exp of the mean negative log-probability of a text's targets.

    The interval is taken in nats, where losses are averaged, and only then exponentiated.
    """
    losses = -np.asarray(scorer.log_probabilities(text.targets), dtype=np.float64).ravel()
    return perplexity(losses, text.details)


def perplexity(losses: np.ndarray, about: Mapping[str, Any]) -> Score:
    """The perplexity of losses in nats, one for each target, with further details to report."""
    if losses.size < 2:
        raise BadData(f"text: expected at least 2 targets to score, found {losses.size}")
    if not np.isfinite(losses).all():
        first = int(np.flatnonzero(~np.isfinite(losses))[0])
        raise BadData(
            f"text: expected a finite log-probability for every target, found {-losses[first]} "
            f"for number {first}; perplexity has no value"
        )
    nats = float(losses.mean())
    low, high = bootstrap_mean(losses)
    details = {"nats_per_target": nats, "bits_per_target": nats / math.log(2), **about}
    interval = (exponentiate(low), exponentiate(high))
    return Score("perplexity", exponentiate(nats), interval, losses.size, details)


def exponentiate(nats: float) -> float:
    """A perplexity; Diverged if the loss is too large to have one."""
    if nats > _MOST_NATS:
        raise Diverged(
            f"text: expected at most {_MOST_NATS} nats for a target, found {nats:.3g}; the model "
            "has diverged: train it with a lower learning rate"
        )
    return math.exp(nats)
