"""Noise in the keys: the known numbers, by another quadrature."""

from math import sqrt

import numpy as np
import pytest
import scipy

from wherefrom.course.lab import key_noise

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


def test_only_beta_squared_times_alpha_counts():
    for beta in (5, 10, 40):
        assert key_noise.noisy_spread(beta, 0.1 / beta**2) == pytest.approx(spread(2 * sqrt(0.1)))


def test_another_way_to_make_the_keys_varies_as_much():
    """Not the axes but turned means, and another generator: the same spread."""
    random = np.random.default_rng(3)
    means = np.linalg.qr(random.standard_normal((10, 10)))[0].T
    keys = means + sqrt(1e-3) * random.standard_normal((20_000, 10, 10))
    scores = np.exp(keys @ (10 * (means[0] + means[1])))
    weights = scores[:, 0] / scores.sum(axis=1)
    assert weights.std() == pytest.approx(key_noise.noisy_spread(10, 1e-3), rel=0.03)
