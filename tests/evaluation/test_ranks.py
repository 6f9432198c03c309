"""Rankings compared: against scipy and by hand."""

import numpy as np
import pytest

from wherefrom.evaluation.ranks import compare_aurocs, resample_counts, spearman
from wherefrom.evaluation.selective import auroc


def test_spearman_is_scipys_with_ties_too(stats):
    chance = np.random.default_rng(0)
    one = chance.integers(0, 8, 60).astype(float)
    other = one + chance.integers(0, 8, 60)
    found = spearman(one, other)
    assert found is not None
    assert found.value == pytest.approx(stats.spearmanr(one, other).statistic)
    assert found.n == 60
    assert found.interval[0] < found.value < found.interval[1]


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_order_stays_within_its_range(sign):
    found = spearman(np.arange(10.0), sign * np.arange(10.0))
    assert found is not None
    assert found.value == pytest.approx(sign)
    assert -1 <= found.interval[0] <= found.value + 1e-12
    assert found.value - 1e-12 <= found.interval[1] <= 1


def test_the_interval_of_spearman_holds_the_truth():
    """Normal pairs of correlation r have a Spearman correlation of 6 / pi asin(r / 2)."""
    chance, r = np.random.default_rng(1), 0.6
    truth, held = 6 / np.pi * np.arcsin(r / 2), 0
    for _ in range(400):
        one = chance.normal(size=50)
        other = r * one + np.sqrt(1 - r * r) * chance.normal(size=50)
        found = spearman(one, other)
        assert found is not None
        held += found.interval[0] <= truth <= found.interval[1]
    assert 0.92 <= held / 400 <= 0.98


def test_what_has_no_order_has_no_correlation():
    assert spearman(np.ones(9), np.arange(9.0)) is None
    assert spearman(np.arange(3.0), np.arange(3.0)) is None


def test_the_difference_is_that_of_the_two_areas():
    chance = np.random.default_rng(2)
    right = chance.random(80) < 0.7
    one, other = (right + chance.normal(size=80) * s for s in (0.5, 2.0))
    one = np.round(one)  # many ties, which the other score has not
    found = compare_aurocs(one, other, right)
    areas = auroc(one, right), auroc(other, right)
    assert found is not None
    assert areas[0] is not None
    assert areas[1] is not None
    assert found.value == pytest.approx(areas[0].value - areas[1].value)
    assert found.interval[0] < found.value < found.interval[1]
    turned = compare_aurocs(other, one, right)
    assert turned is not None
    assert turned.interval == pytest.approx((-found.interval[1], -found.interval[0]))
    same = compare_aurocs(one, np.exp(one), right)
    assert same is not None
    assert (same.value, same.interval) == (0.0, (0.0, 0.0)), "only the order counts"


def test_without_two_kinds_of_answers_there_is_nothing_to_compare():
    assert compare_aurocs(np.arange(4.0), np.arange(4.0), np.ones(4, dtype=bool)) is None


@pytest.mark.parametrize(
    ("times", "resamples", "most"),
    [(40, 200, 1.0), pytest.param(200, 400, 0.99, marks=pytest.mark.nightly)],
)
def test_the_interval_of_a_difference_holds_the_truth(times, resamples, most):
    """Two scores with the same noise have a difference of 0."""
    chance, held = np.random.default_rng(3), 0
    for _ in range(times):
        right = np.arange(100) < 75
        one, other = (right + chance.normal(size=100) for _ in range(2))
        found = compare_aurocs(one, other, right, resamples=resamples)
        assert found is not None
        held += found.interval[0] <= 0 <= found.interval[1]
    assert 0.9 <= held / times <= most


def test_resamples_draw_as_many_as_there_are():
    counts = resample_counts(7, resamples=50)
    assert counts.shape == (50, 7)
    assert (counts.sum(1) == 7).all()
    assert counts.mean() == pytest.approx(1.0)
    assert (resample_counts(7, resamples=50) == counts).all()
