"""The fewest answers that show anything, by the tails on both sides."""

import pytest

from wherefrom.core.sample_size import least_answers


@pytest.mark.parametrize(
    ("alpha", "delta", "wrong", "n"),
    [
        (0.1, 0.1, 0, 22),
        (0.1, 0.1, 2, 52),
        (0.05, 0.1, 0, 45),
        (0.5, 0.25, 0, 2),
        (0.5, 0.1, 30, 72),
    ],
)
def test_the_fewest_answers_that_show_anything(stats, alpha, delta, wrong, n):
    assert least_answers(alpha, delta, wrong) == n
    enough, fewer = stats.binom.cdf(wrong, [n, n - 1], alpha)
    assert enough <= delta < fewer
