"""Noise in the keys: why one head that averages two items is fragile, and two that copy are not.

The keys lie around perpendicular unit vectors mu_i (here the axes): k_i ~ N(mu_i, alpha I), and k_a
may also vary in length, k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2). Item 0 is a, item 1 is b.
"""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from wherefrom.course.lab.demonstration import (
    Check,
    Demonstration,
    Figure,
    Refutation,
    away,
    sampled,
    sampled_sd,
    wrong,
)
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
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, dress, panels

N, BETA = 10, 10.0
SD = math.sqrt(0.5)  # of gamma
SAMPLES = 20_000
ALPHAS = {1e-2: 0.314, 1e-3: 0.145, 1e-6: 0.005}  # the spread of the weight of a at beta = 10
SHOWN = 1e-3  # alpha in the picture of k_a
_NOISE = 1e-6  # standard deviation of the vanishing part of every key
_USES = {"length": 4, "values": 5, "small-noise": 7, "range": 8}  # of the seed
MU_A, MU_B = np.eye(N)[:2]


def spread(beta: float, sd: float = SD) -> float:
    """The standard deviation of sigmoid(beta g) for g ~ N(0, sd^2), by quadrature."""
    return math.sqrt(gaussian_variance(lambda g: sigmoid(beta * g), sd))


def balanced(alpha: Array) -> NDArray[np.bool]:
    """Whether neither a nor b has much more weight than the other, for each sample."""
    return (alpha > 0.4) & (alpha < 0.6)


def variance(label: str, points: Array, expected: float) -> Check:
    """Of sampled numbers, or the total variance of sampled points."""
    return sampled(label, squared_distances(points.reshape(len(points), -1)), expected)


# -- how small alpha must be --------------------------------------------------------------------


def noisy_spread(beta: float, alpha: float) -> float:
    """The standard deviation of a's weight; it depends on beta^2 alpha alone.

    k_a.q - k_b.q = (eps_a - eps_b).q with |q|^2 = 2 beta^2, so its variance is 4 beta^2 alpha, and
    a's weight is sigmoid of it where the n - 2 others have next to no weight.
    """
    return spread(2 * beta * math.sqrt(alpha), 1.0)


def small_noise(seed: int) -> Demonstration:
    noise = generator(seed, _USES["small-noise"]).standard_normal((SAMPLES, N, N))

    def weights(alpha: float, query: Array) -> Array:
        return softmax((np.eye(N) + math.sqrt(alpha) * noise) @ (BETA * query))[:, 0]

    drawn = {alpha: weights(alpha, MU_A + MU_B) for alpha in ALPHAS}
    of_a = "sd of a's weight, alpha ="
    checks = [
        Check(f"{of_a} {alpha:g}, by quadrature", noisy_spread(BETA, alpha), sd, 5e-4)
        for alpha, sd in ALPHAS.items()
    ]
    # 8 others of weight e^-10 each are what quadrature leaves out.
    checks += [
        sampled_sd(f"{of_a} {alpha:g}, sampled", found, noisy_spread(BETA, alpha), 5e-4)
        for alpha, found in drawn.items()
    ]
    same, least = noisy_spread(2 * BETA, SHOWN / 4), noisy_spread(BETA, (0.02 / BETA) ** 2)
    one = weights(1e-2, MU_A).std()
    checks += [
        Check("twice beta and a quarter of alpha: the same sd", same, ALPHAS[SHOWN], 5e-4),
        Check("sd for alpha = (0.02/beta)^2, to stay within 0.01", least, 0.01, 1e-5),
        Check("a head that copies, q = beta mu_a, alpha = 0.01: sd", one, 0, 0.01),
    ]
    # 0.4 to 0.6 means |2 beta sqrt(alpha) z| < ln 1.5.
    middle = math.erf(math.log(1.5) / (2 * BETA * 0.1) / math.sqrt(2))
    refuted = (
        wrong(
            "alpha = 0.01 is small, so k_a is about mu_a and c is about the average",
            away("sd of a's weight, alpha = 0.01, beta = 10", noisy_spread(BETA, 1e-2), 0, 0.1),
            sampled("P(0.4 < a's weight < 0.6)", balanced(drawn[1e-2]), middle),
        ),
        wrong(
            "beta must be very large, and the larger the better",
            Check("sd, alpha = 0.001, beta = 10", noisy_spread(BETA, SHOWN), 0.145, 5e-4),
            Check("the same for beta = 100", noisy_spread(10 * BETA, SHOWN), 0.435, 5e-3),
        ),
    )
    return Demonstration.of(
        "small-noise-in-keys", tuple(checks), refuted, lambda: _draw_small_noise(drawn)
    )


