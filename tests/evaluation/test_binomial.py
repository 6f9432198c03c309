"""Binomial tails against scipy's, and the fewest answers by hand."""

import numpy as np
import pytest

from wherefrom.core.sample_size import least_answers
from wherefrom.evaluation.binomial import binomial_tail, exact_interval, upper_bound


@pytest.mark.parametrize(
    ("n", "chance", "most"),
    [
        (1, 0.5, 1), (22, 0.1, 30), (500, 0.03, 500), (0, 0.1, 0), (400, 0.999, 7), (400, 0.001, 9),
        (50_000, 0.1, 5_000), (50, 0.0, 3), (50, 1.0, 3),
    ],
)  # fmt: skip
def test_tails_are_scipys(stats, n: int, chance: float, most: int):
    expected = stats.binom.cdf(np.arange(min(n, most) + 1), n, chance)
    np.testing.assert_allclose(binomial_tail(n, chance, most), expected, rtol=1e-7, atol=1e-30)


@pytest.mark.parametrize(("wrong", "n"), [(0, 22), (1, 38), (3, 7), (40, 500)])
def test_an_upper_bound_is_clopper_and_pearsons(stats, wrong, n):
    assert upper_bound(wrong, n, 0.1) == pytest.approx(stats.beta.ppf(0.9, wrong + 1, n - wrong))
    assert upper_bound(n, n, 0.1) == 1
    expected = stats.binomtest(wrong, n).proportion_ci(method="exact")
    assert exact_interval(wrong, n) == pytest.approx((expected.low, expected.high), abs=1e-8)


@pytest.mark.parametrize(
    ("alpha", "delta", "wrong", "n"),
    [(0.1, 0.1, 0, 22), (0.1, 0.1, 2, 52), (0.05, 0.1, 0, 45), (0.5, 0.25, 0, 2)],
)
def test_the_fewest_answers_that_show_anything(stats, alpha, delta, wrong, n):
    assert least_answers(alpha, delta, wrong) == n
    enough, fewer = stats.binom.cdf(wrong, [n, n - 1], alpha)
    assert enough <= delta < fewer
