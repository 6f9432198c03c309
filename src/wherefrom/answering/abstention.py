"""Abstention: when to say "I don't know", by a threshold on the calibrated probability.

A `Threshold` is chosen on calibration questions and applied to others. `choose_threshold` aims at
a precision; `risk_bound.py` chooses a threshold with a certified bound on the risk. Both return
the same type, so the code that applies a threshold need not know how it was chosen.
"""

from dataclasses import dataclass

import numpy as np

from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.outcomes import check_probabilities

EVEN_ODDS = 0.5  # with a lower confidence, an answer is likelier wrong than right
REFUSE_ALL = 2.0  # above every probability; JSON has no infinity


@dataclass(frozen=True)
class Threshold:
    """Answer where the score is at least `value`; the other fields describe how it was chosen.

    It was chosen on `n` answers: `answered_share` of them were given, and `precision` of those
    were right. `precision` is None when all answers were withheld.
    """

    value: float
    precision_target: float
    answered_share: float
    precision: float | None
    n: int

    def __post_init__(self) -> None:
        shares = (self.value, self.precision_target, self.answered_share, self.precision or 0.0)
        if not np.isfinite(shares).all():
            raise BadData(f"threshold: expected finite numbers, found {self}")

    def answers(self, score: np.ndarray) -> np.ndarray:
        """Whether each answer is given; an answer whose score is 0 or NaN never is."""
        p = np.asarray(score, dtype=np.float64)
        return (p >= self.value) & (p > 0)


def choose_threshold(
    score: np.ndarray, right: np.ndarray, precision: float = 0.95, floor: float = 0.0
) -> Threshold:
    """The smallest threshold whose answers have at least this precision on these questions.

    The threshold is never 0 and never below `floor`: with a floor of 0.5, no answer is given that
    is likelier wrong than right, even if the calibration questions would have allowed it. Only
    observed scores are tried, and equal scores are answered or withheld together. Precision need
    not rise with the threshold; of all thresholds that reach the target, the one that answers
    most is chosen. The precision is observed, not guaranteed: on other questions it may be lower.
    If no threshold reaches the target, everything is withheld.
    """
    if not 0 < precision <= 1:
        raise ValueError(f"expected a precision above 0, at most 1, found {precision}")
    p, is_right = check_probabilities(score, right)
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
    threshold: Threshold, score: np.ndarray, right: np.ndarray, level: float = 0.95
) -> dict[str, Score]:
    """What the threshold does to other questions: `answered_share` and `precision`.

    If nothing is answered, precision has no value and is left out.
    """
    p, is_right = check_probabilities(score, right)
    given = threshold.answers(p)
    answered, correct = int(given.sum()), int((given & is_right).sum())
    scores = {"answered_share": Score.of_share("answered_share", answered, p.size, level)}
    if answered:
        scores["precision"] = Score.of_share("precision", correct, answered, level)
    return scores


def refused(threshold: Threshold, score: np.ndarray, level: float = 0.95) -> Score:
    """The share of these answers that is withheld; for people without text it should be 1."""
    p, _ = check_probabilities(score, np.zeros(np.shape(score), dtype=bool))
    withheld = int((~threshold.answers(p)).sum())
    return Score.of_share("refused_share", withheld, p.size, level)
