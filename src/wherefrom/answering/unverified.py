"""Relations whose calibration questions show no threshold: pooled with others, or unverified.

A threshold is *shown* to keep the risk if answers below the target would do as well with a
probability of at most `DOUBT`. Where a relation has too few questions for that, two things are
tried. Several such relations share a threshold, if it is shown for their questions together and
refuted for none of them. Otherwise answers are given as *unverified*: the score is the model's own
probability, and nothing is promised about it. docs/TRUST.md defines the word.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.answering.abstention import choose_threshold, combine_thresholds, tighten
from wherefrom.answering.policy import (
    DECLINE_ALL,
    EVEN_ODDS,
    NOT_CALIBRATED,
    Threshold,
    Thresholds,
)
from wherefrom.core.sample_size import DOUBT, least_answers
from wherefrom.evaluation.relations import group


@dataclass(frozen=True)
class CalibrationAnswers:
    """Answers to calibration questions.

    Each has its calibrated `score`, the model's `own` probability (both 0 for unknown names),
    whether it is `right`, and whom it is about; `parts` has the places of each relation's answers.
    """

    score: np.ndarray
    own: np.ndarray
    right: np.ndarray
    subjects: Sequence[str]
    parts: Mapping[str, np.ndarray]


def settle_thresholds(
    chosen: Thresholds, answers: CalibrationAnswers, every: Iterable[str], floor: float
) -> Thresholds:
    """The chosen thresholds, and others where nothing was shown; `every` has all relations.

    The relations that are pooled are those with few questions, whatever their answers are: had
    they been picked by their answers, the test would show nothing.
    """
    each, parts, target = dict(chosen.by_relation), answers.parts, chosen.overall.precision_target
    few = {name: places for name, places in parts.items() if places.size < fewest_questions(target)}
    if common := _pool(few, answers, target, floor):
        each |= dict.fromkeys(few, common)
    score = np.array(answers.score)
    for name, places in parts.items():
        own, right = answers.own[places], answers.right[places]
        each[name] = _settle(each[name], score[places], own, right, floor)
        if each[name].unverified is not None:
            score[places] = own
    unasked = Threshold(floor, target, 0.0, None, 0, unverified=NOT_CALIBRATED)
    each |= {name: unasked for name in every if name not in each}
    return combine_thresholds(each, score, answers.right, parts, target)


def _settle(
    chosen: Threshold, score: np.ndarray, own: np.ndarray, right: np.ndarray, floor: float
) -> Threshold:
    """The chosen threshold, tightened, or, if it withholds everything, one for unverified answers.

    Everything stays withheld where the questions are enough to show a threshold, and none that
    answers as many as it takes reaches the precision.
    """
    if chosen.value < DECLINE_ALL:
        return tighten(chosen, score, right)
    n, target = right.size, chosen.precision_target
    reached = n and choose_threshold(score, right, target).answered_share * n
    if round(reached) < fewest_questions(target) <= n:
        return chosen
    return _choose_own(chosen, own, right, floor)


def _choose_own(chosen: Threshold, own: np.ndarray, right: np.ndarray, floor: float) -> Threshold:
    """A threshold on the model's own probability, or the chosen one if none reaches the target.

    It reaches the precision on the questions that there are, and they show that its answers are
    likelier right than wrong: no more. A model's own probability of a long answer may be low
    although the answer is right, so the floor counts only where the questions are too few to show
    even that.
    """
    n, target = right.size, chosen.precision_target
    if n < least_answers(EVEN_ODDS):
        few = Threshold(floor, target, 0.0, None, n, unverified=chosen.why_not)
        return few if right.all() else chosen
    found = choose_threshold(own, right, target, doubt=DOUBT, worst=EVEN_ODDS)
    if found.value >= DECLINE_ALL:
        return found
    # The precision may leave room for a wrong answer at the end, but nothing speaks for one.
    least = float(own[right & (own >= found.value)].min())
    given = own >= least
    share, observed = float(given.mean()), float(right[given].mean())
    return Threshold(least, target, share, observed, n, unverified=chosen.why_not)


def fewest_questions(precision: float) -> int:
    """The calibration questions that show a threshold if all answers are right."""
    return least_answers(1 - precision) if precision < 1 else 0


def _pool(
    few: Mapping[str, np.ndarray], answers: CalibrationAnswers, precision: float, floor: float
) -> Threshold | None:
    """One threshold for relations with few questions each; None if it is not shown.

    One question about each subject counts: those about one subject may be right or wrong together,
    and would look like more than they are. So pooling helps where relations are about different
    subjects.
    """
    if len(few) < 2:
        return None
    score, right = answers.score, answers.right
    places = np.concatenate(list(few.values()))
    about = group([answers.subjects[int(i)] for i in places])
    # Each subject's in turn, so that every relation has its share whoever is right.
    counted = places[[at[i % at.size] for i, at in enumerate(about.values())]]
    found = choose_threshold(score[counted], right[counted], precision, floor, DOUBT)
    if found.value >= DECLINE_ALL:
        return None
    given = score >= found.value
    refuted = any(_is_refuted(given[at], right[at], precision) for at in few.values())
    return None if refuted else replace(found, pooled=True)


def _is_refuted(given: np.ndarray, right: np.ndarray, precision: float) -> bool:
    """Whether more of the given answers are wrong than bad luck explains."""
    wrong = int((given & ~right).sum())
    as_many = scipy.special.bdtrc(wrong - 1, int(given.sum()), 1 - precision)
    return bool(as_many <= DOUBT)
