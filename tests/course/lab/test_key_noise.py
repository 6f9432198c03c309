"""Noise in the keys: the known numbers, by another quadrature."""

from math import log, pi, sqrt
from statistics import NormalDist

import numpy as np
import pytest
import scipy

NOISE = "small-noise-in-keys"


def spread(scale):
    """The standard deviation of sigmoid(scale z), by a plain sum over z."""
    z = np.linspace(-9, 9, 400_001)
    density = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    return sqrt((density * (scipy.special.expit(scale * z) - 0.5) ** 2).sum())


@pytest.mark.parametrize(("alpha", "published"), [(1e-2, 0.31), (1e-3, 0.145), (1e-6, 0.005)])
def test_how_far_the_weight_varies(found, alpha, published):
    label = f"sd of a's weight, alpha = {alpha:g}"
    expected = spread(2 * 10 * sqrt(alpha))
    assert found(NOISE, f"{label}, by quadrature") == pytest.approx(expected, rel=1e-6)
    assert found(NOISE, f"{label}, sampled") == pytest.approx(expected, rel=0.03)
    assert expected == pytest.approx(published, abs=5e-3)


def test_one_head(found):
    normal = NormalDist(0, sqrt(0.5))

    def second(g):
        return (scipy.special.expit(10 * g) - 0.5) ** 2 * normal.pdf(g)

    sd = sqrt(2 * scipy.integrate.quad(second, 0, 8, points=[0.2, 1])[0])
    name = "one-head-is-fragile"
    assert found(name, "sd of alpha_a, beta = 10, by quadrature") == pytest.approx(sd, abs=1e-8)
    edge = log(1.5) / 10
    balanced = normal.cdf(edge) - normal.cdf(-edge)
    assert found(name, "P(0.4 < alpha_a < 0.6) = ") == pytest.approx(balanced)
    far = found(name, "sd of alpha_a, beta = 100")
    assert far == pytest.approx(sqrt(0.25 - 1 / (100 * sqrt(pi))), abs=1e-5)


TWO_HEADS = "two-heads-are-robust"
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
    assert found(TWO_HEADS, "total variance of c, one head") == pytest.approx(one, rel=1e-6)
    assert found(TWO_HEADS, "total variance of c, two heads") == pytest.approx(two, rel=1e-6)
    assert found(TWO_HEADS, "the same given k_a.q1 > 0, by") == pytest.approx(given, rel=1e-4)
    assert found(TWO_HEADS, "the gain of the ten fixed values") == pytest.approx(
        one / two, rel=1e-6
    )
    assert found(TWO_HEADS, "correlation of the two heads") == pytest.approx(1)
    assert found(TWO_HEADS, "P(k_a.q1 < 0)") == pytest.approx(NormalDist().cdf(-sqrt(2)))


def test_the_mean_gain_is_that_of_values_drawn_again_and_of_any_dimension(found):
    """By hand: the weights' variances by a sum over gamma, the values' lengths by drawing them."""
    ratio = 4 * variance(AVERAGING) / variance(COPYING)
    for d in (2, 10):
        v = np.random.default_rng(d).standard_normal((40_000, 10, d))
        between = ((v[:, 0] - v[:, 1]) ** 2).sum(-1).mean()
        outside = ((v[:, 0] - v[:, 1:].mean(1)) ** 2).sum(-1).mean()
        gain = ratio * between / outside
        assert gain == pytest.approx(found(TWO_HEADS, "gain of two heads"), rel=0.02)
    assert found(TWO_HEADS, "the mean gain of head 1 alone") == pytest.approx(gain / 4, rel=0.02)
