"""Measures of calibration: do answers with probability 0.8 turn out right 8 times in 10?

Proper scores with their decomposition (Murphy 1973), the calibration line (Cox 1958), the expected
calibration error and the cumulative one, which needs no bins (Arrieta-Ibarra et al. 2022), each
beside its null distribution, and the reliability diagram.

Bins hold equal numbers of answers, as far as ties allow: equal probabilities share a bin.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.core.randomness import Stream, draws
from wherefrom.evaluation.intervals import NORMAL_HALF, Interval, bootstrap_mean, wilson
from wherefrom.evaluation.outcomes import check_probabilities

BINS = 10
SIMULATIONS = 2000
FEWEST = 50  # right answers, and wrong ones, that a slope takes
TINY = 1e-12  # probabilities are kept this far from 0 and 1, so that their logarithms are finite
_FLAT = 1e12  # a curvature of this condition: the probabilities are equal but for rounding
_AT_ONCE = 4  # one block of the generator gives this many draws


@dataclass(frozen=True)
class Bin:
    """Answers of similar probability: their mean probability, and the share that is right."""

    mean: float
    frequency: float
    interval: Interval
    n: int


@dataclass(frozen=True)
class Decomposition:
    """A score that is 0 at best: score = reliability - resolution + uncertainty + remainder.

    `uncertainty` is the score of a forecast that always gives the overall share of right answers.
    `resolution` is the gain from telling bins apart. `reliability` is the loss because a bin's mean
    probability differs from the share that is right in it. `remainder` is due to differences
    within bins: the score minus the score if every answer had the mean probability of its bin. It
    may be negative, and is 0 if the probabilities in each bin are equal. `interval` is that of the
    score (bootstrap over the answers); None for a single answer, and where none was asked for.
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float
    remainder: float
    n: int
    interval: Interval | None = None


@dataclass(frozen=True)
class CalibrationLine:
    """log-odds of being right = intercept + slope * log-odds of the given probability.

    Perfect calibration has slope 1 and intercept 0. A slope below 1 is overconfident, a slope
    above 1 underconfident. Slope and intercept are None where fewer than FEWEST answers are right,
    or wrong, and where the likelihood has no maximum: if all have the same probability, or if the
    probability separates right from wrong perfectly, so that a steeper line always fits better.
    """

    slope: float | None
    intercept: float | None
    slope_interval: Interval | None
    intercept_interval: Interval | None
    n: int


@dataclass(frozen=True)
class CalibrationError:
    """A calibration error, and the error that perfect calibration would have at this n.

    It is the expected one, in `bins`, or the cumulative one, which has none (0).

    On finitely many answers the error is never 0, so the number alone says little. In the
    simulated null distribution every answer is right with exactly its given probability:
    `null_mean` and `null_95` are the mean and the 95 % quantile of the error there, and `p_value`
    is how often the error is at least `value`.
    """

    value: float
    null_mean: float
    null_95: float
    p_value: float
    n: int
    bins: int
    simulations: int


@dataclass(frozen=True)
class CalibrationScores:
    """All measures of calibration for one set of answers."""

    brier: Decomposition
    log: Decomposition
    line: CalibrationLine
    error: CalibrationError
    cumulative: CalibrationError
    diagram: tuple[Bin, ...]


def score_calibration(probability: np.ndarray, right: np.ndarray) -> CalibrationScores:
    p, y = _checked(probability, right)
    brier, log = brier_score(p, right), log_score(p, right)
    squares, losses = (p - y) ** 2, _cross_entropy(y, np.clip(p, TINY, 1 - TINY))
    return CalibrationScores(
        replace(brier, interval=_interval(squares)),
        replace(log, interval=_interval(losses)),
        calibration_line(probability, right),
        calibration_error(probability, right),
        cumulative_error(probability, right),
        reliability_diagram(probability, right),
    )


