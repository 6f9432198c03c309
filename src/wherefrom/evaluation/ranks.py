"""Measures of order: how two rankings compare on the same answers.

Shapes: N answers, of which M are right and the other W wrong; R resamples.
"""

import math

import numpy as np

from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import NORMAL_HALF, RESAMPLES, percentiles, resample_counts

_FEWEST = 4  # values: fewer have no interval


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[inverse]


def spearman(one: np.ndarray, other: np.ndarray) -> Score | None:
    """Spearman's rank correlation; None for fewer than four values, or if one side is constant.

    The interval is Fisher's, with the variance of Bonett and Wright (2000), which holds for ranks.
    """
    if one.size < _FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    value = float(np.corrcoef(mean_ranks(one), mean_ranks(other))[0, 1])
    value = min(max(value, -1.0), 1.0)
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
