"""Keys that vary in length: why one head that averages is fragile, and two that copy are not.

k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2), every other key is its mean, and the means are
perpendicular unit vectors (here the axes). Item 0 is a, item 1 is b.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from wherefrom.core.figures import OTHER, PALE, RIGHT, WRONG, bars, dress, panels
from wherefrom.lab.demonstration import Check, Demonstration, Refutation
from wherefrom.lab.numerics import (
    Array,
    attend,
    gaussian_mean,
    gaussian_variance,
    generator,
    sigmoid,
    softmax,
    total_variance,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N = 10
BETA = 10.0
SD = math.sqrt(0.5)  # of gamma
SAMPLES = 40_000  # at least four standard errors within every tolerance below
_NOISE = 1e-6  # standard deviation of the vanishing part of every key
_USE = 4


def values() -> Array:
    """Ten fixed values; the variances below are quoted for these."""
    return np.random.default_rng(0).standard_normal((N, N))


def sample_keys(seed: int) -> tuple[Array, Array]:
    """gamma, and the keys of every sample: (samples,) and (samples, items, d)."""
    random = generator(seed, _USE)
    gamma = random.normal(0.0, SD, SAMPLES)
    keys = np.eye(N) + _NOISE * random.standard_normal((SAMPLES, N, N))
    keys[:, 0, 0] += gamma
    return gamma, keys


def copying_weight(gamma: Array) -> Array:
    """alpha_a of the head with q = beta mu_a: the n - 1 others have a score of 0."""
    return sigmoid(BETA * (1 + gamma) - math.log(N - 1))


# -- one head -----------------------------------------------------------------------------------


def spread(beta: float, sd: float = SD) -> float:
    """The standard deviation of sigmoid(beta g) for g ~ N(0, sd^2), by quadrature."""
    return math.sqrt(gaussian_variance(lambda g: sigmoid(beta * g), sd))


def within(edge: float, beta: float) -> float:
    """P(1 - edge < sigmoid(beta gamma) < edge): gamma has variance 1/2, so it is an erf."""
    return math.erf(math.log(edge / (1 - edge)) / beta)


def one_head(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    weights = softmax(keys @ (BETA * (np.eye(N)[0] + np.eye(N)[1])))
    alpha = weights[:, 0]
    squares = (alpha - alpha.mean()) ** 2
    sd = math.sqrt(squares.mean())
    sd_error = float(squares.std() / math.sqrt(SAMPLES) / (2 * sd))
    balanced = float(((alpha > 0.4) & (alpha < 0.6)).mean())
    share_error = math.sqrt(balanced * (1 - balanced) / SAMPLES)
    far = float(abs(alpha - sigmoid(BETA * gamma)).max())
    checks = (
        Check("alpha_a minus sigmoid(beta gamma), the largest of all samples", far, 0, 1e-3),
        Check("sd of alpha_a, beta = 10, by quadrature", spread(BETA), 0.443, 1.5e-3),
        Check("sd of alpha_a, beta = 10, sampled", sd, spread(BETA), 2.5e-3, error=sd_error),
        Check(
            "sd of alpha_a, beta = 100, against sqrt(1/4 - 1/(beta sqrt pi))",
            spread(100),
            math.sqrt(0.25 - 1 / (100 * math.sqrt(math.pi))),
            1e-5,
        ),
        Check("sd of alpha_a, beta = 1,000, against its limit 1/2", spread(1000), 0.5, 1e-3),
        Check("P(0.4 < alpha_a < 0.6) = erf(ln 1.5 / beta)", within(0.6, BETA), 0.045, 1e-3),
        Check("the same, sampled", balanced, within(0.6, BETA), 6e-3, error=share_error),
    )
    return Demonstration(
        "one-head-is-fragile",
        "with q = beta (mu_a + mu_b) and k_a = (1 + gamma) mu_a, alpha_a = sigmoid(beta gamma): "
        "the output jumps between v_a and v_b",
        checks,
        _one_head_refutations(keys),
        lambda: _draw_one_head(alpha),
    )


def _one_head_refutations(keys: Array) -> tuple[Refutation, ...]:
    still = float((keys[:, 1] @ (np.eye(N)[0] + np.eye(N)[1])).std())
    both, extreme = spread(BETA, 1.0), 1 - within(0.9, BETA)
    balanced = within(0.6, BETA)
    return (
        Refutation(
            "alpha_a = sigmoid(beta (eps_a - eps_b)), with noise in the length of k_b as well",
            "Only k_a's covariance has the large part; k_b stays at mu_b. Noise on both is "
            "another problem, with another and larger spread.",
            (
                Check("sd of k_b.q / beta over the samples", still, 0, 1e-4),
                Check("sd of alpha_a with noise on both keys", both, 0.459, 5e-4),
                Check("the same against the spread there is", both, spread(BETA), 0.01, apart=True),
            ),
        ),
        Refutation(
            "c is a balanced average whenever k_a is near its mean, which is the usual case",
            "Near must mean |gamma| < ln(1.5)/beta = 0.04, and gamma's standard deviation is 0.71: "
            "nearly balanced is the exception, nearly all on one of the two the rule.",
            (
                Check("P(0.4 < alpha_a < 0.6)", balanced, 0.045, 1e-3),
                Check("the same against a majority", balanced, 0.5, 0.4, apart=True),
                Check(
                    "P(alpha_a < 0.1 or > 0.9) = 1 - erf(ln 9 / beta)",
                    extreme,
                    1 - gaussian_mean(_unsettled, SD),
                    5e-3,
                ),
            ),
        ),
    )


def _unsettled(gamma: Array) -> Array:
    alpha = sigmoid(BETA * gamma)
    return np.where((alpha > 0.1) & (alpha < 0.9), 1.0, 0.0)


def _draw_one_head(alpha: Array) -> "Figure":
    figure, (left, right) = panels(2)
    gamma = np.linspace(-2.2, 2.2, 400)
    left.fill_between(gamma, np.exp(-(gamma**2)), color=PALE, alpha=0.4, label="how likely")
    left.plot(gamma, sigmoid(BETA * gamma), color=RIGHT, label="alpha_a, beta = 10")
    left.axvspan(
        -math.log(1.5) / BETA, math.log(1.5) / BETA, color=WRONG, alpha=0.6, label="0.4 to 0.6"
    )
    dress(left, "A small change of k_a decides", "gamma", "weight of a", legend=True)
    right.hist(
        alpha, bins=30, range=(0, 1), weights=np.full(len(alpha), 1 / len(alpha)), color=RIGHT
    )
    dress(right, f"alpha_a over samples: sd {alpha.std():.3f}", "weight of a", "share")
    return figure


# -- two heads ----------------------------------------------------------------------------------


def two_heads(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    v, axes = values(), np.eye(N)
    single = softmax(keys @ (BETA * (axes[0] + axes[1]))) @ v
    first, second = (softmax(keys @ (BETA * axes[i])) @ v for i in (0, 1))
    average = (first + second) / 2
    good = gamma > -1
    one, two, given = exact_variances()
    fails = 0.5 * math.erfc(1.0)
    rate = float(1 - good.mean())
    checks = (
        Check("total variance of c, one head, by quadrature", one, 4.46, 0.02),
        Check("total variance of c, two heads, by quadrature", two, 0.134, 2e-3),
        Check("the same given k_a.q1 > 0, by quadrature", given, 0.050, 2e-3),
        _sampled("total variance, one head, sampled", single, one, 0.06),
        _sampled("total variance, two heads, sampled", average, two, 0.012),
        _sampled("the same given k_a.q1 > 0, sampled", average[good], given, 0.01),
        Check("P(k_a.q1 < 0) = erfc(1)/2", fails, 0.0786, 1e-4),
        Check("the same, sampled", rate, fails, 8e-3, error=math.sqrt(rate * (1 - rate) / SAMPLES)),
    )
    return Demonstration(
        "two-heads-are-robust",
        "with q1 = beta mu_a and q2 = beta mu_b each head copies: softmax saturates, and the "
        "length of k_a matters no more unless it turns negative",
        checks,
        (
            _same_queries(keys),
            _queries_of_values(),
            _cancelling(),
            _noise_in_head_two(first, second),
        ),
        lambda: _draw_two_heads(single, average, v),
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


def _sampled(label: str, points: Array, expected: float, tolerance: float) -> Check:
    found, error = total_variance(points)
    return Check(label, found, expected, tolerance, error=error)


def _same_queries(keys: Array) -> Refutation:
    v, axes = values(), np.eye(N)
    queries = (BETA * (axes[0] + axes[1]), BETA * axes[:2].sum(axis=0))
    first, second = (softmax(keys @ query) @ v for query in queries)
    averaged, along = (first + second) / 2, v[0] - v[1]
    correlation = float(np.corrcoef(first @ along, second @ along)[0, 1])
    one, two, _ = exact_variances()
    same = total_variance(averaged)[0]
    return Refutation(
        "q1 = q2 = beta (mu_a + mu_b) makes the output more stable",
        "Both heads see the same keys, so two equal queries give twice the same vector, whose "
        "average is that vector: the correlation is 1 and nothing is gained.",
        (
            Check("correlation of the two heads' outputs", correlation, 1.0, 1e-9),
            Check("total variance over that of one head", same / total_variance(first)[0], 1, 1e-9),
            Check(
                "total variance against that of the right queries", same, two, one / 2, apart=True
            ),
        ),
    )


def _queries_of_values() -> Refutation:
    v = values()
    plus, minus = (v[0] + v[1]) / 2, (v[1] - v[0]) / 2
    target, claimed = plus, (plus + minus) / 2
    heads = [attend(q, np.eye(N), v) for q in (plus, minus)]
    least = float(min(weights.min() for weights, _ in heads))
    out = (heads[0][1] + heads[1][1]) / 2
    return Refutation(
        "q1 = (v_a + v_b)/2 and q2 = (v_b - v_a)/2, whose outputs average to (v_a + v_b)/2",
        "The outputs that are claimed average to v_b/2, not to (v_a + v_b)/2; the second has a "
        "weight of -1/2, which softmax cannot give; and queries are compared with keys, not with "
        "values.",
        (
            Check(
                "|average of the claimed outputs - v_b/2|",
                float(np.linalg.norm(claimed - v[1] / 2)),
                0,
                1e-12,
            ),
            Check(
                "its distance from (v_a + v_b)/2",
                float(np.linalg.norm(claimed - target)),
                0,
                0.5,
                apart=True,
            ),
            Check("the least weight of all, against the -1/2 needed", least, -0.5, 0.5, apart=True),
            Check(
                "|c - (v_a + v_b)/2| when it is computed",
                float(np.linalg.norm(out - target)),
                0,
                0.5,
                apart=True,
            ),
        ),
    )


def _cancelling() -> Refutation:
    one, two, _ = exact_variances()
    alone = 4 * two
    return Refutation(
        "the average of two heads cancels their noise",
        "Averaging two independent and equally noisy heads would halve the variance. Here the "
        "second head has none to cancel with, and the first alone is already steady: softmax "
        "saturates. Most of the gain is there before anything is averaged.",
        (
            Check("one head over two: the gain in all", one / two, 33.0, 1.5),
            Check("the gain against the 2 that cancelling gives", one / two, 2.0, 10, apart=True),
            Check("the gain of head 1 alone, nothing averaged", one / alone, 8.2, 0.4),
        ),
    )


def _noise_in_head_two(first: Array, second: Array) -> Refutation:
    noisy, error = total_variance(first)
    expected = 4 * exact_variances()[1]
    return Refutation(
        "the second head, which looks at b, is the one whose output varies",
        "q2 = beta mu_b is perpendicular to k_a whatever its length: only the first head ever "
        "sees the noise.",
        (
            Check("total variance of head 2", total_variance(second)[0], 0, 1e-6),
            Check("total variance of head 1, sampled", noisy, expected, 0.05, error=error),
        ),
    )


def _draw_two_heads(single: Array, average: Array, v: Array) -> "Figure":
    figure, (left, right) = panels(2)
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
    dress(right, "Total variance of c", "", "")
    return figure
