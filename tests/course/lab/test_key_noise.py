"""Noise in the keys: the known numbers, by another quadrature."""

from math import sqrt

import numpy as np
import pytest
import scipy

NOISE, RANGE = "small-noise-in-keys", "range-of-a-key"


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
