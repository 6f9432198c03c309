"""One head and two: the known numbers.

The expected figures are computed here in another way or are the published ones.
"""

from math import erf, log, pi, sqrt

import numpy as np
import pytest
from scipy import integrate, special, stats


def test_one_head(found):
    normal = stats.norm(scale=sqrt(0.5))

    def second(g):
        return (special.expit(10 * g) - 0.5) ** 2 * normal.pdf(g)

    sd = sqrt(2 * integrate.quad(second, 0, 8, points=[0.2, 1])[0])
    name = "one-head-is-fragile"
    assert found(name, "sd of alpha_a, beta = 10, by quadrature") == pytest.approx(sd, abs=1e-8)
    assert sd == pytest.approx(0.443, abs=1.5e-3)
    edge = log(1.5) / 10
    balanced = normal.cdf(edge) - normal.cdf(-edge)
    assert balanced == pytest.approx(erf(edge))
    assert found(name, "P(0.4 < alpha_a < 0.6) = ") == pytest.approx(balanced)
    assert balanced == pytest.approx(0.045, abs=1e-3)
    far = found(name, "sd of alpha_a, beta = 100")
    assert far == pytest.approx(sqrt(0.25 - 1 / (100 * sqrt(pi))), abs=1e-5)


def test_two_heads(found):
    g = np.linspace(-8, 8, 2_000_001) * sqrt(0.5)
    density = np.exp(-(g**2))

    def variance(alpha, weight):
        weight = weight / weight.sum()
        return (weight * alpha**2).sum() - (weight * alpha).sum() ** 2

    v = np.random.default_rng(0).standard_normal((10, 10))
    between, outside = ((v[0] - other) @ (v[0] - other) for other in (v[1], v[1:].mean(axis=0)))
    one = between * variance(special.expit(10 * g), density)
    copied = special.expit(10 * (1 + g) - log(9))
    two = outside * variance(copied, density) / 4
    given = outside * variance(copied, density * (g > -1)) / 4
    name = "two-heads-are-robust"
    assert found(name, "total variance of c, one head") == pytest.approx(one, rel=1e-6)
    assert found(name, "total variance of c, two heads") == pytest.approx(two, rel=1e-6)
    assert found(name, "the same given k_a.q1 > 0, by") == pytest.approx(given, rel=1e-4)
    assert (one, two, given) == (
        pytest.approx(4.46, abs=0.02), pytest.approx(0.134, abs=2e-3),
        pytest.approx(0.050, abs=2e-3),
    )  # fmt: skip
    assert found(name, "correlation of the two heads") == pytest.approx(1)
    fails = found(name, "P(k_a.q1 < 0)")
    assert fails == pytest.approx(stats.norm.cdf(-sqrt(2)))
    assert fails == pytest.approx(0.0786, abs=1e-4)