def brier_score(probability: np.ndarray, right: np.ndarray, bins: int = BINS) -> Decomposition:
    """The mean squared distance of the probabilities from 1 (right) and 0 (wrong)."""
    p, y = _checked(probability, right)
    share, said, found = _bin_means(p, y, bins)
    base, score = y.mean(), float(((p - y) ** 2).mean())
    reliability = float(share @ (said - found) ** 2)
    resolution = float(share @ (found - base) ** 2)
    binned = float(share @ ((said - found) ** 2 + found * (1 - found)))
    return Decomposition(
        score, reliability, resolution, float(base * (1 - base)), score - binned, y.size
    )


def log_score(probability: np.ndarray, right: np.ndarray, bins: int = BINS) -> Decomposition:
    """The mean of -log P(outcome), in nats.

    Probabilities are kept at least 1e-12 away from 0 and 1: a wrong answer with probability 1
    costs 28 nats, not infinitely many.
    """
    p, y = _checked(probability, right)
    p = np.clip(p, TINY, 1 - TINY)
    share, said, found = _bin_means(p, y, bins)
    base, score = np.full(found.size, y.mean()), float(_cross_entropy(y, p).mean())
    within, binned = _cross_entropy(found, found), float(share @ _cross_entropy(found, said))
    uncertainty = float(_cross_entropy(base[:1], base[:1])[0])
    reliability = binned - float(share @ within)
    resolution = float(share @ (_cross_entropy(found, base) - within))
    return Decomposition(score, reliability, resolution, uncertainty, score - binned, y.size)


def calibration_line(probability: np.ndarray, right: np.ndarray) -> CalibrationLine:
    """The line by maximum likelihood, with Wald's intervals, from the curvature at the maximum.

    There is none if few answers are wrong, or few right; if the probabilities tell them apart
    without an error; or if all are equal.
    """
    p, y = _checked(probability, right)
    p = np.clip(p, TINY, 1 - TINY)
    x = np.log(p) - np.log1p(-p)
    none = CalibrationLine(None, None, None, None, y.size)
    sides = [x[y == side] for side in (0, 1)]
    if min(side.size for side in sides) < FEWEST:
        return none
    ends = [(side.min(), side.max()) for side in sides]
    if ends[0][1] <= ends[1][0] or ends[1][1] <= ends[0][0]:
        return none
    theta, curvature = fit_logistic(np.column_stack((x, np.ones(y.size))), y, np.array([1.0, 0.0]))
    if np.linalg.cond(curvature) > _FLAT:
        return none
    half = NORMAL_HALF * np.sqrt(np.diag(np.linalg.inv(curvature)))
    slope, intercept = ((float(t - h), float(t + h)) for t, h in zip(theta, half, strict=True))
    return CalibrationLine(float(theta[0]), float(theta[1]), slope, intercept, y.size)


def fit_logistic(
    design_NK: np.ndarray,
    target_N: np.ndarray,
    start_K: np.ndarray,
    count_N: np.ndarray | float = 1.0,
    penalty_K: np.ndarray | float = 0.0,
    expected_K: np.ndarray | float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of a logistic regression, and the curvature (Hessian) of the loss there.

    The loss is the log loss plus penalty * (weight - expected)² / 2; a row weighs as its count.
    """

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        logits, off = design_NK @ theta, theta - expected_K
        misfit = count_N * (np.logaddexp(0, logits) - target_N * logits)
        pull = design_NK.T @ (count_N * (scipy.special.expit(logits) - target_N))
        return misfit.sum() + (penalty_K * off**2).sum() / 2, pull + penalty_K * off

    def curvature(theta: np.ndarray) -> np.ndarray:
        p = scipy.special.expit(design_NK @ theta)
        return (design_NK.T * (count_N * p * (1 - p))) @ design_NK + penalty_K * np.eye(theta.size)

    options = {"jac": True, "hess": curvature, "method": "Newton-CG", "tol": 1e-10}
    theta = scipy.optimize.minimize(loss, start_K, **options).x
    return theta, curvature(theta)


def calibration_error(
    probability: np.ndarray, right: np.ndarray, bins: int = BINS, simulations: int = SIMULATIONS
) -> CalibrationError:
    """The mean distance of a bin's mean probability from the share that is right in the bin."""
    p, y = _checked(probability, right)
    place = assign_bins(p, bins)
    used = int(place.max()) + 1

    def error(outcome: np.ndarray) -> float:
        return float(np.abs(np.bincount(place, p - outcome, used)).sum() / y.size)

    return _against_null(error, p, y, used, simulations)


def cumulative_error(
    probability: np.ndarray, right: np.ndarray, simulations: int = SIMULATIONS
) -> CalibrationError:
    """The largest distance between what was promised and what came, summed up to a probability.

    The answers are added one after the other, from the least probable on: no bins are chosen, and
    errors in neighbouring answers add up where those of bins may cancel out.
    """
    p, y = _checked(probability, right)
    order = np.argsort(p, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(p[order]) > 0, True))  # equal ones are added together

    def error(outcome: np.ndarray) -> float:
        return float(np.abs(np.cumsum((p - outcome)[order])[ends]).max() / p.size)

    return _against_null(error, p, y, 0, simulations)


