"""Noise in the keys: why one head that averages two items is fragile, and two that copy are not.

The keys lie around perpendicular unit vectors mu_i (here the axes): k_i ~ N(mu_i, alpha I), and k_a
may also vary in length, k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2). Item 0 is a, item 1 is b.
"""

import math

import numpy as np
from numpy.typing import NDArray

from wherefrom.course.lab.demonstration import Demonstration
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
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG

N, BETA = 10, 10.0
SD = math.sqrt(0.5)  # of gamma
SAMPLES = 20_000
ALPHAS = {1e-2: 0.314, 1e-3: 0.145, 1e-6: 0.005}  # the spread of the weight of a at beta = 10
SHOWN = 1e-3  # alpha in the picture of k_a
_NOISE = 1e-6  # standard deviation of the vanishing part of every key
MU_A, MU_B = np.eye(N)[:2]


def spread(beta: float, sd: float = SD) -> float:
    """The standard deviation of sigmoid(beta g) for g ~ N(0, sd^2), by quadrature."""
    return math.sqrt(gaussian_variance(lambda g: sigmoid(beta * g), sd))


def balanced(alpha: Array) -> NDArray[np.bool]:
    """Whether neither a nor b has much more weight than the other, for each sample."""
    return (alpha > 0.4) & (alpha < 0.6)


def noisy_spread(beta: float, alpha: float) -> float:
    """The standard deviation of a's weight; it depends on beta^2 alpha alone.

    k_a.q - k_b.q = (eps_a - eps_b).q with |q|^2 = 2 beta^2, so its variance is 4 beta^2 alpha, and
    a's weight is sigmoid of it where the n - 2 others have next to no weight.
    """
    return spread(2 * beta * math.sqrt(alpha), 1.0)


def small_noise(shown: Demonstration, seed: int) -> None:
    """How small alpha must be."""
    noise = generator(seed, "small-noise").standard_normal((SAMPLES, N, N))

    def weights(alpha: float, query: Array) -> Array:
        return softmax((np.eye(N) + math.sqrt(alpha) * noise) @ (BETA * query))[:, 0]

    drawn = weights(1e-2, MU_A + MU_B)
    least = noisy_spread(BETA, (0.02 / BETA) ** 2)
    for alpha, sd in ALPHAS.items():
        shown.check(f"sd of a's weight, alpha = {alpha:g}", noisy_spread(BETA, alpha), sd, 5e-4)
    square = noisy_spread(BETA, 1e-2) ** 2
    shown.sampled_variance("its square, alpha = 0.01, sampled", drawn, square)
    shown.check("sd for alpha = (0.02/beta)^2, to stay within 0.01", least, 0.01, 1e-5)
    shown.check("a head that copies, alpha = 0.01: sd", weights(1e-2, MU_A).std(), 0, 0.01)
    # 0.4 to 0.6 means |2 beta sqrt(alpha) z| < ln 1.5.
    middle = math.erf(math.log(1.5) / (2 * BETA * 0.1) / math.sqrt(2))
    shown.wrong("alpha = 0.01 is small, so k_a is about mu_a and c is about the average")
    shown.away("sd of a's weight, alpha = 0.01, beta = 10", noisy_spread(BETA, 1e-2), 0, 0.1)
    shown.sampled("P(0.4 < a's weight < 0.6)", balanced(drawn), middle)
    shown.wrong("beta must be very large, and the larger the better")
    shown.check("sd, alpha = 0.001, beta = 10", noisy_spread(BETA, SHOWN), 0.145, 5e-4)
    shown.check("the same for beta = 100", noisy_spread(10 * BETA, SHOWN), 0.435, 5e-3)
    said, alphas = "sd of a's weight (1/2: a coin)", np.logspace(-7, 0, 20)
    plot = shown.plot("How far the weight of a varies", "alpha", said, xscale="log", ylim=(0, 0.5))
    for beta, colour in ((5.0, OTHER), (BETA, RIGHT), (20.0, WRONG)):
        label = f"beta = {beta:g}, alpha = 1/beta^2 dashed"
        plot.curve(alphas, [noisy_spread(beta, a) for a in alphas], label, colour)
        plot.draw("axvline", 1 / beta**2, color=colour, linewidth=1, linestyle="--")


