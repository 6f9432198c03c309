"""Two heads: the known numbers, and a gain that belongs to the values.

The expected figures are computed here in another way.
"""

from math import log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
import scipy

NAME = "two-heads-are-robust"
GAMMA = np.linspace(-8, 8, 2_000_001) * sqrt(0.5)
DENSITY = np.exp(-(GAMMA**2))
AVERAGING = scipy.special.expit(10 * GAMMA)
COPYING = scipy.special.expit(10 * (1 + GAMMA) - log(9))


def variance(alpha, weight=DENSITY):
    weight = weight / weight.sum()
    return (weight * alpha**2).sum() - (weight * alpha).sum() ** 2


def test_two_heads(found):
    v = np.random.default_rng(0).standard_normal((10, 10))
    between, outside = ((v[0] - other) @ (v[0] - other) for other in (v[1], v[1:].mean(axis=0)))
    one, two = between * variance(AVERAGING), outside * variance(COPYING) / 4
    given = outside * variance(COPYING, DENSITY * (GAMMA > -1)) / 4
    assert found(NAME, "total variance of c, one head") == pytest.approx(one, rel=1e-6)
    assert found(NAME, "total variance of c, two heads") == pytest.approx(two, rel=1e-6)
    assert found(NAME, "the same given k_a.q1 > 0, by") == pytest.approx(given, rel=1e-4)
    assert found(NAME, "the gain of the ten fixed values") == pytest.approx(one / two, rel=1e-6)
    assert found(NAME, "correlation of the two heads") == pytest.approx(1)
    assert found(NAME, "P(k_a.q1 < 0)") == pytest.approx(NormalDist().cdf(-sqrt(2)))


def test_the_mean_gain_is_that_of_values_drawn_again_and_of_any_dimension(found):
    """By hand: the weights' variances by a sum over gamma, the values' lengths by drawing them."""
    ratio = 4 * variance(AVERAGING) / variance(COPYING)
    for d in (2, 10):
        v = np.random.default_rng(d).standard_normal((40_000, 10, d))
        between = ((v[:, 0] - v[:, 1]) ** 2).sum(-1).mean()
        outside = ((v[:, 0] - v[:, 1:].mean(1)) ** 2).sum(-1).mean()
        gain = ratio * between / outside
        assert gain == pytest.approx(found(NAME, "gain of two heads"), rel=0.02)
    assert found(NAME, "the mean gain of head 1 alone") == pytest.approx(gain / 4, rel=0.02)