def _draw_small_noise(drawn: dict[float, Array]) -> Figure:
    figure, (left,) = panels(1)
    alphas = np.logspace(-7, 0, 60)
    for beta, colour in ((5.0, OTHER), (BETA, RIGHT), (20.0, WRONG)):
        label = f"beta = {beta:g}, alpha = 1/beta^2 dashed"
        left.plot(alphas, [noisy_spread(beta, a) for a in alphas], color=colour, label=label)
        left.axvline(1 / beta**2, color=colour, linewidth=1, linestyle="--")
    left.plot(list(drawn), [w.std() for w in drawn.values()], "o", color=RIGHT, label="sampled")
    left.set(xscale="log", xticks=[1e-6, 1e-4, 1e-2, 1], ylim=(0, 0.5))
    said = "sd of a's weight (1/2: a coin)"
    dress(left, "How far the weight of a varies", "alpha", said, legend=True)
    return figure


# -- where k_a can lie --------------------------------------------------------------------------


def range_of_a_key(seed: int) -> Demonstration:
    """k_a and k_b in the plane of mu_a and mu_b, and what is wrong with 'the same direction'."""
    random = generator(seed, _USES["range"])
    wide, narrow = math.sqrt(SHOWN) * random.standard_normal((2, SAMPLES, N))
    k_a = np.outer(1 + random.normal(0.0, SD, SAMPLES), MU_A) + wide
    k_b = MU_B + narrow
    along = k_a @ MU_A
    sure = 1.96 * math.sqrt(0.5 + SHOWN)
    checks = (
        variance("variance of k_a along mu_a: alpha + 1/2", along, 0.5 + SHOWN),
        variance("variance of k_a along mu_b: alpha", k_a @ MU_B, SHOWN),
        variance("variance of k_b along mu_a: alpha", k_b @ MU_A, SHOWN),
        sampled("mean of k_a along mu_a", along, 1),
        sampled("share between -0.39 and 2.39 mu_a", abs(along - 1) < sure, 0.95),
        Check("the lower end of that range", 1 - sure, -0.387, 1e-3),
        Check("the upper end of that range", 1 + sure, 2.387, 1e-3),
    )
    backwards = 0.5 * math.erfc(1 / math.sqrt(2 * (0.5 + SHOWN)))
    cosine = along / np.linalg.norm(k_a, axis=-1)
    # alpha I + 0.5: numpy adds the number to every entry, which is another covariance.
    added = np.full((N, N), 0.5) + SHOWN * np.eye(N)
    drawn = random.multivariate_normal(MU_A, added, SAMPLES, method="cholesky")
    tied = np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]
    refuted = (
        wrong(
            "k_a always points in roughly the same direction as mu_a",
            sampled("P(k_a.mu_a < 0)", along < 0, backwards),
            away("the least cosine of all samples, against 1", cosine.min(), 1, 1.9),
        ),
        wrong(
            "k_a = mu_a + eps with eps ~ N(0, alpha I + 0.5)",
            variance("variance along mu_b, the number added", drawn[:, 1], 0.5 + SHOWN),
            Check("correlation of k_a.mu_a and k_a.mu_b", tied, 1, 0.01),
        ),
    )
    return Demonstration.of("range-of-a-key", checks, refuted, lambda: _draw_range(k_a, k_b))


