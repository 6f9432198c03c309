"""Thresholds on answers known by hand, and against trying every threshold there is."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wherefrom.answering.abstention import REFUSE_ALL, Threshold, apply, choose_threshold, refused
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData

P = np.array([0.9, 0.2, 0.8, 0.6, 0.4])
RIGHT = np.array([True, False, True, False, True])


@pytest.mark.parametrize(
    ("precision", "value", "answered"), [(1.0, 0.8, 2), (0.75, 0.4, 4), (0.5, 0.2, 5)]
)
def test_the_smallest_threshold_that_does(precision, value, answered):
    found = choose_threshold(P, RIGHT, precision)
    assert (found.value, found.answered_share, found.n) == (value, answered / 5, 5)
    assert found.precision_target == precision
    assert found.answers(P).sum() == answered


def test_a_dip_in_precision_above_the_threshold_is_no_obstacle():
    """At 0.6 the precision is 2/3, at 0.4 it is 3/4 again."""
    assert choose_threshold(P, RIGHT, 0.7).value == 0.4


def test_equal_probabilities_are_answered_together():
    p, right = np.array([0.9, 0.7, 0.7]), np.array([True, True, False])
    assert choose_threshold(p, right, 0.9).value == 0.9
    assert choose_threshold(p[::-1], right[::-1], 0.9).value == 0.9
    assert choose_threshold(p, right, 0.6).value == 0.7


def test_no_threshold_refuses_all():
    found = choose_threshold(P, ~RIGHT & (P < 0.3), 0.95)
    assert (found.value, found.answered_share, found.precision) == (REFUSE_ALL, 0.0, None)
    assert found.value > 1
    assert not found.answers(np.array([1.0])).any()
    scores = apply(found, P, RIGHT)
    assert list(scores) == ["answered_share"]
    assert scores["answered_share"].value == 0


def test_a_precision_met_exactly_is_met():
    right = np.arange(20) > 0
    assert choose_threshold(np.full(20, 0.5), right, 0.95).value == 0.5


cases = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=30)


@given(cases, st.sampled_from([0.5, 0.8, 0.95, 1.0]))
def test_it_is_what_trying_every_threshold_finds(case, precision):
    p, right = np.array([c / 6 for c, _ in case]), np.array([r for _, r in case])
    tried = set(p.tolist()) - {0.0}
    good = [t for t in tried if right[p >= t].mean() >= precision]
    found = choose_threshold(p, right, precision)
    assert found.value == (min(good) if good else REFUSE_ALL)
    if good:
        assert found.precision == pytest.approx(right[p >= found.value].mean())
        assert found.answered_share == pytest.approx((p >= found.value).mean())


def test_apply_by_hand_with_wilsons_intervals():
    threshold = Threshold(0.5, 0.95, 0.4, 1.0, 5)
    scores = apply(threshold, P, RIGHT)
    for name, count, n in (("answered_share", 3, 5), ("precision", 2, 3)):
        score = scores[name]
        assert (score.measure, score.value, score.n) == (name, count / n, n)
        expected = stats.binomtest(count, n).proportion_ci(0.95, method="wilson")
        assert score.interval == pytest.approx(tuple(expected))


def test_at_the_threshold_is_answered():
    assert apply(Threshold(0.6, 0.95, 1, 1, 1), P, RIGHT)["answered_share"].value == 3 / 5


def test_refused_is_the_rest():
    score = refused(Threshold(0.5, 0.95, 0.4, 1.0, 5), P)
    assert (score.measure, score.value, score.n) == ("refused_share", 2 / 5, 5)
    expected = stats.binomtest(2, 5).proportion_ci(0.95, method="wilson")
    assert score.interval == pytest.approx(tuple(expected))


def test_what_has_no_chance_is_never_answered():
    """Not even where everything so unlikely was right."""
    found = choose_threshold(np.array([0.0, 0.0, 0.8]), np.array([True, True, True]), 0.9)
    assert found.value == 0.8
    assert found.answers(np.array([0.0, 0.8])).tolist() == [False, True]
    nothing = choose_threshold(np.zeros(3), np.ones(3, dtype=bool), 0.9)
    assert nothing.value == REFUSE_ALL


@pytest.mark.parametrize("right", [RIGHT, np.zeros(5, dtype=bool)])
def test_a_threshold_comes_back_from_json(right):
    found = choose_threshold(P, right, 0.75)
    written = json.loads(json.dumps(to_json(found)))
    assert from_json(Threshold, written, "threshold") == found
    with pytest.raises(BadData, match="threshold: expected the field 'value', found none"):
        from_json(Threshold, {"n": 3}, "threshold")
    for name in ("value", "n", "precision_target", "answered_share", "precision"):
        with pytest.raises(BadData, match=rf"threshold\.{name}: expected a .*number, found 'x'"):
            from_json(Threshold, written | {name: "x"}, "threshold")


@pytest.mark.parametrize("name", ["value", "precision_target", "answered_share", "precision"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_threshold_is_made_of_finite_numbers(name, value):
    with pytest.raises(BadData, match="threshold: expected finite numbers"):
        replace(choose_threshold(P, RIGHT, 0.75), **{name: value})


def test_bad_input():
    with pytest.raises(BadData, match="found none"):
        choose_threshold(P[:0], RIGHT[:0])
    with pytest.raises(ValueError, match="one list"):
        apply(Threshold(0.5, 0.95, 1, 1, 1), P, RIGHT[:2])
    with pytest.raises(ValueError, match="precision"):
        choose_threshold(P, RIGHT, precision=95)
    for bad in (np.nan, 1.2, -0.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            choose_threshold(np.append(P, bad), np.append(RIGHT, True))
