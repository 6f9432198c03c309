"""Measures of selective prediction and of order: risk against coverage, AUROC, rank correlation.

A score is good if it ranks right answers above wrong ones (Geifman and El-Yaniv 2017). Only the
order of the scores counts, so any monotone scale gives the same result. Equal scores are answered
together.
Shapes: N answers, of which M are right and the other W wrong; R resamples.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import (
    NORMAL_HALF,
    RESAMPLES,
    Interval,
    percentiles,
    resample,
    resample_counts,
)
from wherefrom.evaluation.outcomes import check_outcomes

_FEWEST = 4  # values: fewer have no rank correlation with an interval
_AT_ONCE = 4  # one block of the generator gives this many draws


@dataclass(frozen=True)
class RiskCoverage:
    """The share that is wrong (`risk`) if the share with the best scores (`coverage`) is answered.

    There is one point for each different score, from the strictest threshold to answering
    everything. `area` (AURC) is the mean risk over all coverages from 0 to 1; a coverage that no
    threshold reaches has the risk of the next larger coverage that one reaches. Without ties this
    is the mean over k of the risk of the k best answers; if all scores are equal, it is the overall
    risk. `interval` is that of the area (bootstrap over the answers). `least_area` is the area of
    a perfect score, which ranks every right answer above every wrong one; no score has a smaller
    area.
    """

    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    area: float
    least_area: float
    n: int
    interval: Interval | None = None


@dataclass(frozen=True)
class AreaDifference:
    """The area of one score minus the area of another; below 0, the first score is better.

    Both are measured on the same answers. The p-value is two-sided; the null is no difference.
    """

    difference: float
    interval: Interval
    p_value: float
    n: int


def risk_coverage(score: np.ndarray, right: np.ndarray, resamples: int = 0) -> RiskCoverage:
    """The curve; with `resamples`, its area has an interval."""
    s, wrong = _checked(score, right)
    ranking = _Ranking(s)
    covered, missed = ranking.cumulate(np.ones(s.size), wrong)
    least = np.cumsum(np.sort(wrong)) / np.arange(1, s.size + 1)
    return RiskCoverage(
        coverage=tuple((covered / s.size).tolist()),
        risk=tuple((missed / covered).tolist()),
        area=ranking.area(np.ones(s.size), wrong),
        least_area=float(least.mean()),
        n=s.size,
        interval=percentiles(_measure(lambda w: ranking.area(w, w * wrong), s.size, resamples))
        if resamples
        else None,
    )


def compare_areas(
    score: np.ndarray, other: np.ndarray, right: np.ndarray, resamples: int = RESAMPLES
) -> AreaDifference:
    """Compare both areas on the same resampled answers (paired bootstrap, percentile interval).

    The answers must be about different people: two answers about one person are not independent.
    """
    (a, wrong), (b, _) = _checked(score, right), _checked(other, right)
    ranks, n = (_Ranking(a), _Ranking(b)), a.size

    def difference(weight: np.ndarray) -> float:
        first, second = (rank.area(weight, weight * wrong) for rank in ranks)
        return first - second

    sample = _measure(difference, n, resamples)
    side = min(int((sample <= 0).sum()), int((sample >= 0).sum()))
    p_value = min(1.0, 2 * (1 + side) / (1 + resamples))
    return AreaDifference(difference(np.ones(n)), percentiles(sample), p_value, n)


def _measure(measure: Callable[[np.ndarray], float], n: int, resamples: int) -> np.ndarray:
    """What is measured on answers drawn with replacement; it is given how often each was drawn."""
    drawn = resample(n, stage=2, resamples=resamples, at_once=_AT_ONCE)
    return np.array([measure(np.bincount(items, minlength=n)) for items in drawn])


def auroc(score: np.ndarray, right: np.ndarray) -> Score | None:
    """The probability that a right answer scores above a wrong one; a tie counts half.

    None if there are no right answers or no wrong ones.
    """
    s, wrong = _checked(score, right)
    m, n = int((wrong == 0).sum()), int(wrong.sum())
    if not m or not n:
        return None
    value = float((scipy.stats.rankdata(s)[wrong == 0].sum() - m * (m + 1) / 2) / (m * n))
    interval = (_auroc_end(value, m, n, 0.0), _auroc_end(value, m, n, 1.0))
    return Score("auroc", value, interval, s.size, {"right": m, "wrong": n})


def _auroc_end(value: float, m: int, n: int, end: float) -> float:
    """One end of Newcombe's interval (2006, part 2, method 5).

    As in Wilson's interval for a share, the variance (Hanley and McNeil's) is taken at each AUROC
    that is tested, not at the observed one. So the interval stays within 0 and 1, and it has a
    width even if the scores separate right from wrong perfectly, unlike DeLong's.
    """

    def beyond(area: float) -> float:
        """Above 0 where the tested AUROC lies outside the interval."""
        spread = 1 + ((m + n) / 2 - 1) * ((1 - area) / (2 - area) + area / (1 + area))
        return (area - value) ** 2 - NORMAL_HALF**2 * area * (1 - area) * spread / (m * n)

    # At 0 and at 1 the variance is 0: the search begins a little off the observed AUROC.
    return float(scipy.optimize.brentq(beyond, value + 1e-9 * (end - value), end))


class _Ranking:
    """Answers from the best score to the worst, and the last place of each score."""

    def __init__(self, score: np.ndarray) -> None:
        self.order = np.argsort(-score, kind="stable")
        ranked = score[self.order]
        self.ends = np.flatnonzero(np.append(ranked[:-1] != ranked[1:], True))

    def cumulate(self, weight: np.ndarray, wrong: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The weights of answered and of wrong answers at each threshold."""
        covered, missed = weight[self.order].cumsum(), wrong[self.order].cumsum()
        return covered[self.ends], missed[self.ends]

    def area(self, weight: np.ndarray, wrong: np.ndarray) -> float:
        covered, missed = self.cumulate(weight, wrong)
        risk = missed / np.maximum(covered, 1)  # a resample may leave the best answers out
        return float(np.diff(covered, prepend=0) @ risk / covered[-1])