def range_of_a_key(shown: Demonstration, seed: int) -> None:
    """k_a and k_b in the plane of mu_a and mu_b, and what is wrong with 'the same direction'."""
    random = generator(seed, "range")
    wide, narrow = math.sqrt(SHOWN) * random.standard_normal((2, SAMPLES, N))
    k_a = np.outer(1 + random.normal(0.0, SD, SAMPLES), MU_A) + wide
    k_b = MU_B + narrow
    along = k_a @ MU_A
    sure = 1.96 * math.sqrt(0.5 + SHOWN)
    shown.sampled_variance("variance of k_a along mu_a: alpha + 1/2", along, 0.5 + SHOWN)
    shown.sampled_variance("variance of k_a along mu_b: alpha", k_a @ MU_B, SHOWN)
    shown.sampled("mean of k_a along mu_a", along, 1)
    shown.sampled("share between -0.39 and 2.39 mu_a", abs(along - 1) < sure, 0.95)
    backwards = 0.5 * math.erfc(1 / math.sqrt(2 * (0.5 + SHOWN)))
    cosine = along / np.linalg.norm(k_a, axis=-1)
    # alpha I + 0.5: numpy adds the number to every entry, which is another covariance.
    added = np.full((N, N), 0.5) + SHOWN * np.eye(N)
    drawn = random.multivariate_normal(MU_A, added, SAMPLES, method="cholesky")
    tied = np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]
    shown.wrong("k_a always points in roughly the same direction as mu_a")
    shown.sampled("P(k_a.mu_a < 0)", along < 0, backwards)
    shown.away("the least cosine of all samples, against 1", cosine.min(), 1, 1.9)
    shown.wrong("k_a = mu_a + eps with eps ~ N(0, alpha I + 0.5)")
    shown.sampled_variance("variance along mu_b, the number added", drawn[:, 1], 0.5 + SHOWN)
    shown.check("correlation of k_a.mu_a and k_a.mu_b", tied, 1, 0.01)
    said = "The range of k_a, alpha = 0.001"
    limits = {"xlim": (-1.5, 3.5), "ylim": (-1.4, 2.4), "aspect": 1.0}
    plot = shown.plot(said, "along mu_a", "along mu_b", **limits)
    # q = beta (mu_a + mu_b): on this line a key's score is beta, the score of mu_b.
    plot.curve([-1.5, 2.5], [2.5, -1.5], "same score as mu_b", PALE, "--")
    for keys, colour, label in ((k_a[:250], WRONG, "k_a, 250 samples"), (k_b[:100], OTHER, "k_b")):
        plot.curve(keys[:, 0], keys[:, 1], label, colour, ".")
    plot.curve([1, 0], [0, 1], "mu_a and mu_b", RIGHT, "D")


def sample_keys(seed: int) -> tuple[Array, Array]:
    """gamma, and the keys of every sample: (samples,) and (samples, items, d)."""
    random = generator(seed, "length")
    gamma = random.normal(0.0, SD, SAMPLES)
    keys = np.eye(N) + _NOISE * random.standard_normal((SAMPLES, N, N))
    keys[:, 0, 0] += gamma
    return gamma, keys


def within(edge: float) -> float:
    """P(1 - edge < sigmoid(beta gamma) < edge): gamma has variance 1/2, so it is an erf."""
    return math.erf(math.log(edge / (1 - edge)) / BETA)


def one_head(shown: Demonstration, seed: int) -> None:
    gamma, keys = sample_keys(seed)
    alpha = softmax(keys @ (BETA * (MU_A + MU_B)))[:, 0]
    far, limit = abs(alpha - sigmoid(BETA * gamma)).max(), 1 / (100 * math.sqrt(math.pi))
    shown.check("alpha_a minus sigmoid(beta gamma), the largest of all samples", far, 0, 1e-3)
    shown.check("sd of alpha_a, beta = 10", spread(BETA), 0.443, 1.5e-3)
    shown.sampled_variance("its square, sampled", alpha, spread(BETA) ** 2)
    said = "sd of alpha_a, beta = 100, against sqrt(1/4 - 1/(beta sqrt pi))"
    shown.check(said, spread(100), math.sqrt(0.25 - limit), 1e-5)
    shown.check("sd of alpha_a, beta = 1,000, against its limit 1/2", spread(1000), 0.5, 1e-3)
    shown.check("P(0.4 < alpha_a < 0.6) = erf(ln 1.5 / beta)", within(0.6), 0.045, 1e-3)
    shown.sampled("the same, sampled", balanced(alpha), within(0.6))
    still = (keys[:, 1] @ (MU_A + MU_B)).std()
    shown.wrong("alpha_a = sigmoid(beta (eps_a - eps_b)), with noise in the length of k_b as well")
    shown.check("sd of k_b.q / beta over the samples", still, 0, 1e-4)
    shown.check("sd of alpha_a with noise on both keys", spread(BETA, 1.0), 0.459, 5e-4)
    shown.wrong("c is a balanced average whenever k_a is near its mean, which is the usual case")
    shown.sampled("P(alpha_a < 0.1 or > 0.9)", abs(alpha - 0.5) > 0.4, 1 - within(0.9))
    plot = shown.plot("A small change of k_a decides", "gamma", "weight of a")
    g = np.linspace(-2, 2, 400)
    edge = math.log(1.5) / BETA
    plot.draw("fill_between", g, np.exp(-(g**2)), color=PALE, alpha=0.4, label="how likely")
    plot.curve(g, sigmoid(BETA * g), "alpha_a, beta = 10", RIGHT)
    plot.draw("axvspan", -edge, edge, color=WRONG, alpha=0.6, label="0.4 to 0.6")


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


