"""Scores of probabilities against scikit-learn, against sums by hand, and against simulation."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.config import to_json
from wherefrom.evaluation.calibration_measures import (
    FEWEST,
    assign_bins,
    brier_score,
    calibration_error,
    calibration_line,
    cumulative_error,
    log_score,
    reliability_diagram,
    score_calibration,
)


def answers(n: int, seed: int, slope: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities whose log-odds are `slope` times too small: 1 is honest."""
    generator = np.random.default_rng(seed)
    logits = generator.normal(0.5, 1.5, n)
    right = generator.random(n) < 1 / (1 + np.exp(-slope * logits))
    return 1 / (1 + np.exp(-logits)), right


# Few values, so that ties and bins of one value are common.
cases = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=40).map(
    lambda rows: (np.array([p / 8 for p, _ in rows]), np.array([r for _, r in rows]))
)


# --- proper scores ---------------------------------------------------------------------------


def test_brier_by_hand():
    """Two bins: 0.2 and 0.4, one of two right; 0.6 and 0.8, both right."""
    p, right = np.array([0.2, 0.4, 0.6, 0.8]), np.array([False, True, True, True])
    found = brier_score(p, right, bins=2)
    assert found.score == pytest.approx((0.04 + 0.36 + 0.16 + 0.04) / 4)
    assert found.reliability == pytest.approx((0.2**2 + 0.3**2) / 2)
    assert found.resolution == pytest.approx(0.25**2)
    assert found.uncertainty == pytest.approx(0.75 * 0.25)
    assert calibration_error(p, right, bins=2).value == pytest.approx((0.2 + 0.3) / 2)


def test_log_score_by_hand():
    p, right = np.array([0.25, 0.25, 0.75, 0.75]), np.array([False, True, True, True])
    found = log_score(p, right, bins=2)
    entropy = -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    assert found.score == pytest.approx(-(3 * math.log(0.75) + math.log(0.25)) / 4)
    assert found.uncertainty == pytest.approx(entropy)
    assert found.resolution == pytest.approx(entropy - math.log(2) / 2)
    low = 0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    assert found.reliability == pytest.approx((low - math.log(0.75)) / 2)
    assert found.remainder == pytest.approx(0, abs=1e-12)


@given(cases, st.integers(1, 12))
def test_the_parts_add_up(case, bins):
    for score in (brier_score, log_score):
        found = score(*case, bins)
        parts = found.reliability - found.resolution + found.uncertainty + found.remainder
        assert parts == pytest.approx(found.score, abs=1e-9)
        assert min(found.reliability, found.resolution, found.uncertainty) >= -1e-9


def test_sure_mistakes_cost_much_but_not_everything():
    found = log_score(np.array([0.0, 1.0]), np.array([True, False]))
    assert found.score == pytest.approx(-math.log(1e-12), rel=1e-4)
    assert log_score(np.array([0.0, 1.0]), np.array([False, True])).score < 1e-11


# --- bins ------------------------------------------------------------------------------------


@given(cases, st.integers(1, 12))
def test_bins_are_whole_in_order_and_keep_equals_together(case, bins):
    p, _ = case
    place = assign_bins(p, bins)
    assert set(place.tolist()) == set(range(place.max() + 1))
    assert place.max() < bins
    order = np.argsort(p, kind="stable")
    assert (np.diff(place[order]) >= 0).all()
    assert all(len(set(place[p == value].tolist())) == 1 for value in p)
    sizes = np.bincount(assign_bins(np.arange(100 + bins) / 200, bins))
    assert sizes.max() - sizes.min() <= 1, "without ties they are equally full"


def test_equals_go_to_the_bin_of_their_middle_rank():
    """Ranks 1 to 5 in two bins: the three in the middle have the middle rank 3, beyond the half."""
    assert assign_bins(np.array([0.1, 0.5, 0.5, 0.5, 0.9]), 2).tolist() == [0, 1, 1, 1, 1]


def test_the_diagram_is_scikit_learns_with_wilsons_intervals(stats):
    from sklearn.calibration import calibration_curve

    p, right = answers(400, 1)
    found = reliability_diagram(p, right)
    frequency, mean = calibration_curve(right, p, n_bins=10, strategy="quantile")
    assert [b.frequency for b in found] == pytest.approx(frequency)
    assert [b.mean for b in found] == pytest.approx(mean)
    assert sum(b.n for b in found) == 400
    for b in found:
        wanted = stats.binomtest(round(b.frequency * b.n), b.n).proportion_ci(method="wilson")
        assert b.interval == pytest.approx(tuple(wanted))


