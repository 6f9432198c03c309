"""Intervals for what is measured on a few dozen people or a few seeds.

At these sizes the textbook "plus or minus two standard errors" leaves [0, 1] and is empty for
a perfect score, so every interval here is of a kind that stays honest when n is small.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.core.randomness import Stream, below, draws

Interval = tuple[float, float]

LEVEL = 0.95  # of every interval
RESAMPLES = 2000
MOST_BLOCKS = 1000
_UPPER = (1 + LEVEL) / 2  # the probability below the upper end of a central interval
NORMAL_HALF = NormalDist().inv_cdf(_UPPER)  # standard errors from the centre to an end


def wilson(successes: int, n: int) -> Interval:
    """Wilson's score interval for a share; everything from 0 to 1 when nothing was counted."""
    if not 0 <= successes <= n:
        raise ValueError(f"expected 0 to {n} successes, found {successes}")
    if n == 0:
        return 0.0, 1.0
    share, spread = successes / n, NORMAL_HALF * NORMAL_HALF / n
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(share * (1 - share) * spread + spread**2 / 4) / (1 + spread)
    # All right reaches 1 exactly; rounding would leave it a hair inside or outside.
    return centre - half, 1.0 if successes == n else centre + half


def mean_interval(values: Sequence[float] | np.ndarray) -> Interval:
    """Student's t interval for the mean of a few runs; one run alone says nothing of spread."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.size < 2:
        raise ValueError(f"an interval for a mean needs at least 2 values, found {sample.size}")
    error = float(sample.std(ddof=1)) / math.sqrt(sample.size)
    half = student_quantile(_UPPER, sample.size - 1) * error
    return float(sample.mean()) - half, float(sample.mean()) + half


def student_quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's t."""
    return float(scipy.special.stdtrit(freedom, probability))


def paired_counts(
    correct_a: Sequence[bool] | np.ndarray, correct_b: Sequence[bool] | np.ndarray
) -> tuple[int, int, int, int]:
    """How many items both got right, only a, only b, and neither."""
    a, b = np.asarray(correct_a, dtype=bool), np.asarray(correct_b, dtype=bool)
    pairs = (a & b, a & ~b, ~a & b, ~a & ~b)
    both, only_a, only_b, neither = (int(pair.sum()) for pair in pairs)
    return both, only_a, only_b, neither


def paired_difference(
    correct_a: Sequence[bool] | np.ndarray, correct_b: Sequence[bool] | np.ndarray
) -> tuple[float, Interval]:
    """Accuracy of a minus accuracy of b on the same items, and its interval.

    Newcombe's paired score interval (1998, method 10): Wilson's intervals of the two shares,
    put together with the correlation of the pairs. It stays within -1 and 1 and keeps a width
    when the two never disagree, where a bootstrap or a normal interval has none. The price:
    where they seldom disagree, a 95 % interval of a dozen items holds the truth in 99 %.
    """
    both, only_a, only_b, neither = paired_counts(correct_a, correct_b)
    n = both + only_a + only_b + neither
    right_a, right_b = both + only_a, both + only_b
    a, b, difference = right_a / n, right_b / n, (only_a - only_b) / n
    (low_a, high_a), (low_b, high_b) = wilson(right_a, n), wilson(right_b, n)
    phi = _correlation(both, only_a, only_b, neither)
    down = _joint(a - low_a, high_b - b, phi)
    up = _joint(high_a - a, b - low_b, phi)
    return difference, (difference - down, difference + up)


def _correlation(both: int, only_a: int, only_b: int, neither: int) -> float:
    """Phi of the pairs; a positive one is corrected for continuity, a constant side has none."""
    n = both + only_a + only_b + neither
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    excess = both * neither - only_a * only_b
    if excess > 0:
        excess = max(excess - n / 2, 0)
    return excess / math.sqrt(margins) if margins else 0.0


def _joint(first: float, second: float, phi: float) -> float:
    return math.sqrt(max(first**2 - 2 * phi * first * second + second**2, 0.0))


def bootstrap_mean(values: Sequence[float] | np.ndarray) -> Interval:
    """Percentile interval of the mean of per-item values, such as log-losses.

    Past a thousand values, whole runs of neighbours are drawn instead of single ones: it costs
    the same for any text, and neighbouring characters are not independent. The draws are
    counted, so the interval is a function of the values.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size < 2:
        raise ValueError(f"an interval for a mean needs at least 2 values, found {sample.size}")
    starts = np.arange(0, sample.size, -(-sample.size // MOST_BLOCKS))
    sizes = np.diff(starts, append=sample.size)
    centre = sample.mean()  # sums of deviations, so that a large common part costs no digits
    sums = np.add.reduceat(sample - centre, starts)
    drawn = resample(starts.size, stage=0)
    means = np.array([sums[chosen].sum() / sizes[chosen].sum() for chosen in drawn])
    low, high = percentiles(means)
    return float(centre + low), float(centre + high)


def resample(
    n: int, *, stage: int, resamples: int = RESAMPLES, at_once: int | None = None
) -> Iterator[np.ndarray]:
    """Which of n items each resample of a bootstrap drew, with replacement.

    Each measure has a stage of its own, so that it draws other resamples than the next measure.
    `at_once` resamples, or all of them, are in memory together.
    """
    row, at_once = np.arange(n, dtype=np.int64), at_once or resamples
    for step, done in enumerate(range(0, resamples, at_once)):
        count = min(at_once, resamples - done)
        words = draws(count, seed=0, stream=Stream.BOOTSTRAP, stage=stage, step=step, row=row)
        yield from (below(word, n) for word in words)


def resample_counts(n: int, resamples: int = RESAMPLES) -> np.ndarray:
    """(R, N): how often each of n items was drawn in each of R resamples."""
    drawn = resample(n, stage=3, resamples=resamples)
    return np.array([np.bincount(items, minlength=n) for items in drawn], dtype=np.float64)


def percentiles(sample: np.ndarray) -> Interval:
    """The percentile interval of a bootstrap."""
    low, high = np.quantile(sample, (1 - _UPPER, _UPPER))
    return float(low), float(high)
