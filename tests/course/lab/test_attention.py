"""Copying, averaging and projecting: the known numbers.

The expected figures are computed here in another way or are the published ones.
"""

from math import e, exp, sqrt

import numpy as np
import pytest


def test_copying(found):
    assert found("copying", "alpha_j with q = k_j") == pytest.approx(e / (e + 9))
    assert found("copying", "alpha_j with q = k_j") == pytest.approx(0.232, abs=5e-4)
    assert found("copying", "alpha_j for these scores") == pytest.approx(0.5)
    half = found("copying", "alpha_j with a margin of ln(n-1), n = 10")
    assert half == pytest.approx(9 / (9 + 9))


def test_average_of_two(found):
    def weight(plus, others):
        return exp(plus) / (2 * exp(plus) + 8 * exp(others))

    name = "average-of-two"
    assert found(name, "alpha_a, beta = 1, closed form") == pytest.approx(weight(1, 0))
    assert found(name, "alpha_a, beta = 5, closed form") == pytest.approx(weight(5, 0))
    assert weight(1, 0) == pytest.approx(0.202, abs=5e-4)
    assert weight(5, 0) == pytest.approx(0.487, abs=5e-4)
    assert found(name, "the others subtracted, beta = 1") == pytest.approx(weight(1, -1))
    half = found(name, "alpha_a with q = (mu_a + mu_b)/2")
    assert half == pytest.approx(weight(0.5, 0))
    assert half == pytest.approx(0.146, abs=5e-4)


def test_projection(found, drawn):
    """Lengths are those of coordinates, since the bases are orthonormal: A x is as long as x."""
    random = drawn(3)
    random.standard_normal((8, 7))
    c, _, turn = (random.standard_normal(shape) for shape in (3, 4, (3, 3)))
    assert found("projection", "|M v_b - v_b|") == pytest.approx(1)
    # A stretch by s along a direction, there and back, is one by s^2: what is left is s^2 - 1.
    along = np.linalg.qr(turn)[0].T @ (c / sqrt((c**2).sum()))
    left = np.array([0.25, 2.25, 6.25]) - 1
    skewed = found("projection", "a basis that is not orthonormal")
    assert skewed == pytest.approx(sqrt(((left * along) ** 2).sum()))
