"""Risk against coverage and AUROC by hand, intervals by simulation."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.evaluation.selective import (
    auroc,
    compare_areas,
    compare_aurocs,
    risk_coverage,
    spearman,
)

S = np.array([0.9, 0.8, 0.6, 0.4])
RIGHT = np.array([True, False, True, False])

cases = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=30).map(
    lambda rows: (np.array([float(s) for s, _ in rows]), np.array([r for _, r in rows]))
)


# --- risk and coverage -----------------------------------------------------------------------


def test_risk_and_coverage_by_hand():
    found = risk_coverage(S, RIGHT)
    assert found.coverage == (0.25, 0.5, 0.75, 1.0)
    assert found.risk == pytest.approx((0, 1 / 2, 1 / 3, 1 / 2))
    assert found.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)
    assert found.least_area == pytest.approx((0 + 0 + 1 / 3 + 1 / 2) / 4)
    assert risk_coverage(S, RIGHT[[0, 2, 1, 3]]).area == pytest.approx(found.least_area)
    low, high = risk_coverage(np.arange(99.0), np.arange(99) > 9, resamples=200).interval or (1, 0)
    assert low < risk_coverage(np.arange(99.0), np.arange(99) > 9).area < high < 0.1


@settings(max_examples=40)
@given(cases)
def test_it_is_what_every_threshold_does_in_turn(case):
    score, right = case
    thresholds = sorted(set(score.tolist()), reverse=True)
    answered = [score >= t for t in thresholds]
    found = risk_coverage(score, right)
    assert found.coverage == pytest.approx([a.mean() for a in answered])
    assert found.risk == pytest.approx([(~right[a]).mean() for a in answered])
    assert found.area == pytest.approx(np.diff([0, *found.coverage]) @ found.risk)
    assert found.least_area - 1e-12 <= found.area <= 1
    assert risk_coverage(score[::-1], right[::-1]).area == pytest.approx(found.area)
    nothing = risk_coverage(0 * score, right)
    assert nothing.area == pytest.approx((~right).mean()), "it tells nothing"


# --- the difference --------------------------------------------------------------------------


def test_the_bootstrap_is_the_exact_one_for_few_answers():
    """All 256 resamples of 4 answers, counted with their multiplicities."""
    other = np.array([0.1, 0.7, 0.3, 0.9])
    exact = []
    for chosen in combinations_with_replacement(range(4), 4):
        rows = list(chosen)
        first, second = (risk_coverage(x[rows], RIGHT[rows]).area for x in (S, other))
        counts = np.bincount(rows, minlength=4)
        exact += [first - second] * round(24 / np.prod([(1, 1, 2, 6, 24)[c] for c in counts]))
    assert len(exact) == 256
    found = compare_areas(S, other, RIGHT, resamples=2000)
    assert found.difference == pytest.approx(
        risk_coverage(S, RIGHT).area - risk_coverage(other, RIGHT).area
    )
    share = [np.mean(np.array(exact) <= end + 1e-9) for end in found.interval]
    below = [np.mean(np.array(exact) < end - 1e-9) for end in found.interval]
    assert below[0] - 0.02 <= 0.025 <= share[0] + 0.02
    assert below[1] - 0.02 <= 0.975 <= share[1] + 0.02
    two_sided = 2 * min(np.mean(np.array(exact) <= 1e-9), np.mean(np.array(exact) >= -1e-9))
    assert found.p_value == pytest.approx(two_sided, abs=0.03)
    assert two_sided > 0.1, "half of it would be too small by more than that"
    same = compare_areas(S, S, RIGHT, resamples=100)
    assert (same.difference, same.interval, same.p_value) == (0.0, (0.0, 0.0), 1.0)


# --- AUROC -----------------------------------------------------------------------------------


@settings(max_examples=40)
@given(cases)
def test_auroc_is_the_share_of_pairs_in_order_of_which_ties_count_half(case):
    score, right = case
    found = auroc(score, right)
    if right.all() or not right.any():
        assert found is None
    else:
        apart = score[right][:, None] - score[~right]
        assert found.value == pytest.approx(((apart > 0) + (apart == 0) / 2).mean())
        assert found.interval[0] <= found.value <= found.interval[1]
        assert found.details == {"right": right.sum(), "wrong": (~right).sum()}
        back = auroc(-score, right)
        assert back.interval == pytest.approx((1 - found.interval[1], 1 - found.interval[0]))
    with pytest.raises(ValueError, match="not a number"):
        auroc(np.append(score, np.nan), np.append(right, True))


@pytest.mark.parametrize("distance", [0.5, 3.0])
def test_the_interval_holds_the_truth_as_often_as_it_says(distance, stats):
    """60 right, 12 wrong, 300 times: fewer hits have a chance of 1 in 10,000 at 95 %."""
    generator = np.random.default_rng(3)
    truth, hits = stats.norm.cdf(distance / np.sqrt(2)), 0
    for _ in range(300):
        score = np.append(generator.normal(distance, 1, 60), generator.normal(0, 1, 12))
        low, high = auroc(score, np.arange(72) < 60).interval
        hits += low <= truth <= high
    assert hits >= stats.binom.ppf(1e-4, 300, 0.95)


# --- order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_order_stays_within_its_range(sign):
    found = spearman(np.arange(10.0), sign * np.arange(10.0))
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
    assert areas[0] is not None
    assert areas[1] is not None
    assert found.value == pytest.approx(areas[0].value - areas[1].value)
    assert found.interval[0] < found.value < found.interval[1]
    turned = compare_aurocs(other, one, right)
    assert turned.interval == pytest.approx((-found.interval[1], -found.interval[0]))
    same = compare_aurocs(one, np.exp(one), right)
    assert (same.value, same.interval) == (0.0, (0.0, 0.0)), "only the order counts"
