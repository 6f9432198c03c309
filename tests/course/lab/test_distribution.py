"""The weights as a distribution: the known numbers."""

from math import exp

import pytest

NAME = "categorical"


def test_every_weight_is_positive_and_they_sum_to_one(shown, found):
    assert 0 < found(NAME, "the least of 10,000 weights") < exp(-40)
    assert found(NAME, "their sums") == pytest.approx(1, abs=1e-12)
    assert found(NAME, "the largest weight, the same scores") == pytest.approx(
        exp(-1) / (exp(-1) + exp(-2) + exp(-3))
    )
    assert len(shown(NAME).refutations) == 3


def test_a_weight_is_a_share_among_the_items_that_are_there(shown):
    """p becomes p/(1 + p) when the item is there twice, and its lead over another stays."""
    (check,) = [c for c in shown(NAME).checks if c.label.startswith("a once more")]
    p = check.expected / (1 - check.expected)
    assert 0 < p < 1
    assert check.found == pytest.approx(p / (1 + p))
