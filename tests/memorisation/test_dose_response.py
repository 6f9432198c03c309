"""Binned accuracies, held against counts made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from wherefrom.core.config import to_json
from wherefrom.evaluation.intervals import paired_difference, wilson
from wherefrom.experiments.recipes.birthplaces_recipe import course
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.memorisation.dose_response import (
    bin_by_exposure,
    bin_by_position,
    exposure_is_randomised,
    score_never_exposed,
)

COUNT = np.array([0, 0, 1, 2, 3, 3, 9, 0])
RIGHT = np.array([0, 1, 0, 1, 1, 0, 1, 0], dtype=bool)


def test_bins_double_and_empty_ones_are_left_out():
    rows = bin_by_exposure(COUNT, RIGHT)
    assert [(r.low, r.high, r.n, r.right) for r in rows] == [
        (0, 0, 3, 1), (1, 1, 1, 0), (2, 3, 3, 2), (8, 9, 1, 1),
    ]  # fmt: skip
    assert [r.interval for r in rows] == [wilson(r.right, r.n) for r in rows]
    assert rows[2].accuracy == pytest.approx(2 / 3)
    given = bin_by_exposure(COUNT, RIGHT, edges=(0, 1))
    assert [(r.low, r.high, r.n, r.right) for r in given] == [(0, 0, 3, 1), (1, 9, 5, 3)]


def test_places_in_the_line_are_told_apart_first():
    place = np.array([5, 32, 5, 5, 40, 40, 500, -1])
    rows = bin_by_position(COUNT, place, RIGHT)
    found = [(r.start, r.end, r.low, r.n, r.right) for r in rows]
    assert found == [
        (0, 32, 0, 1, 0), (0, 32, 1, 1, 0), (0, 32, 2, 1, 1),
        (32, 64, 0, 1, 1), (32, 64, 2, 2, 1),
        (192, None, 8, 1, 1),
    ]  # fmt: skip
    first = list(to_json(rows[0]))
    assert first == "start end low high n right accuracy interval".split(), "flat in audit.json"


def test_the_never_exposed_beside_a_baseline():
    seen, baseline = COUNT > 0, np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    found = score_never_exposed(seen, RIGHT, baseline)
    assert (found.model.value, found.model.n) == (pytest.approx(1 / 3), 3)
    assert found.baseline.value == pytest.approx(2 / 3)
    assert found.model.interval == wilson(1, 3)
    expected = paired_difference([False, True, False], [True, True, False])
    assert (found.difference.value, found.difference.interval) == expected
    assert score_never_exposed(np.ones(8), RIGHT, baseline) is None


def test_a_data_set_says_itself_whether_its_exposures_are_random():
    even = people()
    zipf = replace(even, data=replace(even.data, exposure="zipf"))
    assert exposure_is_randomised(zipf)
    assert not exposure_is_randomised(even)
    assert not exposure_is_randomised(course())  # its config knows nothing of it