def _against_null(
    error: Callable[[np.ndarray], float],
    p: np.ndarray,
    y: np.ndarray,
    bins: int,
    simulations: int,
) -> CalibrationError:
    """The error, beside that of outcomes which have exactly the given probabilities."""
    value = error(y)
    null = np.array([error(outcome) for outcome in _simulated(p, simulations)])
    extreme = int((null >= value - 1e-12).sum())  # the margin allows for rounding
    p_value = (1 + extreme) / (1 + simulations)
    return CalibrationError(
        value=value,
        null_mean=float(null.mean()),
        null_95=float(np.quantile(null, 0.95)),
        p_value=p_value,
        n=y.size,
        bins=bins,
        simulations=simulations,
    )


def reliability_diagram(
    probability: np.ndarray, right: np.ndarray, bins: int = BINS
) -> tuple[Bin, ...]:
    """The mean probability and the share right of each bin, from the least to the most sure."""
    p, y = _checked(probability, right)
    place = assign_bins(p, bins)
    rows: list[Bin] = []
    for number in range(int(place.max()) + 1):
        inside = place == number
        n, hits = int(inside.sum()), int(y[inside].sum())
        rows.append(Bin(float(p[inside].mean()), hits / n, wilson(hits, n), n))
    return tuple(rows)


def assign_bins(value: np.ndarray, bins: int) -> np.ndarray:
    """The number of each value's bin, from 0 and without gaps; equal values share a bin.

    Equal values go to the bin of their middle rank.
    """
    _, inverse, count = np.unique(value, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - count / 2
    return np.unique(np.floor(middle * bins / value.size), return_inverse=True)[1][inverse]


def _bin_means(
    p: np.ndarray, y: np.ndarray, bins: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each bin: its share of the answers, its mean probability, and the share that is right."""
    place = assign_bins(p, bins)
    count = np.bincount(place)
    return count / y.size, np.bincount(place, p) / count, np.bincount(place, y) / count


def _interval(losses: np.ndarray) -> Interval | None:
    return bootstrap_mean(losses) if losses.size > 1 else None


def _cross_entropy(truth: np.ndarray, said: np.ndarray) -> np.ndarray:
    """-truth log said - (1 - truth) log(1 - said), where 0 log 0 is 0."""
    return -scipy.special.xlogy(truth, said) - scipy.special.xlogy(1 - truth, 1 - said)


def _simulated(p: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """Outcomes drawn from the probabilities themselves; the randomness is counted, not stored."""
    limit, row = np.rint(p * 2.0**32), np.arange(p.size, dtype=np.int64)
    for step in range(math.ceil(count / _AT_ONCE)):
        left = min(_AT_ONCE, count - step * _AT_ONCE)
        words = draws(left, seed=0, stream=Stream.BOOTSTRAP, stage=1, step=step, row=row)
        yield from (word < limit for word in words)


def _checked(probability: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities, and 1 for each right answer."""
    p, is_right = check_probabilities(probability, right)
    return p, is_right.astype(np.float64)