def _draw_range(k_a: Array, k_b: Array) -> Figure:
    figure, (left,) = panels(1)
    # q = beta (mu_a + mu_b): on this line a key's score is beta, the score of mu_b.
    tie = "same score as mu_b"
    left.axline((0, 1), slope=-1, color=PALE, linewidth=1, linestyle="--", label=tie)
    for keys, colour, label in ((k_a[:250], WRONG, "k_a, 250 samples"), (k_b[:100], OTHER, "k_b")):
        left.plot(*keys[:, :2].T, ".", color=colour, alpha=0.4, markersize=4, label=label)
    for name, x, y in (("mu_a", 1, 0), ("mu_b", 0, 1)):
        left.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": "black"})
        left.annotate(name, (x, y), (6, 8), textcoords="offset points", fontsize=9)
    left.set(xlim=(-1.5, 3.5), ylim=(-1.4, 2.4), aspect="equal")
    dress(left, "The range of k_a, alpha = 0.001", "along mu_a", "along mu_b", legend=True)
    return figure


# -- one head -----------------------------------------------------------------------------------


def sample_keys(seed: int) -> tuple[Array, Array]:
    """gamma, and the keys of every sample: (samples,) and (samples, items, d)."""
    random = generator(seed, _USES["length"])
    gamma = random.normal(0.0, SD, SAMPLES)
    keys = np.eye(N) + _NOISE * random.standard_normal((SAMPLES, N, N))
    keys[:, 0, 0] += gamma
    return gamma, keys


def within(edge: float) -> float:
    """P(1 - edge < sigmoid(beta gamma) < edge): gamma has variance 1/2, so it is an erf."""
    return math.erf(math.log(edge / (1 - edge)) / BETA)


