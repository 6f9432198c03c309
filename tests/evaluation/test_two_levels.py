"""Two-level intervals: by hand, and by simulation against one level alone."""

import numpy as np
import pytest

from wherefrom.evaluation.two_levels import difference_over_seeds, mean_over_seeds


def draw(generator, seeds, questions, seed_spread, question_spread):
    """Right answers whose chance depends on the seed and on the question; the true mean is known
    up to the simulation of it."""
    by_seed = generator.normal(0, seed_spread, (seeds, 1))
    by_question = generator.normal(1, question_spread, questions)
    return generator.random((seeds, questions)) < 1 / (1 + np.exp(-(by_seed + by_question)))


def test_the_variance_is_that_of_a_two_way_layout(stats):
    """The mean squares of seeds and questions less that of the noise, which both contain."""
    right = draw(np.random.default_rng(3), 4, 60, 1.0, 2.0).astype(float)
    mean, interval = mean_over_seeds(right)
    seeds = 60 * ((right.mean(1) - mean) ** 2).sum() / 3
    questions = 4 * ((right.mean(0) - mean) ** 2).sum() / 59
    noise = (((right - mean) ** 2).sum() - 3 * seeds - 59 * questions) / (3 * 59)
    assert min(seeds, questions) > noise > 0
    total = seeds + questions - noise
    freedom = total**2 / (seeds**2 / 3 + questions**2 / 59)
    half = stats.t.ppf(0.975, int(freedom)) * (total / 240) ** 0.5
    assert interval == pytest.approx((mean - half, mean + half))


def test_a_difference_on_the_same_questions_is_paired():
    generator = np.random.default_rng(1)
    hard = generator.normal(0, 3, 300)
    one = generator.random((3, 300)) < 1 / (1 + np.exp(-(hard + 1.0)))
    other = generator.random((3, 300)) < 1 / (1 + np.exp(-hard))
    difference, (low, high) = difference_over_seeds(one, other)
    assert difference == pytest.approx(one.mean() - other.mean())
    assert low < difference < high
    apart = sum(np.diff(mean_over_seeds(each)[1])[0] for each in (one, other))
    assert high - low < apart, "the questions' luck is shared"
    back, (low_back, high_back) = difference_over_seeds(other, one)
    assert (back, low_back, high_back) == pytest.approx((-difference, -high, -low))


@pytest.mark.parametrize("shape", [(1, 10), (3, 1), (4,)])
def test_one_seed_or_one_question_has_no_interval(shape):
    with pytest.raises(ValueError, match="at least 2 seeds and 2 questions"):
        mean_over_seeds(np.ones(shape))
    with pytest.raises(ValueError, match="the same questions"):
        difference_over_seeds(np.ones((2, 3)), np.ones((2, 4)))
