"""Binned accuracies, held against counts made by hand."""

import numpy as np
import pytest

from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import paired_difference, wilson
from wherefrom.memorisation.dose_response import dose, dose_by_position, never_exposed

COUNT = np.array([0, 0, 1, 2, 3, 3, 9, 0])
RIGHT = np.array([0, 1, 0, 1, 1, 0, 1, 0], dtype=bool)


def test_bins_double_and_empty_ones_are_left_out():
    rows = dose(COUNT, RIGHT)
    assert [(r.low, r.high, r.n, r.right) for r in rows] == [
        (0, 0, 3, 1), (1, 1, 1, 0), (2, 3, 3, 2), (8, 9, 1, 1),
    ]  # fmt: skip
    assert [r.interval for r in rows] == [wilson(r.right, r.n) for r in rows]
    assert rows[2].accuracy == pytest.approx(2 / 3)


def test_bins_may_be_given():
    rows = dose(COUNT, RIGHT, edges=(0, 1))
    assert [(r.low, r.high, r.n, r.right) for r in rows] == [(0, 0, 3, 1), (1, 9, 5, 3)]


def test_every_answer_is_in_one_bin():
    count = np.arange(1000) ** 2 % 517
    assert sum(r.n for r in dose(count, count % 3 == 0)) == 1000


def test_places_in_the_line_are_told_apart_first():
    place = np.array([5, 40, 5, 5, 40, 40, 500, -1])
    rows = dose_by_position(COUNT, place, RIGHT, starts=(0, 32, 64))
    found = [(r.start, r.end, r.dose.low, r.dose.n, r.dose.right) for r in rows]
    assert found == [
        (0, 32, 0, 1, 0), (0, 32, 1, 1, 0), (0, 32, 2, 1, 1),
        (32, 64, 0, 1, 1), (32, 64, 2, 2, 1),
        (64, None, 8, 1, 1),
    ]  # fmt: skip


def test_the_never_exposed_beside_a_baseline():
    seen, baseline = COUNT > 0, np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    found = never_exposed(seen, RIGHT, baseline)
    assert (found["model"].value, found["model"].n) == (pytest.approx(1 / 3), 3)
    assert found["baseline"].value == pytest.approx(2 / 3)
    assert found["model"].interval == wilson(1, 3)
    expected = paired_difference([False, True, False], [True, True, False])
    assert (found["difference"].value, found["difference"].interval) == expected
    assert never_exposed(np.ones(8), RIGHT, baseline) == {}


def test_no_answers_are_a_users_error():
    with pytest.raises(BadData, match="at least one answer"):
        dose(np.array([]), np.array([]))
    with pytest.raises(ValueError, match="one list"):
        dose(COUNT, RIGHT[:3])