def one_head(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    alpha = softmax(keys @ (BETA * (MU_A + MU_B)))[:, 0]
    far, limit = abs(alpha - sigmoid(BETA * gamma)).max(), 1 / (100 * math.sqrt(math.pi))
    checks = (
        Check("alpha_a minus sigmoid(beta gamma), the largest of all samples", far, 0, 1e-3),
        Check("sd of alpha_a, beta = 10, by quadrature", spread(BETA), 0.443, 1.5e-3),
        sampled_sd("sd of alpha_a, beta = 10, sampled", alpha, spread(BETA)),
        Check(
            "sd of alpha_a, beta = 100, against sqrt(1/4 - 1/(beta sqrt pi))",
            *(spread(100), math.sqrt(0.25 - limit), 1e-5),
        ),
        Check("sd of alpha_a, beta = 1,000, against its limit 1/2", spread(1000), 0.5, 1e-3),
        Check("P(0.4 < alpha_a < 0.6) = erf(ln 1.5 / beta)", within(0.6), 0.045, 1e-3),
        sampled("the same, sampled", balanced(alpha), within(0.6)),
    )
    still = (keys[:, 1] @ (MU_A + MU_B)).std()
    refuted = (
        wrong(
            "alpha_a = sigmoid(beta (eps_a - eps_b)), with noise in the length of k_b as well",
            Check("sd of k_b.q / beta over the samples", still, 0, 1e-4),
            Check("sd of alpha_a with noise on both keys", spread(BETA, 1.0), 0.459, 5e-4),
        ),
        wrong(
            "c is a balanced average whenever k_a is near its mean, which is the usual case",
            sampled("P(alpha_a < 0.1 or > 0.9)", abs(alpha - 0.5) > 0.4, 1 - within(0.9)),
        ),
    )
    return Demonstration.of("one-head-is-fragile", checks, refuted, _draw_one_head)


def _draw_one_head() -> Figure:
    figure, (left,) = panels(1)
    gamma, edge = np.linspace(-2.2, 2.2, 400), math.log(1.5) / BETA
    left.fill_between(gamma, np.exp(-(gamma**2)), color=PALE, alpha=0.4, label="how likely")
    left.plot(gamma, sigmoid(BETA * gamma), color=RIGHT, label="alpha_a, beta = 10")
    left.axvspan(-edge, edge, color=WRONG, alpha=0.6, label="0.4 to 0.6")
    dress(left, "A small change of k_a decides", "gamma", "weight of a", legend=True)
    return figure


# -- two heads ----------------------------------------------------------------------------------
# What a variance of c is depends on the values, so it is quoted twice: for ten fixed values, and
# over many draws of ten values.


def fixed_values() -> Array:
    """Ten fixed values, for the variances that are quoted with a number."""
    return np.random.default_rng(0).standard_normal((N, N))


def copying_weight(gamma: Array) -> Array:
    """alpha_a of the head with q = beta mu_a: the n - 1 others have a score of 0."""
    return sigmoid(BETA * (1 + gamma) - math.log(N - 1))


def exact_variances(v: Array) -> tuple[float, float, float]:
    """Total variances of c: one head, two heads, two heads given k_a.q1 > 0.

    c moves along one line as alpha_a changes, so each is var(alpha_a) times a squared length;
    of two heads only the first moves, and the average halves it.
    """
    between, outside = length(v[0] - v[1]) ** 2, length(v[0] - v[1:].mean(axis=0)) ** 2
    first = outside * gaussian_variance(copying_weight, SD)
    positive = outside * gaussian_variance(copying_weight, SD, low=-1.0)
    return between * spread(BETA) ** 2, first / 4, positive / 4


def mean_gain() -> float:
    """The mean variance of one head over that of two, for values ~ N(0, I) of any dimension d.

    E|v_a - v_b|^2 = 2 d, and E|v_a - w|^2 = d (1 + 1/(n-1)), w being the mean of the n - 1 others.
    """
    ratio = spread(BETA) ** 2 / gaussian_variance(copying_weight, SD)
    return 4 * ratio * 2 / (1 + 1 / (N - 1))


def drawn_gains(seed: int) -> Array:
    """One head's variance over two heads', for each of many draws of ten values in R^10."""
    v = generator(seed, _USES["values"]).standard_normal((SAMPLES, N, N))
    between = ((v[:, 0] - v[:, 1]) ** 2).sum(axis=-1)
    outside = ((v[:, 0] - v[:, 1:].mean(axis=1)) ** 2).sum(axis=-1)
    return mean_gain() * (between / 2) / (outside / (1 + 1 / (N - 1)))


def two_heads(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    v, gains = fixed_values(), drawn_gains(seed)

    def head(query: Array) -> Array:
        return softmax(keys @ query) @ v

    single, first, second = (head(BETA * query) for query in (MU_A + MU_B, MU_A, MU_B))
    average, good = (first + second) / 2, gamma > -1
    one, two, given = exact_variances(v)
    low, middle, high = np.percentile(gains, [2.5, 50, 97.5])
    fails, less = 0.5 * math.erfc(1.0), (gains < one / two).mean()
    checks = (
        Check("total variance of c, one head, ten fixed values", one, 4.46, 0.02),
        Check("total variance of c, two heads, ten fixed values", two, 0.134, 2e-3),
        Check("the same given k_a.q1 > 0, by quadrature", given, 0.050, 2e-3),
        variance("total variance, one head, sampled", single, one),
        variance("total variance, two heads, sampled", average, two),
        variance("the same given k_a.q1 > 0, sampled", average[good], given),
        Check("P(k_a.q1 < 0) = erfc(1)/2", fails, 0.0786, 1e-4),
        sampled("the same, sampled", ~good, fails),
        Check("gain of two heads: mean variance of one over that of two", mean_gain(), 15.4, 0.05),
        # The median's standard error is 1/(2 f sqrt(draws)), f the density there, about 0.06.
        Check("median gain over 20,000 draws of ten values", middle, 15.5, 0.5, error=0.07),
        Check("2.5 % of the draws gain less than", low, 6.2, 0.4, error=0.06),
        Check("2.5 % of the draws gain more than", high, 38.6, 2.5, error=0.5),
        Check("the gain of the ten fixed values above", one / two, 32.9, 0.5),
        Check("share of draws that gain less than those", less, 0.95, 0.01, error=0.0016),
    )
    refuted = (*_wrong_queries(single, v), *_wrong_reasons(keys, first, second, gains, v))
    draw = partial(_draw_two_heads, single, average, gains, v)
    return Demonstration.of("two-heads-are-robust", checks, refuted, draw)


def _wrong_queries(single: Array, v: Array) -> Iterator[Refutation]:
    again, along = (single + single) / 2, v[0] - v[1]
    plus, minus = (v[0] + v[1]) / 2, (v[1] - v[0]) / 2
    heads = [attend(q, np.eye(N), v) for q in (plus, minus)]
    least, out = min(weights.min() for weights, _ in heads), (heads[0][1] + heads[1][1]) / 2
    yield wrong(
        "q1 = q2 = beta (mu_a + mu_b) makes the output more stable",
        Check(
            "correlation of the two heads' outputs",
            np.corrcoef(single @ along, again @ along)[0, 1], 1,
        ),
        variance("their total variance is that of one head", again, exact_variances(v)[0]),
    )  # fmt: skip
    yield wrong(
        "q1 = (v_a + v_b)/2 and q2 = (v_b - v_a)/2, whose outputs average to (v_a + v_b)/2",
        Check("|average of the claimed outputs - v_b/2|", length((plus + minus - v[1]) / 2)),
        away("the least weight of all, against the -1/2 needed", least, -0.5, 0.5),
        away("|c - (v_a + v_b)/2| when it is computed", length(out - plus), 0, 0.5),
    )


def _wrong_reasons(
    keys: Array, first: Array, second: Array, gains: Array, v: Array
) -> Iterator[Refutation]:
    yield wrong(
        "the average of two heads cancels their noise",
        away("the mean gain against the 2 that cancelling gives", mean_gain(), 2.0, 10),
        Check("share of draws of values that gain more than 2", (gains > 2).mean(), 1.0, 2e-3),
        Check("the mean gain of head 1 alone, nothing averaged", mean_gain() / 4, 3.85, 0.02),
    )
    yield wrong(
        "the second head, which looks at b, is the one whose output varies",
        Check("total variance of head 2", squared_distances(second).mean(), 0, 1e-6),
        variance("total variance of head 1, sampled", first, 4 * exact_variances(v)[1]),
    )
    to_key = np.linalg.norm(second - keys[:, 1], axis=-1).min()
    yield wrong(
        "c_2 will look like k_b without much variation",
        Check("|c_2 - v_b|, the largest", np.linalg.norm(second - v[1], axis=-1).max(), 0, 0.01),
        away("|c_2 - k_b|, the smallest of all samples", to_key, 0, 1.0),
    )


def _draw_two_heads(single: Array, average: Array, gains: Array, v: Array) -> Figure:
    figure, (left, right) = panels(2)
    along, middle = (v[0] - v[1]) / length(v[0] - v[1]) ** 2, (v[0] + v[1]) / 2
    share = np.full(SAMPLES, 1 / SAMPLES)
    bins = {"bins": 60, "range": (-0.6, 0.6), "alpha": 0.75, "weights": share}
    left.hist((single - middle) @ along, color=WRONG, label="one head", **bins)
    left.hist((average - middle) @ along, color=RIGHT, label="two heads", **bins)
    left.set_xticks([-0.5, 0, 0.5], ["v_b", "middle", "v_a"])
    dress(left, "Where c lies between v_b and v_a", "", "share of samples", legend=True)
    one, two, _ = exact_variances(v)
    low, high = np.percentile(gains, [2.5, 97.5])
    right.hist(np.minimum(gains, 50), bins=50, range=(0, 50), color=PALE, weights=share)
    right.axvspan(low, high, color=PALE, alpha=0.25, label=f"95 %: {low:.1f} to {high:.1f}")
    right.axvline(mean_gain(), color=RIGHT, label=f"mean variances: {mean_gain():.1f}")
    right.axvline(one / two, color=WRONG, label=f"the ten fixed: {one / two:.1f}")
    said = "one head's variance / two heads'"
    dress(right, "The gain belongs to the values", said, "share of draws", legend=True)
    return figure
