"""Noise in the keys: how small it must be for an average of two, and where k_a can lie.

k_i ~ N(mu_i, alpha I) around perpendicular unit vectors mu_i (here the axes), q = beta (mu_a +
mu_b). k_a may also vary in length: covariance alpha I + 1/2 mu_a mu_a^T. Item 0 is a, item 1 b.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Axes, Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.heads import BETA, SD, N, balanced, spread
from wherefrom.course.lab.numerics import Array, generator, sigmoid, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, dress, panels

SAMPLES = 20_000
ALPHAS = {1e-2: 0.314, 1e-3: 0.145, 1e-6: 0.005}  # the spread of the weight of a at beta = 10
SHOWN = 1e-3  # alpha in the picture of k_a
_USES = {"small-noise": 7, "range": 8}  # of the seed


# -- how small alpha must be --------------------------------------------------------------------


def noisy_spread(beta: float, alpha: float) -> float:
    """The standard deviation of a's weight; it depends on beta^2 alpha alone.

    k_a.q - k_b.q = (eps_a - eps_b).q with |q|^2 = 2 beta^2, so its variance is 4 beta^2 alpha, and
    a's weight is sigmoid of it where the n - 2 others have next to no weight.
    """
    return spread(2 * beta * math.sqrt(alpha), 1.0)


def sample_weights(seed: int, beta: float, alpha: float, query: Array) -> Array:
    """a's weight in every sample of all keys: (samples,)."""
    random = generator(seed, _USES["small-noise"])
    keys = np.eye(N) + math.sqrt(alpha) * random.standard_normal((SAMPLES, N, N))
    return softmax(keys @ (beta * query))[:, 0]


def small_noise(seed: int) -> Demonstration:
    both = np.eye(N)[0] + np.eye(N)[1]
    drawn = {alpha: sample_weights(seed, BETA, alpha, both) for alpha in ALPHAS}
    checks = [
        Check(f"sd of a's weight, alpha = {a:g}, by quadrature", noisy_spread(BETA, a), sd, 5e-4)
        for a, sd in ALPHAS.items()
    ]
    # 8 others of weight e^-10 each are what quadrature leaves out.
    checks += [
        Check.sampled_sd(
            f"sd of a's weight, alpha = {a:g}, sampled, all ten keys noisy", weights, _at(a), 5e-4
        )
        for a, weights in drawn.items()
    ]
    same = noisy_spread(2 * BETA, SHOWN / 4)
    limit = (2 * 0.01 / BETA) ** 2  # sd = beta sqrt(alpha) / 2 for small alpha
    one = sample_weights(seed, BETA, 1e-2, np.eye(N)[0])
    checks += [
        Check("twice beta and a quarter of alpha: the same sd", same, ALPHAS[SHOWN], 5e-4),
        Check("sd for alpha = (0.02/beta)^2, to stay within 0.01", _at(limit), 0.01, 1e-5),
        Check("sd over beta sqrt(alpha)/2, alpha = 1e-6", _at(1e-6) / (BETA * 1e-3 / 2), 1, 1e-3),
        Check("a head that copies, q = beta mu_a, alpha = 0.01: sd", one.std(), 0, 0.01),
    ]
    return Demonstration.of(
        "small-noise-in-keys",
        tuple(checks),
        (_small_on_its_own(drawn[1e-2]), _the_larger_the_better()),
        lambda: _draw_small_noise(drawn),
    )


def _at(alpha: float) -> float:
    return noisy_spread(BETA, alpha)


def _small_on_its_own(weights: Array) -> Refutation:
    middle = balanced(weights)
    # 0.4 to 0.6 means |2 beta sqrt(alpha) z| < ln 1.5.
    expected = math.erf(math.log(1.5) / (2 * BETA * 0.1) / math.sqrt(2))
    return Refutation.of(
        "alpha = 0.01 is small, so k_a is about mu_a and c is about the average",
        Check.away("sd of a's weight, alpha = 0.01, beta = 10", _at(1e-2), 0, 0.1),
        Check.sampled("P(0.4 < a's weight < 0.6)", middle, expected),
        Check.away("the same against nearly always", middle.mean(), 1, 0.5),
    )


def _the_larger_the_better() -> Refutation:
    sds = [noisy_spread(beta, SHOWN) for beta in (BETA, 10 * BETA)]
    left = [abs(math.exp(b) / (2 * math.exp(b) + N - 2) - 0.5) for b in (BETA, 10 * BETA)]
    return Refutation.of(
        "beta must be very large, and the larger the better",
        Check("what the others take from 1/2, beta = 10", left[0], 0, 1e-3),
        Check("sd of a's weight, alpha = 0.001, beta = 10", sds[0], ALPHAS[SHOWN], 5e-4),
        Check("the same for beta = 100", sds[1], 0.435, 5e-3),
    )


def _draw_small_noise(sampled: dict[float, Array]) -> Figure:
    figure, (left, right) = panels(2)
    alphas = np.logspace(-7, 0, 60)
    for beta, colour in ((5.0, OTHER), (BETA, RIGHT), (20.0, WRONG)):
        label = f"beta = {beta:g}, alpha = 1/beta^2 dashed"
        left.plot(alphas, [noisy_spread(beta, a) for a in alphas], color=colour, label=label)
        left.axvline(1 / beta**2, color=colour, linewidth=1, linestyle="--")
    left.plot(list(sampled), [w.std() for w in sampled.values()], "o", color=RIGHT, label="sampled")
    left.set_xscale("log")
    left.set_xticks([1e-6, 1e-4, 1e-2, 1])
    left.set_ylim(0, 0.5)
    dress(left, "How far the weight of a varies", "alpha", "sd of a's weight (1/2: a coin)")
    _legend(left)
    for alpha, colour in zip(sampled, (WRONG, OTHER, RIGHT), strict=True):
        edges = np.linspace(0, 1, 41) if alpha > 1e-5 else np.linspace(0.48, 0.52, 3)
        share, _ = np.histogram(sampled[alpha], bins=edges)
        label = f"alpha = {alpha:g}: sd {sampled[alpha].std():.3f}"
        right.stairs(share / SAMPLES, edges, color=colour, linewidth=1.6, label=label)
    right.set_yscale("log")
    right.set_ylim(1e-3, 1.5)
    dress(right, "The weight of a over samples, beta = 10", "weight of a", "share of samples")
    _legend(right)
    return figure


