"""Keys, queries and values, and the synthesizer: the known numbers.

The expected figures are computed here in another way or are the published ones.
"""

import numpy as np
import pytest
import scipy


def test_without_key_query_value(found):
    """scores 0, 16, 0 before; 16, 32, 0 with u_d added."""
    before, after = (scipy.special.softmax(s)[0] for s in ([0, 16, 0], [16.0, 32, 0]))
    name = "without-key-query-value"
    assert found(name, "alpha_21 with u_d added") == pytest.approx(after)
    assert found(name, "alpha_21 after over before") == pytest.approx(after / before)
    weights = np.random.default_rng(0).dirichlet([1, 1, 1], 20_000)
    distance = np.sqrt(weights[:, 0] ** 2 + weights[:, 2] ** 2 + 2 * weights[:, 1] ** 2)
    least = found(name, "least distance of any average from u_b")
    assert least <= distance.min() <= least + 0.02


def test_the_synthesizer_costs_what_it_says(found):
    assert found("synthesizer", "multiplications of the scores") == 2 * 64 * 8 * 64
    assert found("synthesizer", "growth when l doubles") == 4
