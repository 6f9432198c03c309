"""Intervals against scipy, published examples and exact coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.evaluation import intervals
from wherefrom.evaluation.intervals import (
    bootstrap_mean,
    mean_interval,
    paired_difference,
    resample_counts,
    wilson,
)


def _items(both: int, only_a: int, only_b: int, neither: int) -> tuple[list[bool], list[bool]]:
    a = [True] * (both + only_a) + [False] * (only_b + neither)
    b = [True] * both + [False] * only_a + [True] * only_b + [False] * neither
    return a, b


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(stats, counts):
    expected = stats.binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert wilson(*counts) == pytest.approx(tuple(expected), abs=1e-12)


def test_wilson_ends_are_exact_and_nothing_counted_says_nothing():
    for n in range(1, 200):
        assert wilson(0, n)[0] == 0.0
        assert wilson(n, n)[1] == 1.0
    assert wilson(0, 30)[1] > 0.1
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="expected 0 to 3 successes, found 4"):
        wilson(4, 3)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12))
def test_mean_interval_is_scipys(stats, values):
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    mean = np.mean(values)
    assert mean_interval(values) == pytest.approx((mean - half, mean + half), rel=1e-9, abs=1e-9)
    for measure in (mean_interval, bootstrap_mean):
        with pytest.raises(ValueError, match="at least 2"):
            measure(values[:1])


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((18, 12, 2, 18), (0.0562, 0.3290)),
        ((53, 0, 0, 1), (-0.0729, 0.0729)),
        ((0, 30, 0, 0), (0.8395, 1.0)),
    ],
)
def test_paired_difference_gives_newcombes_published_values(table, expected):
    """Method 10 on the examples of R. G. Newcombe, Statistics in Medicine 17 (1998) 2635."""
    difference, interval = paired_difference(*_items(*table))
    assert difference == (table[1] - table[2]) / sum(table)
    assert interval == pytest.approx(expected, abs=6e-5)


def test_bootstrap_agrees_with_scipy(stats):
    values = np.random.default_rng(3).exponential(size=120)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    found = bootstrap_mean(values)
    assert found == pytest.approx(tuple(expected), abs=0.1 * (expected[1] - expected[0]))
    assert bootstrap_mean(values.tolist()) == found, "the draws are counted"
    assert (resample_counts(7, resamples=50).sum(1) == 7).all()
    shifted = np.array(bootstrap_mean(values + 1e6)) - 1e6
    assert shifted == pytest.approx(found, abs=1e-8)


def test_bootstrap_of_a_long_text_draws_runs_of_neighbours():
    """Ten equal neighbours are one observation: their interval is that of the distinct ones."""
    distinct = np.random.default_rng(0).normal(size=intervals.MOST_BLOCKS)
    repeated = np.repeat(distinct, 10)
    assert bootstrap_mean(repeated) == pytest.approx(bootstrap_mean(distinct), abs=1e-12)


def test_bootstrap_of_runs_counts_a_short_last_run_by_its_length():
    """A constant has a point for an interval, whatever the lengths of the runs."""
    low, high = bootstrap_mean(np.full(intervals.MOST_BLOCKS * 3 + 1, 0.7))
    assert (low, high) == pytest.approx((0.7, 0.7), abs=1e-12)
    values = np.zeros(intervals.MOST_BLOCKS * 3 + 1)
    values[-1] = 3.0
    assert bootstrap_mean(values)[1] < 10 * values.mean()