# --- the line --------------------------------------------------------------------------------


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("n", [300, 3000])
def test_the_line_is_that_of_a_logistic_regression(logistic_regression, n, slope):
    p, right = answers(n, n, slope)
    found = calibration_line(p, right)
    logit = np.log(p / (1 - p))[:, None]
    model = logistic_regression(C=1e12, solver="newton-cholesky", tol=1e-12).fit(logit, right)
    assert found.slope == pytest.approx(model.coef_[0, 0], abs=1e-5)
    assert found.intercept == pytest.approx(model.intercept_[0], abs=1e-5)
    low, high = found.slope_interval
    assert low < found.slope < high
    if n == 3000:
        assert low < slope < high


def test_the_intervals_hold_the_truth_as_often_as_they_say(stats):
    """300 times 95 %: a count this low has a chance of about 1 in 10,000."""
    hits = 0
    for seed in range(300):
        low, high = calibration_line(*answers(400, 1000 + seed)).slope_interval
        hits += low <= 1 <= high
    assert hits >= stats.binom.ppf(1e-4, 300, 0.95)


@pytest.mark.parametrize(
    ("p", "right"),
    [
        ([0.2, 0.8, 0.6, 0.7], [True, True, True, True]),
        ([0.1, 0.2, 0.7, 0.9], [False, False, True, True]),
        ([0.1, 0.5, 0.5, 0.9], [False, False, True, True]),
        ([0.3, 0.3 + 1e-16, 0.3 - 1e-16, 0.3 + 2e-16], [True, False, True, False]),
    ],
)
def test_where_no_line_is_best_there_is_none(p, right):
    found = calibration_line(np.tile(p, FEWEST), np.tile(right, FEWEST))
    assert (found.slope, found.intercept, found.slope_interval) == (None, None, None)


def test_a_slope_takes_fifty_errors():
    p, right = answers(2 * FEWEST, 0)
    right[:] = np.arange(2 * FEWEST) < FEWEST
    assert calibration_line(p, right).slope is not None
    right[0] = False
    assert calibration_line(p, right).slope is None


# --- the error and its null ------------------------------------------------------------------


def test_the_null_is_the_exact_one_for_few_answers():
    """Every outcome of 3 answers, with its probability: the mean error is known."""
    p = np.array([0.2, 0.5, 0.9])
    exact = 0.0
    for outcome in np.ndindex(2, 2, 2):
        chance = np.prod(np.where(outcome, p, 1 - p))
        exact += chance * abs(p.sum() - sum(outcome)) / 3
    found = calibration_error(p, np.array([True, True, True]), bins=1, simulations=4000)
    assert found.null_mean == pytest.approx(exact, abs=0.01)
    wanted = 0.2 * 0.5 * 0.9 + 0.8 * 0.5 * 0.1  # as far off: all right, or none
    assert found.p_value == pytest.approx(wanted, abs=0.015)


@pytest.mark.parametrize("error", [calibration_error, cumulative_error])
def test_honest_probabilities_pass_and_others_do_not(stats, error):
    honest = [error(*answers(200, s), simulations=100).p_value for s in range(30)]
    assert stats.kstest(honest, "uniform").pvalue > 1e-3
    boastful = error(*answers(1000, 0, slope=0.4))
    assert boastful.value > boastful.null_95 > boastful.null_mean > 0
    assert boastful.p_value == pytest.approx(1 / 2001)


# --- without bins, and intervals ----------------------------------------------------------------


def test_the_cumulative_error_by_hand():
    p, right = np.array([0.2, 0.8, 0.5, 0.5]), np.array([False, True, True, False])
    # In order: 0.2 - 0; then both of 0.5 at once, 1 - 1; then 0.8 - 1.
    assert cumulative_error(p, right, 10).value == pytest.approx(0.2 / 4)
    assert cumulative_error(p, right, 10).bins == 0


def test_scores_have_intervals_and_go_into_json():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    right = rng.uniform(size=300) < p
    found = score_calibration(p, right)
    for scored, losses in (
        (found.brier, (p - right) ** 2),
        (found.log, -np.log(np.where(right, p, 1 - p))),
    ):
        half = 1.96 * losses.std() / np.sqrt(300)
        assert scored.interval is not None
        assert scored.interval == pytest.approx(
            (losses.mean() - half, losses.mean() + half), abs=half / 4
        )
    one = score_calibration(np.array([0.7]), np.array([True]))
    assert (one.brier.score, one.brier.interval) == (pytest.approx(0.09), None)
    assert json.dumps(to_json(one), allow_nan=False)
