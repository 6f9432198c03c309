"""Binomial tails against scipy's, and the fewest answers by hand."""

import numpy as np
import pytest
from scipy.stats import binom

from wherefrom.evaluation.binomial import binomial_tail, least_answers


@pytest.mark.parametrize(("n", "chance"), [(1, 0.5), (22, 0.1), (500, 0.03), (0, 0.1)])
def test_tails_are_scipys(n: int, chance: float):
    np.testing.assert_allclose(binomial_tail(n, chance, n), binom.cdf(np.arange(n + 1), n, chance))


def test_the_fewest_answers_by_hand():
    """0.9 to the 22nd power is 0.098, to the 21st 0.109."""
    assert least_answers(0.1, 0.1) == 22
    assert least_answers(0.5, 0.25) == 2
