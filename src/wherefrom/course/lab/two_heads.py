"""Two heads that copy one item each: steady where one head that averages is not.

The keys are those of `heads.py`: k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2), the others are
their means. What a variance of c is depends on the values, so it is quoted twice: for ten fixed
values, and over many draws of ten values.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Axes, Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.heads import BETA, SD, N, sample_keys, spread
from wherefrom.course.lab.numerics import (
    Array,
    attend,
    gaussian_variance,
    generator,
    length,
    sigmoid,
    softmax,
    squared_distances,
)
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, bars, dress, panels

DRAWS = 20_000  # of ten values each
_USE = 5


def values() -> Array:
    """Ten fixed values, for the variances that are quoted with a number."""
    return np.random.default_rng(0).standard_normal((N, N))


def copying_weight(gamma: Array) -> Array:
    """alpha_a of the head with q = beta mu_a: the n - 1 others have a score of 0."""
    return sigmoid(BETA * (1 + gamma) - math.log(N - 1))


def two_heads(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    v, axes = values(), np.eye(N)
    single = softmax(keys @ (BETA * (axes[0] + axes[1]))) @ v
    first, second = (softmax(keys @ (BETA * axes[i])) @ v for i in (0, 1))
    average = (first + second) / 2
    good = gamma > -1
    one, two, given = exact_variances()
    gains = drawn_gains(seed)
    fails = 0.5 * math.erfc(1.0)
    checks = (
        Check("total variance of c, one head, ten fixed values", one, 4.46, 0.02),
        Check("total variance of c, two heads, ten fixed values", two, 0.134, 2e-3),
        Check("the same given k_a.q1 > 0, by quadrature", given, 0.050, 2e-3),
        _variance("total variance, one head, sampled", single, one),
        _variance("total variance, two heads, sampled", average, two),
        _variance("the same given k_a.q1 > 0, sampled", average[good], given),
        Check("P(k_a.q1 < 0) = erfc(1)/2", fails, 0.0786, 1e-4),
        Check.sampled("the same, sampled", ~good, fails),
        *_gain_checks(gains),
    )
    return Demonstration.of(
        "two-heads-are-robust",
        checks,
        (
            _same_queries(keys),
            _queries_of_values(),
            _cancelling(gains),
            _noise_in_head_two(first, second),
            _like_a_key(keys, second),
        ),
        lambda: _draw_two_heads(single, average, v, gains),
    )


# -- the gain, whatever the values ---------------------------------------------------------------


def mean_gain() -> float:
    """The mean variance of one head over that of two, for values ~ N(0, I) of any dimension d.

    E|v_a - v_b|^2 = 2 d, and E|v_a - w|^2 = d (1 + 1/(n-1)), w being the mean of the n - 1 others.
    """
    ratio = spread(BETA) ** 2 / gaussian_variance(copying_weight, SD)
    return 4 * ratio * 2 / (1 + 1 / (N - 1))


def drawn_gains(seed: int) -> Array:
    """One head's variance over two heads', for each of many draws of ten values in R^10."""
    v = generator(seed, _USE).standard_normal((DRAWS, N, N))
    between = ((v[:, 0] - v[:, 1]) ** 2).sum(axis=-1)
    outside = ((v[:, 0] - v[:, 1:].mean(axis=1)) ** 2).sum(axis=-1)
    return mean_gain() * (between / 2) / (outside / (1 + 1 / (N - 1)))


def _gain_checks(gains: Array) -> tuple[Check, ...]:
    one, two, _ = exact_variances()
    low, middle, high = np.percentile(gains, [2.5, 50, 97.5])
    # The median's standard error is 1/(2 f sqrt(draws)), f the density there, about 0.06.
    return (
        Check("gain of two heads: mean variance of one over that of two", mean_gain(), 15.4, 0.05),
        Check("median gain over 20,000 draws of ten values", middle, 15.5, 0.5, error=0.07),
        Check("2.5 % of the draws gain less than", low, 6.2, 0.4, error=0.06),
        Check("2.5 % of the draws gain more than", high, 38.6, 2.5, error=0.5),
        Check("the gain of the ten fixed values above", one / two, 32.9, 0.5),
        Check(
            "share of draws that gain less than those",
            (gains < one / two).mean(),
            0.95,
            0.01,
            error=0.0016,
        ),
    )


def exact_variances() -> tuple[float, float, float]:
    """Total variances of c: one head, two heads, two heads given k_a.q1 > 0.

    c moves along one line as alpha_a changes, so each is var(alpha_a) times a squared length;
    of two heads only the first moves, and the average halves it.
    """
    v = values()
    between = float(((v[0] - v[1]) ** 2).sum())
    outside = float(((v[0] - v[1:].mean(axis=0)) ** 2).sum())
    first = outside * gaussian_variance(copying_weight, SD)
    positive = outside * gaussian_variance(copying_weight, SD, low=-1.0)
    return between * spread(BETA) ** 2, first / 4, positive / 4


def _variance(label: str, points: Array, expected: float) -> Check:
    return Check.sampled(label, squared_distances(points), expected)


def _same_queries(keys: Array) -> Refutation:
    v, axes = values(), np.eye(N)
    queries = (BETA * (axes[0] + axes[1]), BETA * axes[:2].sum(axis=0))
    first, second = (softmax(keys @ query) @ v for query in queries)
    averaged, along = (first + second) / 2, v[0] - v[1]
    correlation = float(np.corrcoef(first @ along, second @ along)[0, 1])
    one, two, _ = exact_variances()
    same, alone = squared_distances(averaged).mean(), squared_distances(first).mean()
    return Refutation.of(
        "q1 = q2 = beta (mu_a + mu_b) makes the output more stable",
        Check("correlation of the two heads' outputs", correlation, 1.0, 1e-9),
        Check("total variance over that of one head", same / alone, 1, 1e-9),
        Check.away("total variance against that of the right queries", same, two, one / 2),
    )


def _queries_of_values() -> Refutation:
    v = values()
    plus, minus = (v[0] + v[1]) / 2, (v[1] - v[0]) / 2
    target, claimed = plus, (plus + minus) / 2
    heads = [attend(q, np.eye(N), v) for q in (plus, minus)]
    least = float(min(weights.min() for weights, _ in heads))
    out = (heads[0][1] + heads[1][1]) / 2
    return Refutation.of(
        "q1 = (v_a + v_b)/2 and q2 = (v_b - v_a)/2, whose outputs average to (v_a + v_b)/2",
        Check("|average of the claimed outputs - v_b/2|", length(claimed - v[1] / 2), 0, 1e-12),
        Check.away("its distance from (v_a + v_b)/2", length(claimed - target), 0, 0.5),
        Check.away("the least weight of all, against the -1/2 needed", least, -0.5, 0.5),
        Check.away("|c - (v_a + v_b)/2| when it is computed", length(out - target), 0, 0.5),
    )


def _cancelling(gains: Array) -> Refutation:
    gain, more = mean_gain(), float((gains > 2).mean())
    return Refutation.of(
        "the average of two heads cancels their noise",
        Check.away("the mean gain against the 2 that cancelling gives", gain, 2.0, 10),
        Check("share of the draws of values that gain more than that 2", more, 1.0, 2e-3),
        Check("the mean gain of head 1 alone, nothing averaged", gain / 4, 3.85, 0.02),
    )


def _noise_in_head_two(first: Array, second: Array) -> Refutation:
    return Refutation.of(
        "the second head, which looks at b, is the one whose output varies",
        Check("total variance of head 2", squared_distances(second).mean(), 0, 1e-6),
        _variance("total variance of head 1, sampled", first, 4 * exact_variances()[1]),
    )


def _like_a_key(keys: Array, second: Array) -> Refutation:
    v, axes = values(), np.eye(N)
    to_value = float(np.linalg.norm(second - v[1], axis=-1).max())
    to_key = float(np.linalg.norm(second - keys[:, 1], axis=-1).min())
    # The same keys with values of another dimension: c_2 cannot even be compared with k_b.
    longer = np.concatenate([v, v[:, :3]], axis=1)
    other = softmax(keys[0] @ (BETA * axes[1])) @ longer
    return Refutation.of(
        "c_2 will look like k_b without much variation",
        Check("|c_2 - v_b|, the largest of all samples", to_value, 0, 0.01),
        Check.away("|c_2 - k_b|, the smallest of all samples", to_key, 0, 1.0),
        Check("entries of c_2, values of 13 entries, keys of 10", len(other), 13, 0),
        Check.away("the same against the entries of k_b", len(other), N, 0),
    )


def _draw_two_heads(single: Array, average: Array, v: Array, gains: Array) -> Figure:
    figure, (left, right, last) = panels(3)
    along = (v[0] - v[1]) / ((v[0] - v[1]) ** 2).sum()
    middle = (v[0] + v[1]) / 2
    for points, colour, label in ((single, WRONG, "one head"), (average, RIGHT, "two heads")):
        left.hist(
            (points - middle) @ along,
            bins=60,
            range=(-0.6, 0.6),
            color=colour,
            alpha=0.75,
            weights=np.full(len(points), 1 / len(points)),
            label=label,
        )
    left.set_xticks([-0.5, 0, 0.5], ["v_b", "middle", "v_a"])
    dress(left, "Where c lies between v_b and v_a", "", "share of samples", legend=True)
    names = ["one head", "q1 = q2", "two heads", "k_a.q1 > 0"]
    one, two, given = exact_variances()
    bars(right, names, [one, one, two, given], [WRONG, WRONG, RIGHT, OTHER])
    right.set_yscale("log")
    right.set_ylim(0.01, 20)
    right.tick_params(axis="x", labelsize=7.5)
    dress(right, "Total variance of c, ten fixed values", "", "")
    _draw_gains(last, gains)
    return figure


def _draw_gains(axes: Axes, gains: Array) -> None:
    one, two, _ = exact_variances()
    weights = np.full(len(gains), 1 / len(gains))
    axes.hist(np.minimum(gains, 50), bins=50, range=(0, 50), color=PALE, weights=weights)
    low, high = np.percentile(gains, [2.5, 97.5])
    axes.axvspan(low, high, color=PALE, alpha=0.25, label=f"95 %: {low:.1f} to {high:.1f}")
    axes.axvline(mean_gain(), color=RIGHT, label=f"mean variances: {mean_gain():.1f}")
    axes.axvline(one / two, color=WRONG, label=f"the ten fixed: {one / two:.1f}")
    dress(
        axes,
        "The gain belongs to the values",
        "one head's variance / two heads'",
        "share of 20,000 draws",
        legend=True,
    )
