"""Binned accuracies, held against counts made by hand."""

from dataclasses import replace

import numpy as np
import pytest

from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import paired_difference, wilson
from wherefrom.memorisation.dose_response import (
    Dose,
    PositionedDose,
    bin_by_exposure,
    bin_by_position,
    exposure_is_randomised,
    score_never_exposed,
)
from wherefrom.recipes.birthplaces import course
from wherefrom.recipes.people import people

COUNT = np.array([0, 0, 1, 2, 3, 3, 9, 0])
RIGHT = np.array([0, 1, 0, 1, 1, 0, 1, 0], dtype=bool)


def test_bins_double_and_empty_ones_are_left_out():
    rows = bin_by_exposure(COUNT, RIGHT)
    assert [(r.low, r.high, r.n, r.right) for r in rows] == [
        (0, 0, 3, 1), (1, 1, 1, 0), (2, 3, 3, 2), (8, 9, 1, 1),
    ]  # fmt: skip
    assert [r.interval for r in rows] == [wilson(r.right, r.n) for r in rows]
    assert rows[2].accuracy == pytest.approx(2 / 3)


def test_bins_may_be_given():
    rows = bin_by_exposure(COUNT, RIGHT, edges=(0, 1))
    assert [(r.low, r.high, r.n, r.right) for r in rows] == [(0, 0, 3, 1), (1, 9, 5, 3)]


def test_every_answer_is_in_one_bin():
    count = np.arange(1000) ** 2 % 517
    assert sum(r.n for r in bin_by_exposure(count, count % 3 == 0)) == 1000


def test_places_in_the_line_are_told_apart_first():
    place = np.array([5, 32, 5, 5, 40, 40, 500, -1])
    rows = bin_by_position(COUNT, place, RIGHT, starts=(0, 32, 64))
    found = [(r.start, r.end, r.low, r.n, r.right) for r in rows]
    assert found == [
        (0, 32, 0, 1, 0), (0, 32, 1, 1, 0), (0, 32, 2, 1, 1),
        (32, 64, 0, 1, 1), (32, 64, 2, 2, 1),
        (64, None, 8, 1, 1),
    ]  # fmt: skip


def test_the_never_exposed_beside_a_baseline():
    seen, baseline = COUNT > 0, np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    found = score_never_exposed(seen, RIGHT, baseline)
    assert found is not None
    assert (found.model.value, found.model.n) == (pytest.approx(1 / 3), 3)
    assert found.baseline.value == pytest.approx(2 / 3)
    assert found.model.interval == wilson(1, 3)
    expected = paired_difference([False, True, False], [True, True, False])
    assert (found.difference.value, found.difference.interval) == expected
    assert score_never_exposed(np.ones(8), RIGHT, baseline) is None


def test_doses_are_written_flat_and_read_again():
    """The layout of audit.json: the stretch of the line stands beside the dose."""
    (row, *_) = bin_by_position(COUNT, np.full(8, 40), RIGHT)
    low, high = wilson(1, 3)
    written = {"start": 32, "end": 64, "low": 0, "high": 0, "n": 3, "right": 1, "accuracy": 1 / 3,
               "interval": [low, high]}  # fmt: skip
    assert to_json(row) == written
    assert list(to_json(row)) == list(written)
    assert from_json(PositionedDose, written, "audit.json") == row
    del written["start"], written["end"]
    assert from_json(Dose, written, "audit.json") == bin_by_exposure(COUNT, RIGHT)[0]


def test_a_data_set_says_itself_whether_its_exposures_are_random():
    even = people()
    zipf = replace(even, data=replace(even.data, exposure="zipf"))
    assert exposure_is_randomised(zipf)
    assert not exposure_is_randomised(even)
    assert not exposure_is_randomised(course())  # its config knows nothing of it


def test_no_answers_are_a_users_error():
    with pytest.raises(BadData, match="at least one"):
        bin_by_exposure(np.array([]), np.array([]))
    with pytest.raises(ValueError, match="one list"):
        bin_by_exposure(COUNT, RIGHT[:3])