def two_heads(shown: Demonstration, seed: int) -> None:
    gamma, keys = sample_keys(seed)
    v = np.random.default_rng(0).standard_normal((N, N))  # a variance of c is one of these values

    def head(query: Array) -> Array:
        return softmax(keys @ query) @ v

    single, first, second = (head(BETA * query) for query in (MU_A + MU_B, MU_A, MU_B))
    average, good = (first + second) / 2, gamma > -1
    one, two, given = exact_variances(v)
    fails = 0.5 * math.erfc(1.0)
    shown.check("total variance of c, one head, ten fixed values", one, 4.46, 0.02)
    shown.check("total variance of c, two heads, ten fixed values", two, 0.134, 2e-3)
    shown.check("the same given k_a.q1 > 0, by quadrature", given, 0.050, 2e-3)
    shown.sampled_variance("total variance, one head, sampled", single, one)
    shown.sampled_variance("total variance, two heads, sampled", average, two)
    shown.sampled_variance("the same given k_a.q1 > 0, sampled", average[good], given)
    shown.check("P(k_a.q1 < 0) = erfc(1)/2", fails, 0.0786, 1e-4)
    shown.sampled("the same, sampled", ~good, fails)
    shown.check("gain of two heads: mean variance of one over that of two", mean_gain(), 15.4, 0.05)
    along, middle = v[0] - v[1], (v[0] + v[1]) / 2
    again, claimed = (single + single) / 2, (middle, (v[1] - v[0]) / 2)
    heads = [attend(q, np.eye(N), v) for q in claimed]
    least, out = min(weights.min() for weights, _ in heads), (heads[0][1] + heads[1][1]) / 2
    tied = np.corrcoef(single @ along, again @ along)[0, 1]
    to_key = np.linalg.norm(second - keys[:, 1], axis=-1).min()
    shown.wrong("q1 = q2 = beta (mu_a + mu_b) makes the output more stable")
    shown.check("correlation of the two heads' outputs", tied, 1)
    shown.sampled_variance("their total variance is that of one head", again, one)
    shown.wrong("q1 = (v_a + v_b)/2 and q2 = (v_b - v_a)/2, whose outputs average to (v_a + v_b)/2")
    shown.check("|average of the claimed outputs - v_b/2|", length((sum(claimed) - v[1]) / 2))
    shown.away("the least weight of all, against the -1/2 needed", least, -0.5, 0.5)
    shown.away("|c - (v_a + v_b)/2| when it is computed", length(out - middle), 0, 0.5)
    shown.wrong("the average of two heads cancels their noise")
    shown.away("the mean gain against the 2 that cancelling gives", mean_gain(), 2.0, 10)
    shown.check("the mean gain of head 1 alone, nothing averaged", mean_gain() / 4, 3.85, 0.02)
    shown.wrong("the second head, which looks at b, is the one whose output varies")
    shown.check("total variance of head 2", squared_distances(second).mean(), 0, 1e-6)
    shown.sampled_variance("total variance of head 1, sampled", first, 4 * two)
    shown.wrong("c_2 will look like k_b without much variation")
    shown.check("|c_2 - v_b|, the largest", np.linalg.norm(second - v[1], axis=-1).max(), 0, 0.01)
    shown.away("|c_2 - k_b|, the smallest of all samples", to_key, 0, 1.0)
    plot = shown.plot("Where c lies between v_b (-1/2) and v_a (1/2)", "", "share of samples")
    for outputs, colour, label in ((single, WRONG, "one head"), (average, RIGHT, "two heads")):
        plot.draw(
            "hist", (outputs - middle) @ along / length(along) ** 2, bins=60, range=(-0.6, 0.6),
            alpha=0.75, weights=np.full(SAMPLES, 1 / SAMPLES), color=colour, label=label,
        )  # fmt: skip