def _checked(score: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores, and 1 for each wrong answer."""
    s, is_right = check_outcomes(np.asarray(score, dtype=np.float64), right)
    if np.isnan(s).any():
        raise ValueError("expected scores that can be ordered, found one that is not a number")
    return s, 1.0 - is_right


# -- order ---------------------------------------------------------------------------------


def spearman(one: np.ndarray, other: np.ndarray) -> Score | None:
    """Spearman's rank correlation; None for fewer than four values, or if one side is constant.

    The interval is Fisher's, with the variance of Bonett and Wright (2000), which holds for ranks.
    """
    if one.size < _FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    value = min(max(float(scipy.stats.spearmanr(one, other).statistic), -1.0), 1.0)
    half = NORMAL_HALF * math.sqrt((1 + value**2 / 2) / (one.size - 3))
    centre = math.atanh(value) if abs(value) < 1 else math.copysign(math.inf, value)
    return Score(
        "spearman", value, (math.tanh(centre - half), math.tanh(centre + half)), int(one.size)
    )


def compare_aurocs(
    score: np.ndarray, other: np.ndarray, right: np.ndarray, resamples: int = RESAMPLES
) -> Score | None:
    """The AUROC of one score minus that of another, on the same answers; above 0, it is better.

    The interval is a percentile interval of a paired bootstrap over the answers. None if there are
    no right answers or no wrong ones.
    """
    good = np.asarray(right, dtype=bool)
    if not good.any() or good.all():
        return None
    above_MW = _above(score, good) - _above(other, good)
    weight_RN = resample_counts(good.size, resamples)
    right_RM, wrong_RW = weight_RN[:, good], weight_RN[:, ~good]
    total_R = right_RM.sum(1) * wrong_RW.sum(1)
    kept = total_R > 0  # a resample may have no wrong answer
    found_R = ((right_RM[kept] @ above_MW) * wrong_RW[kept]).sum(1) / total_R[kept]
    return Score("difference", float(above_MW.mean()), percentiles(found_R), good.size)


def _above(score: np.ndarray, good: np.ndarray) -> np.ndarray:
    """(M, W): 1 where a right answer scores above a wrong one, 1/2 where they are equal."""
    right_M1, wrong_1W = score[good][:, None], score[~good][None, :]
    return (right_M1 > wrong_1W) + 0.5 * (right_M1 == wrong_1W)
