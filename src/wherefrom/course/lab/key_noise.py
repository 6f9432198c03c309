"""Noise in the keys: why one head that averages two items is fragile, and two that copy are not.

The keys lie around perpendicular unit vectors mu_i (here the axes): k_i ~ N(mu_i, alpha I), and k_a
may also vary in length, k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2). Item 0 is a, item 1 is b.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import (
    Array,
    gaussian_variance,
    generator,
    length,
    sigmoid,
    softmax,
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


def noisy_spread(beta: float, alpha: float) -> float:
    """The standard deviation of a's weight; it depends on beta^2 alpha alone.

    k_a.q - k_b.q = (eps_a - eps_b).q with |q|^2 = 2 beta^2, so its variance is 4 beta^2 alpha, and
    a's weight is sigmoid of it where the n - 2 others have next to no weight.
    """
    return spread(2 * beta * math.sqrt(alpha), 1.0)


def small_noise_in_keys(shown: Demonstration, seed: int) -> None:
    """How small alpha must be."""
    noise = generator(seed, "small-noise").standard_normal((SAMPLES, N, N))
    drawn = softmax((np.eye(N) + math.sqrt(1e-2) * noise) @ (BETA * (MU_A + MU_B)))[:, 0]
    for alpha, sd in ALPHAS.items():
        shown.check(f"sd of a's weight, alpha = {alpha:g}", noisy_spread(BETA, alpha), sd, 5e-4)
    square = noisy_spread(BETA, 1e-2) ** 2
    shown.sampled_variance("its square, alpha = 0.01, sampled", drawn, square)
    # 0.4 to 0.6 means |2 beta sqrt(alpha) z| < ln 1.5.
    middle = math.erf(math.log(1.5) / (2 * BETA * 0.1) / math.sqrt(2))
    shown.wrong("alpha = 0.01 is small, so k_a is about mu_a and c is about the average")
    shown.sampled("P(0.4 < a's weight < 0.6)", abs(drawn - 0.5) < 0.1, middle)
    shown.wrong("beta must be very large, and the larger the better")
    shown.check("sd, alpha = 0.001, beta = 10", noisy_spread(BETA, SHOWN), 0.145, 5e-4)
    shown.check("the same for beta = 100", noisy_spread(10 * BETA, SHOWN), 0.435, 5e-3)
    said, alphas = "sd of a's weight (1/2: a coin)", np.logspace(-7, 0, 20)
    plot = shown.plot("How far the weight of a varies", "alpha", said, xscale="log", ylim=(0, 0.5))
    for beta, colour in ((5.0, OTHER), (BETA, RIGHT), (20.0, WRONG)):
        plot.curve(alphas, [noisy_spread(beta, a) for a in alphas], f"beta = {beta:g}", colour)


def range_of_a_key(shown: Demonstration, seed: int) -> None:
    """k_a and k_b in the plane of mu_a and mu_b, and what is wrong with 'the same direction'."""
    random = generator(seed, "range")
    wide, narrow = math.sqrt(SHOWN) * random.standard_normal((2, SAMPLES, N))
    k_a = np.outer(1 + random.normal(0.0, SD, SAMPLES), MU_A) + wide
    k_b = MU_B + narrow
    along = k_a @ MU_A
    sure = 1.96 * math.sqrt(0.5 + SHOWN)
    backwards = 0.5 * math.erfc(1 / math.sqrt(2 * (0.5 + SHOWN)))
    # alpha I + 0.5: numpy adds the number to every entry, which is another covariance.
    added = np.full((N, N), 0.5) + SHOWN * np.eye(N)
    drawn = random.multivariate_normal(MU_A, added, SAMPLES, method="cholesky")
    shown.sampled_variance("variance of k_a along mu_a: alpha + 1/2", along, 0.5 + SHOWN)
    shown.sampled_variance("variance of k_a along mu_b: alpha", k_a @ MU_B, SHOWN)
    shown.sampled("share between -0.39 and 2.39 mu_a", abs(along - 1) < sure, 0.95)
    shown.wrong("k_a always points in roughly the same direction as mu_a")
    shown.sampled("P(k_a.mu_a < 0)", along < 0, backwards)
    shown.wrong("k_a = mu_a + eps with eps ~ N(0, alpha I + 0.5)")
    shown.sampled_variance("variance along mu_b, the number added", drawn[:, 1], 0.5 + SHOWN)
    limits = {"xlim": (-1.5, 3.5), "ylim": (-1.4, 2.4), "aspect": 1.0}
    plot = shown.plot("The range of k_a, alpha = 0.001", "along mu_a", "along mu_b", **limits)
    # q = beta (mu_a + mu_b): on this line a key's score is beta, the score of mu_b.
    plot.curve([-1.5, 2.5], [2.5, -1.5], "same score as mu_b", PALE, "--")
    for keys, colour, label in ((k_a[:250], WRONG, "k_a, 250 samples"), (k_b[:100], OTHER, "k_b")):
        plot.curve(keys[:, 0], keys[:, 1], label, colour, ".")


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


def one_head_is_fragile(shown: Demonstration, seed: int) -> None:
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
    shown.sampled("the same, sampled", abs(alpha - 0.5) < 0.1, within(0.6))
    shown.wrong("alpha_a = sigmoid(beta (eps_a - eps_b)), with noise in the length of k_b as well")
    still = (keys[:, 1] @ (MU_A + MU_B)).std()
    shown.check("sd of k_b.q / beta over the samples", still, 0, 1e-4)
    shown.wrong("c is a balanced average whenever k_a is near its mean, which is the usual case")
    shown.sampled("P(alpha_a < 0.1 or > 0.9)", abs(alpha - 0.5) > 0.4, 1 - within(0.9))
    plot = shown.plot("A small change of k_a decides", "gamma", "weight of a")
    g = np.linspace(-2, 2, 400)
    plot.draw("fill_between", g, np.exp(-(g**2)), color=PALE, alpha=0.4, label="how likely")
    plot.curve(g, sigmoid(BETA * g), "alpha_a, beta = 10", RIGHT)


def copying_weight(gamma: Array) -> Array:
    """alpha_a of the head with q = beta mu_a: the n - 1 others have a score of 0."""
    return sigmoid(BETA * (1 + gamma) - math.log(N - 1))


def two_heads_are_robust(shown: Demonstration, seed: int) -> None:
    gamma, keys = sample_keys(seed)
    v = np.random.default_rng(0).standard_normal((N, N))  # a variance of c is one of these values

    def head(query: Array) -> Array:
        return softmax(keys @ query) @ v

    single, first, second = (head(BETA * query) for query in (MU_A + MU_B, MU_A, MU_B))
    average, good = (first + second) / 2, gamma > -1
    # c moves along one line as alpha_a changes: its total variance is that of alpha_a times a
    # squared length. Of two heads only the first moves, and the average halves it.
    outside = length(v[0] - v[1:].mean(axis=0)) ** 2 / 4
    of_one, of_two = spread(BETA) ** 2, gaussian_variance(copying_weight, SD)
    one, two = length(v[0] - v[1]) ** 2 * of_one, outside * of_two
    # For values ~ N(0, I) of any dimension d: E|v_a - v_b|^2 = 2 d, and E|v_a - w|^2 =
    # d (1 + 1/(n-1)), w being the mean of the n - 1 others.
    gain = 4 * of_one / of_two * 2 / (1 + 1 / (N - 1))
    given = outside * gaussian_variance(copying_weight, SD, low=-1.0)
    for label, outputs, exact, said, near in (
        ("total variance of c, one head, ten fixed values", single, one, 4.46, 0.02),
        ("total variance of c, two heads, ten fixed values", average, two, 0.134, 2e-3),
        ("the same given k_a.q1 > 0", average[good], given, 0.050, 2e-3),
    ):
        shown.check(f"{label}, by quadrature", exact, said, near)
        shown.sampled_variance(f"{label}, sampled", outputs, exact)
    fails = 0.5 * math.erfc(1.0)
    shown.check("P(k_a.q1 < 0) = erfc(1)/2", fails, 0.0786, 1e-4)
    shown.sampled("the same, sampled", ~good, fails)
    shown.check("gain of two heads: mean variance of one over that of two", gain, 15.4, 0.05)
    along, middle = v[0] - v[1], (v[0] + v[1]) / 2
    shown.wrong("q1 = q2 = beta (mu_a + mu_b) makes the output more stable")
    again = ((single + head(BETA * (MU_A + MU_B))) / 2) @ along
    shown.check("correlation with one head's output", np.corrcoef(single @ along, again)[0, 1], 1)
    shown.wrong("q1 = (v_a + v_b)/2 and q2 = (v_b - v_a)/2, whose outputs average to (v_a + v_b)/2")
    claimed = middle, (v[1] - v[0]) / 2
    least = min(softmax(query).min() for query in claimed)
    shown.check("|average of the claimed outputs - v_b/2|", length((sum(claimed) - v[1]) / 2))
    shown.away("the least weight of all, against the -1/2 needed", least, -0.5, 0.5)
    shown.wrong("the average of two heads cancels their noise")
    shown.away("the mean gain against the 2 that cancelling gives", gain, 2.0, 10)
    shown.check("the mean gain of head 1 alone, nothing averaged", gain / 4, 3.85, 0.02)
    shown.wrong("the second head, which looks at b, is the one whose output varies")
    shown.check("total variance of head 2", second.var(axis=0).sum(), 0, 1e-6)
    shown.wrong("c_2 will look like k_b without much variation")
    to_key = np.linalg.norm(second - keys[:, 1], axis=-1).min()
    shown.check("|c_2 - v_b|, the largest", np.linalg.norm(second - v[1], axis=-1).max(), 0, 0.01)
    shown.away("|c_2 - k_b|, the smallest of all samples", to_key, 0, 1.0)
    plot = shown.plot("Where c lies between v_b (-1/2) and v_a (1/2)", "", "share of samples")
    for outputs, colour, label in ((single, WRONG, "one head"), (average, RIGHT, "two heads")):
        shares = np.histogram((outputs - middle) @ along / length(along) ** 2, 60, (-0.6, 0.6))
        plot.draw("stairs", shares[0] / SAMPLES, shares[1], fill=True, alpha=0.75, color=colour,
                  label=label)  # fmt: skip
