"""One head: the known numbers.

The expected figures are computed here in another way; the demonstration checks the published ones.
"""

from math import log, pi, sqrt
from statistics import NormalDist

import pytest
import scipy


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