def _legend(axes: Axes) -> None:
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=8)


# -- where k_a can lie --------------------------------------------------------------------------


def range_of_a_key(seed: int) -> Demonstration:
    """k_a and k_b in the plane of mu_a and mu_b, and what is wrong with 'the same direction'."""
    random = generator(seed, _USES["range"])
    wide, narrow = random.standard_normal((2, SAMPLES, N))
    gamma = random.normal(0.0, SD, SAMPLES)
    mu_a, mu_b = np.eye(N)[:2]
    k_a = mu_a + gamma[:, None] * mu_a + math.sqrt(SHOWN) * wide
    k_b = mu_b + math.sqrt(SHOWN) * narrow
    along, across = k_a @ mu_a, k_a @ mu_b
    sure = 1.96 * math.sqrt(0.5 + SHOWN)
    checks = (
        _variance("variance of k_a along mu_a: alpha + 1/2", along, 0.5 + SHOWN),
        _variance("variance of k_a along mu_b: alpha", across, SHOWN),
        _variance("variance of k_b along mu_a: alpha", k_b @ mu_a, SHOWN),
        Check.sampled("mean of k_a along mu_a", along, 1),
        Check.sampled("share between -0.39 and 2.39 mu_a", abs(along - 1) < sure, 0.95),
        Check("the lower end of that range", 1 - sure, -0.387, 1e-3),
        Check("the upper end of that range", 1 + sure, 2.387, 1e-3),
    )
    return Demonstration.of(
        "range-of-a-key",
        checks,
        (_same_direction(k_a, along), _a_number_for_a_matrix(random)),
        lambda: _draw_range(k_a, k_b),
    )


def _variance(label: str, x: Array, expected: float) -> Check:
    return Check.sampled(label, (x - x.mean()) ** 2, expected)


def _same_direction(k_a: Array, along: Array) -> Refutation:
    expected = 0.5 * math.erfc(1 / math.sqrt(2 * (0.5 + SHOWN)))
    cosine = along / np.linalg.norm(k_a, axis=-1)
    near = float((cosine > 0.9).mean())
    return Refutation.of(
        "k_a always points in roughly the same direction as mu_a",
        Check.sampled("P(k_a.mu_a < 0)", along < 0, expected),
        Check.away("share with a cosine above 0.9", near, 1, 0.05),
        Check.away("the least cosine of all samples, against 1", cosine.min(), 1, 1.9),
    )


def _a_number_for_a_matrix(random: np.random.Generator) -> Refutation:
    """alpha I + 0.5: numpy adds the number to every entry, which is another covariance."""
    wrong = np.full((N, N), 0.5) + SHOWN * np.eye(N)
    drawn = random.multivariate_normal(np.eye(N)[0], wrong, SAMPLES, method="cholesky")
    tied = float(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1])
    return Refutation.of(
        "k_a = mu_a + eps with eps ~ N(0, alpha I + 0.5)",
        _variance("variance along mu_b, the number added", drawn[:, 1], 0.5 + SHOWN),
        Check.away("the same against the alpha that it should be", wrong[1, 1], SHOWN, 0.1),
        Check("correlation of k_a.mu_a and k_a.mu_b", tied, 1, 0.01),
    )


def _draw_range(k_a: Array, k_b: Array) -> Figure:
    figure, (left, right) = panels(2)
    # q = beta (mu_a + mu_b): on this line a key's score is beta, the score of mu_b.
    tie = "same score as mu_b"
    left.axline((0, 1), slope=-1, color=PALE, linewidth=1, linestyle="--", label=tie)
    left.plot(*k_a[:250, :2].T, ".", color=WRONG, alpha=0.4, markersize=4, label="k_a, 250 samples")
    left.plot(*k_b[:100, :2].T, ".", color=OTHER, alpha=0.4, markersize=4, label="k_b")
    for name, x, y in (("mu_a", 1, 0), ("mu_b", 0, 1)):
        left.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": "black"})
        left.annotate(name, (x, y), (6, 8), textcoords="offset points", fontsize=9)
    left.set(xlim=(-1.5, 3.5), ylim=(-1.4, 2.4), aspect="equal")
    dress(left, "The range of k_a, alpha = 0.001", "along mu_a", "along mu_b", legend=True)
    _draw_lengths(right, k_a[:, 0])
    return figure


def _draw_lengths(axes: Axes, along: Array) -> None:
    weights = np.full(len(along), 1 / len(along))
    axes.hist(along, bins=60, range=(-1.5, 3.5), color=WRONG, alpha=0.5, weights=weights)
    lengths = np.linspace(-1.5, 3.5, 300)
    twin = axes.twinx()
    twin.plot(lengths, sigmoid(BETA * (lengths - 1)), color=RIGHT)
    twin.set_ylabel("weight of a, q = 10 (mu_a + mu_b)", color=RIGHT, fontsize=9)
    twin.spines[["top"]].set_visible(False)
    axes.axvspan(-1.5, 0, color=PALE, alpha=0.25)
    dress(axes, "Its length decides the weight; grey: backwards", "k_a.mu_a", "share of samples")
