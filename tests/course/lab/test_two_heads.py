"""Two heads: the known numbers, and a gain that belongs to the values.

The expected figures are computed here in another way or are the published ones.
"""

from math import log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
import scipy

NAME = "two-heads-are-robust"


def test_two_heads(found):
    g = np.linspace(-8, 8, 2_000_001) * sqrt(0.5)
    density = np.exp(-(g**2))

    def variance(alpha, weight):
        weight = weight / weight.sum()
        return (weight * alpha**2).sum() - (weight * alpha).sum() ** 2

    v = np.random.default_rng(0).standard_normal((10, 10))
    between, outside = ((v[0] - other) @ (v[0] - other) for other in (v[1], v[1:].mean(axis=0)))
    one = between * variance(scipy.special.expit(10 * g), density)
    copied = scipy.special.expit(10 * (1 + g) - log(9))
    two = outside * variance(copied, density) / 4
    given = outside * variance(copied, density * (g > -1)) / 4
    assert found(NAME, "total variance of c, one head") == pytest.approx(one, rel=1e-6)
    assert found(NAME, "total variance of c, two heads") == pytest.approx(two, rel=1e-6)
    assert found(NAME, "the same given k_a.q1 > 0, by") == pytest.approx(given, rel=1e-4)
    assert found(NAME, "the gain of the ten fixed values") == pytest.approx(one / two, rel=1e-6)
    assert (one, two, given) == (
        pytest.approx(4.46, abs=0.02), pytest.approx(0.134, abs=2e-3),
        pytest.approx(0.050, abs=2e-3),
    )  # fmt: skip
    assert found(NAME, "correlation of the two heads") == pytest.approx(1)
    fails = found(NAME, "P(k_a.q1 < 0)")
    assert fails == pytest.approx(NormalDist().cdf(-sqrt(2)))
    assert fails == pytest.approx(0.0786, abs=1e-4)


def test_the_mean_gain_is_that_of_values_drawn_again_and_of_any_dimension(found):
    """By hand: the weights' variances by a sum over gamma, the values' lengths by drawing them."""
    g = np.linspace(-8, 8, 2_000_001) * sqrt(0.5)
    density = np.exp(-(g**2)) / np.exp(-(g**2)).sum()

    def variance(alpha):
        return (density * alpha**2).sum() - (density * alpha).sum() ** 2

    copied = scipy.special.expit(10 * (1 + g) - log(9))
    one, two = variance(scipy.special.expit(10 * g)), variance(copied) / 4
    for d in (2, 10):
        v = np.random.default_rng(d).standard_normal((40_000, 10, d))
        between = ((v[:, 0] - v[:, 1]) ** 2).sum(-1).mean()
        outside = ((v[:, 0] - v[:, 1:].mean(1)) ** 2).sum(-1).mean()
        gain = one * between / (two * outside)
        assert gain == pytest.approx(found(NAME, "gain of two heads"), rel=0.02)
    assert found(NAME, "the mean gain of head 1 alone") == pytest.approx(gain / 4, rel=0.02)
