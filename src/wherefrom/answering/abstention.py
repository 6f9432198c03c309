"""When to say "I don't know": a threshold on the calibrated probability.

A `Threshold` is chosen on calibration people and applied to others. How it is chosen is one
function's business; what applies it needs only its value, so a choice with a certified bound
on the risk can stand beside this one.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import wilson

REFUSE_ALL = 2.0  # no probability reaches it, and JSON can hold it


@dataclass(frozen=True)
class Threshold:
    """Answer where the probability is at least `value`; the rest is what it did when chosen.

    `precision` is None when it refused everything, `n` the answers it was chosen on.
    """

    value: float
    precision_target: float
    answered_share: float
    precision: float | None
    n: int

    def answers(self, probability: np.ndarray) -> np.ndarray:
        """Whether each answer is given; never one without a chance, or whose chance is unknown."""
        p = np.asarray(probability, dtype=np.float64)
        return (p >= self.value) & (p > 0)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Threshold":
        missing = [f.name for f in fields(cls) if f.name not in data]
        if missing:
            raise BadData(f"threshold: expected the field '{missing[0]}', found none")
        precision = data["precision"]
        try:
            return cls(
                float(data["value"]), float(data["precision_target"]),
                float(data["answered_share"]), None if precision is None else float(precision),
                int(data["n"]),
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            raise BadData(f"threshold: expected numbers, found: {error}") from None


def choose_threshold(
    probability: np.ndarray, right: np.ndarray, precision: float = 0.95, floor: float = 0.0
) -> Threshold:
    """The smallest threshold whose answers have at least that precision on these people.

    It is never under `floor`: at 0.5, no answer is given that is likelier wrong than right,
    even where those people would have allowed it; and never 0. Only the observed ones are tried,
    and equal ones are answered or refused together. Precision may dip again above the chosen
    value: the one that answers most is taken. It is the precision seen, not one promised: on
    other people it may be lower. When no threshold does, everything is refused.
    """
    if not 0 < precision <= 1:
        raise ValueError(f"expected a precision above 0, at most 1, found {precision}")
    p, is_right = _checked(probability, right)
    order = np.argsort(-p, kind="stable")
    ranked = p[order]
    answered = np.arange(1, p.size + 1)
    reached = np.cumsum(is_right[order]) / answered
    last_of_equals = np.append(ranked[:-1] != ranked[1:], True)
    good = np.flatnonzero(
        last_of_equals & (reached >= precision) & (ranked >= floor) & (ranked > 0)
    )
    if not good.size:
        return Threshold(REFUSE_ALL, precision, 0.0, None, p.size)
    end = int(good[-1])
    share = float(answered[end] / p.size)
    return Threshold(float(ranked[end]), precision, share, float(reached[end]), p.size)


def apply(
    threshold: Threshold, probability: np.ndarray, right: np.ndarray, level: float = 0.95
) -> dict[str, Score]:
    """What the threshold does to other people: `answered_share`, and `precision` among those.

    Precision is left out when nothing was answered: it has no value then.
    """
    p, is_right = _checked(probability, right)
    given = threshold.answers(p)
    answered, correct = int(given.sum()), int((given & is_right).sum())
    scores = {"answered_share": _share("answered_share", answered, p.size, level)}
    if answered:
        scores["precision"] = _share("precision", correct, answered, level)
    return scores


def refused(threshold: Threshold, probability: np.ndarray, level: float = 0.95) -> Score:
    """The share of these answers that is withheld, as wanted of people without text."""
    p, _ = _checked(probability, np.zeros(np.shape(probability), dtype=bool))
    return _share("refused_share", int((~threshold.answers(p)).sum()), p.size, level)


def _share(measure: str, count: int, n: int, level: float) -> Score:
    return Score(measure, count / n, wilson(count, n, level), n)


def _checked(probability: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p, is_right = np.asarray(probability, dtype=np.float64), np.asarray(right, dtype=bool)
    if p.ndim != 1 or p.shape != is_right.shape:
        raise ValueError(f"expected one list of answers, found {p.shape} and {is_right.shape}")
    if not p.size:
        raise BadData("abstention: expected at least one answer with a probability, found none")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("expected probabilities from 0 to 1")
    return p, is_right
