"""A key that varies in length: why one head that averages two items is fragile.

k_a = (1 + gamma) mu_a with gamma ~ N(0, 1/2), every other key is its mean, and the means are
perpendicular unit vectors (here the axes). Item 0 is a, item 1 is b.
"""

import math

import numpy as np
from numpy.typing import NDArray

from wherefrom.course.lab.demonstration import Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.numerics import (
    Array,
    gaussian_mean,
    gaussian_variance,
    generator,
    sigmoid,
    softmax,
)
from wherefrom.show.drawing.figures import PALE, RIGHT, WRONG, dress, panels

N = 10
BETA = 10.0
SD = math.sqrt(0.5)  # of gamma
SAMPLES = 40_000
_NOISE = 1e-6  # standard deviation of the vanishing part of every key
_USE = 4


def sample_keys(seed: int) -> tuple[Array, Array]:
    """gamma, and the keys of every sample: (samples,) and (samples, items, d)."""
    random = generator(seed, _USE)
    gamma = random.normal(0.0, SD, SAMPLES)
    keys = np.eye(N) + _NOISE * random.standard_normal((SAMPLES, N, N))
    keys[:, 0, 0] += gamma
    return gamma, keys


def spread(beta: float, sd: float = SD) -> float:
    """The standard deviation of sigmoid(beta g) for g ~ N(0, sd^2), by quadrature."""
    return math.sqrt(gaussian_variance(lambda g: sigmoid(beta * g), sd))


def within(edge: float, beta: float) -> float:
    """P(1 - edge < sigmoid(beta gamma) < edge): gamma has variance 1/2, so it is an erf."""
    return math.erf(math.log(edge / (1 - edge)) / beta)


def balanced(alpha: Array) -> NDArray[np.bool]:
    """Whether neither a nor b has much more weight than the other, for each sample."""
    return (alpha > 0.4) & (alpha < 0.6)


def one_head(seed: int) -> Demonstration:
    gamma, keys = sample_keys(seed)
    weights = softmax(keys @ (BETA * (np.eye(N)[0] + np.eye(N)[1])))
    alpha = weights[:, 0]
    far = float(abs(alpha - sigmoid(BETA * gamma)).max())
    checks = (
        Check("alpha_a minus sigmoid(beta gamma), the largest of all samples", far, 0, 1e-3),
        Check("sd of alpha_a, beta = 10, by quadrature", spread(BETA), 0.443, 1.5e-3),
        Check.sampled_sd("sd of alpha_a, beta = 10, sampled", alpha, spread(BETA)),
        Check(
            "sd of alpha_a, beta = 100, against sqrt(1/4 - 1/(beta sqrt pi))",
            spread(100),
            math.sqrt(0.25 - 1 / (100 * math.sqrt(math.pi))),
            1e-5,
        ),
        Check("sd of alpha_a, beta = 1,000, against its limit 1/2", spread(1000), 0.5, 1e-3),
        Check("P(0.4 < alpha_a < 0.6) = erf(ln 1.5 / beta)", within(0.6, BETA), 0.045, 1e-3),
        Check.sampled("the same, sampled", balanced(alpha), within(0.6, BETA)),
    )
    return Demonstration.of(
        "one-head-is-fragile",
        checks,
        _one_head_refutations(keys),
        lambda: _draw_one_head(alpha),
    )


def _one_head_refutations(keys: Array) -> tuple[Refutation, ...]:
    still = float((keys[:, 1] @ (np.eye(N)[0] + np.eye(N)[1])).std())
    both, extreme = spread(BETA, 1.0), 1 - within(0.9, BETA)
    share = within(0.6, BETA)
    return (
        Refutation.of(
            "alpha_a = sigmoid(beta (eps_a - eps_b)), with noise in the length of k_b as well",
            Check("sd of k_b.q / beta over the samples", still, 0, 1e-4),
            Check("sd of alpha_a with noise on both keys", both, 0.459, 5e-4),
            Check.away("the same against the spread there is", both, spread(BETA), 0.01),
        ),
        Refutation.of(
            "c is a balanced average whenever k_a is near its mean, which is the usual case",
            Check("P(0.4 < alpha_a < 0.6)", share, 0.045, 1e-3),
            Check.away("the same against a majority", share, 0.5, 0.4),
            Check(
                "P(alpha_a < 0.1 or > 0.9) = 1 - erf(ln 9 / beta)",
                extreme,
                1 - gaussian_mean(_unsettled, SD),
                5e-3,
            ),
        ),
    )


def _unsettled(gamma: Array) -> Array:
    alpha = sigmoid(BETA * gamma)
    return np.where((alpha > 0.1) & (alpha < 0.9), 1.0, 0.0)


def _draw_one_head(alpha: Array) -> Figure:
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
