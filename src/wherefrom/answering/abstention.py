"""Abstention: when to say "I don't know", by a threshold on the calibrated probability.

A `Threshold` is chosen on calibration questions and applied to others. `choose_threshold` aims at
a precision; `risk_bound.py` chooses a threshold with a certified bound on the risk. Both return
the same type, so the code that applies a threshold need not know how it was chosen. Each relation
that questions ask for has a threshold of its own (`Thresholds`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.answering.policy import (
    DECLINE_ALL,
    NOT_CALIBRATED,
    Threshold,
    Thresholds,
    decline_all,
)
from wherefrom.core.measures import BY_RELATION, POOLED, UNVERIFIED, WHY_NOT
from wherefrom.core.plurals import plural
from wherefrom.core.sample_size import DOUBT, least_answers, say_least
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.outcomes import check_probabilities
from wherefrom.evaluation.relations import group

LEAST_SURE = 0.7  # no verified answer is given with a lower confidence, whatever the threshold
SPARED = 0.04  # the share of all right answers that may be withheld to be stricter than asked
STRICTEST = 0.99  # strictness alone does not ask for more


def choose_threshold(
    score: np.ndarray,
    right: np.ndarray,
    precision: float = 0.95,
    floor: float = 0.0,
    doubt: float | None = None,
    worst: float | None = None,
) -> Threshold:
    """The smallest threshold whose answers have at least this precision on these questions.

    The threshold is never 0 and never below `floor`: with a floor of 0.5, no answer is given that
    is likelier wrong than right, even if the calibration questions would have allowed it. Only
    observed scores are tried, and the floor if every one above it reaches the target; equal scores
    are answered or withheld together. Precision need not rise with the threshold; of all thresholds
    that reach the target, the one that answers most is chosen. The precision is observed, not
    guaranteed: on other questions it may be lower. If no threshold reaches the target, everything
    is withheld.

    With `doubt`, a precision that was observed by luck does not count: there must be enough
    answers that a threshold below the target would do as well with at most this probability.
    Otherwise a guess that is right 8 times in 10 would pass for 9 in 10 where, among many
    thresholds, a few answers happen to be right. `worst` is a risk to exclude instead of that of
    the target: 0.5 for answers that need only be likelier right than wrong.
    """
    alpha = 1 - precision if worst is None else worst
    p, is_right = check_probabilities(score, right)
    order = np.argsort(-p, kind="stable")
    ranked = p[order]
    answered = np.arange(1, p.size + 1)
    correct = np.cumsum(is_right[order])
    reached = correct / answered
    last_of_equals = np.append(ranked[:-1] != ranked[1:], True)
    allowed = last_of_equals & (ranked >= floor) & (ranked > 0)
    good = np.flatnonzero(allowed & (reached >= precision))
    if doubt is not None and precision < 1:  # no number of answers shows that all are right
        good = _beyond_doubt(good, answered - correct, alpha, doubt)
    if not good.size:
        tried = np.flatnonzero(allowed)
        shown = None if doubt is None or precision == 1 else (alpha, doubt)
        why = _explain(tried, answered, correct, float(ranked[0]), precision, floor, shown)
        return decline_all(precision, p.size, why)
    end = int(good[-1])
    share = float(answered[end] / p.size)
    loosest = end == np.flatnonzero(allowed)[-1]
    value = floor if loosest and floor > 0 else float(ranked[end])
    return Threshold(value, precision, share, float(reached[end]), p.size)


def choose_thresholds(
    score: np.ndarray,
    right: np.ndarray,
    parts: Mapping[str, np.ndarray],
    precision: float = 0.95,
    floor: float = 0.0,
) -> Thresholds:
    """A threshold for each relation, whose answers are at the places that `parts` has.

    One threshold for all would let the easy relation's guesses through, if the others' answers are
    so sure that the precision over all reaches the target. What reaches it by luck does not count.
    """
    each = {
        relation: choose_threshold(score[at], right[at], precision, floor, DOUBT)
        for relation, at in parts.items()
    }
    return combine_thresholds(each, score, right, parts, precision)


def tighten(chosen: Threshold, score: np.ndarray, right: np.ndarray) -> Threshold:
    """A stricter threshold, in whole percent, where that withholds few right answers.

    A target that is reached easily lets guesses through: people whose text omits the answer are few
    among calibration questions, and a model that was trained for long is surer of some others. If
    the model is far surer of nearly all that it knows, declining the rest costs little. So up to a
    share SPARED of the right answers is withheld, those counted that were withheld anyway. A
    threshold that several relations share stays; so does one whose fewer answers would leave it
    open whether the target is reached by luck.
    """
    known = np.sort(score[right])
    place = int(SPARED * (known.size + 1)) - 1  # a share SPARED of other right answers lies below
    value = min(float(np.floor(100 * known[place])) / 100, STRICTEST) if place >= 0 else 0.0
    given = score >= value
    if value <= chosen.value or chosen.value >= DECLINE_ALL or chosen.pooled:
        return chosen
    if not _is_shown(int(given.sum()), int((given & ~right).sum()), 1 - chosen.precision_target):
        return chosen
    share, precision = float(given.mean()), float(right[given].mean())
    return replace(chosen, value=value, answered_share=share, precision=precision)


def combine_thresholds(
    each: Mapping[str, Threshold],
    score: np.ndarray,
    right: np.ndarray,
    parts: Mapping[str, np.ndarray],
    precision: float,
) -> Thresholds:
    """The thresholds of relations, and what they do to all calibration questions."""
    over_all = decline_all(precision, np.size(score), NOT_CALIBRATED)
    relations = np.empty(np.size(score), dtype=object)
    for relation, places in parts.items():
        relations[places] = relation
    given = Thresholds(over_all, each).answers(score, relations.tolist())
    if given.any():
        observed = float(np.asarray(right, dtype=bool)[given].mean())
        over_all = replace(over_all, answered_share=float(given.mean()), precision=observed)
    return Thresholds.join(each, over_all)


def _beyond_doubt(good: np.ndarray, wrong: np.ndarray, alpha: float, doubt: float) -> np.ndarray:
    """The places in `good` up to the last one that chance does not explain."""
    for i in range(good.size - 1, -1, -1):
        end = int(good[i])
        if _is_shown(end + 1, int(wrong[end]), alpha, doubt):
            return good[: i + 1]
    return good[:0]


def _is_shown(answered: int, wrong: int, alpha: float, doubt: float = DOUBT) -> bool:
    """Whether answers with the risk alpha would hardly have as few mistakes."""
    return bool(scipy.special.bdtr(wrong, answered, alpha) <= doubt)


def _explain(
    tried: np.ndarray,
    answered: np.ndarray,
    correct: np.ndarray,
    highest: float,
    precision: float,
    floor: float,
    shown: tuple[float, float] | None,
) -> str:
    """Why no threshold reaches the target.

    `tried` are the places where one could have been, `highest` is the highest score, `shown` the
    risk and the doubt with which it must be shown, if it must.
    """
    target, n = f"{100 * precision:g} %", answered.size
    fewest = least_answers(*shown) if shown else 1
    needed = say_least(*shown) if shown else "a right answer"
    asked = f"{n} calibration {plural('question', n)}"
    if n < fewest:
        are = "is" if n == 1 else "are"
        return f"{asked} {are} too few for a threshold: it takes {needed}"
    if not tried.size:
        if not highest:
            return f"the model knows none of the names in the {asked}"
        return (
            f"no answer to the {asked} has a confidence of {100 * floor:g} % or "
            f"more (the highest is {_below(highest, floor)})"
        )
    enough = tried[answered[tried] >= fewest]
    if not enough.size:
        most = int(answered[tried[-1]])
        get = "gets" if most == 1 else "get"
        return (
            f"only {most} of the {asked} {get} an answer whose confidence is "
            f"{100 * floor:g} % or more, and {target} takes {needed}"
        )
    best = int(enough[np.argmax(correct[enough] / answered[enough])])
    share, wrong = float(correct[best] / answered[best]), int(answered[best] - correct[best])
    if share < precision:
        return (
            f"no threshold reaches {target} on the {asked} "
            f"(the best reaches {_below(share, precision)})"
        )
    return (
        f"no threshold reaches {target} on the {asked} by more than luck "
        f"(the best has {correct[best]} of {answered[best]} answers right; with {wrong} wrong it "
        f"takes {least_answers(*shown, wrong) if shown else fewest})"
    )


def _below(share: float, target: float) -> str:
    """A share below the target, with as many digits as it takes to see that."""
    for digits in range(3):
        text = f"{100 * share:.{digits}f}"
        if float(text) < 100 * target:
            return f"{text} %"
    return f"less than {100 * target:g} %"


def apply(
    thresholds: Thresholds, score: np.ndarray, right: np.ndarray, relations: Sequence[str]
) -> dict[str, Score]:
    """What the thresholds do to other questions: `answered_share` and `precision`.

    If nothing is answered, precision has no value and is left out. With several relations, the
    details have the same for each of them.
    """
    p, is_right = check_probabilities(score, right)
    found = report_answered(thresholds.answers(p, relations), is_right)
    if not thresholds.several:
        return _say_why(found, thresholds.overall)
    for relation, places in group(relations).items():
        own = thresholds.of(relation)
        each = _say_why(report_answered(own.answers(p[places]), is_right[places]), own)
        for name, part in each.items():
            found[name].details.setdefault(BY_RELATION, {})[relation] = part.as_json()
    return found


def report_answered(given: np.ndarray, right: np.ndarray) -> dict[str, Score]:
    """The share of answers that is given and, if any is, the share of these that is right."""
    answered, correct = int(given.sum()), int((given & right).sum())
    scores = {"answered_share": Score.of_share("answered_share", answered, given.size)}
    if answered:
        scores["precision"] = Score.of_share("precision", correct, answered)
    return scores


def _say_why(found: dict[str, Score], threshold: Threshold) -> dict[str, Score]:
    said = {WHY_NOT: threshold.why_not, UNVERIFIED: threshold.unverified, POOLED: threshold.pooled}
    found["answered_share"].details.update({name: why for name, why in said.items() if why})
    return found


def report_declined(given: np.ndarray, relations: Sequence[str] | None) -> Score:
    """The share of answers that is not given; with several relations, the details have each one's.

    For people without text it should be 1.
    """

    def share(which: np.ndarray) -> Score:
        return Score.of_share("refused_share", int((~which).sum()), which.size)

    found = share(given)
    if relations is not None:
        each = {name: share(given[at]).as_json() for name, at in group(relations).items()}
        found.details[BY_RELATION] = each
    return found
