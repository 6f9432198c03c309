"""What a study of capacity puts together, against sums by hand."""

from typing import Any

import pytest

from wherefrom.core.config import from_json, to_json
from wherefrom.core.recipe import Arm, Capacity
from wherefrom.evaluation.intervals import mean_interval, wilson
from wherefrom.experiments.capacity_findings import (
    CapacityFindings,
    RunFinding,
    cluster_interval,
)

FILLED = Arm("filled", items=10, widths=(8,), seeds=2)
ASKED = Arm("asked", items=10, widths=(16,), questions=0.5, wordings=5)


def storage(value: float, low: float, high: float) -> dict[str, Any]:
    """100 parameters, of which 20 are embeddings; half of the facts and a quarter of the names."""
    return {
        "bits_per_parameter": value,
        "interval": [low, high],
        "n": 10,
        "parameters": 100,
        "embeddings": 20,
        "stored": 100 * value,
        "storable": 400.0,
        "parts": {
            "name": {"stored": 25.0, "storable": 100.0},
            "home": {"stored": 100.0, "storable": 150.0},
            "spouse": {"stored": 50.0, "storable": 150.0},
        },
    }


def filled(*values: float) -> list[RunFinding]:
    return [RunFinding(FILLED, 8, storage(v, v - 0.1, v + 0.3), 1.5) for v in values]


def put_together(*runs: RunFinding) -> CapacityFindings:
    arms = tuple(dict.fromkeys(run.arm for run in runs))
    return CapacityFindings.of(Capacity("capacity", "a test", arms), runs, "here", 3.0)


def test_seeds_are_averaged():
    found = put_together(*filled(1.0, 2.0)).fillings[0]
    assert found.bits_per_parameter == 1.5
    assert found.interval == pytest.approx((1.4, 1.8))  # two seeds: the mean of theirs over people
    assert (found.stored, found.storable, found.share) == (150.0, 400.0, 0.375)
    assert found.bits_beside_embeddings == 150 / 80
    assert (found.facts, found.names) == (0.5, 0.25)
    assert (found.seeds, found.seconds) == (2, 3.0)


def test_three_seeds_have_an_interval_of_their_own():
    found = put_together(*filled(1.0, 2.0, 3.0)).fillings[0]
    assert found.interval == pytest.approx(mean_interval([1.0, 2.0, 3.0]))


def test_questions_against_what_is_stored():
    run = RunFinding(ASKED, 16, storage(1.0, 0.9, 1.1), 1.0, (1.0, 0.5, 0.0, 0.5), 0.9)
    found = put_together(run)
    assert found.fillings == ()
    row = found.extractions[0]
    assert (row.accuracy, row.stored, row.taught, row.people) == (0.5, 0.5, 0.9, 4)
    low, high = row.interval
    assert 0 <= low < 0.5 < high <= 1
    (result,) = found.results().values()
    assert (result["accuracy"], result["n"]) == (0.5, 4)
    other = RunFinding(ASKED, 16, storage(1.0, 0.9, 1.1), 1.0, (1.0, 1.0), 0.7)
    (both,) = put_together(run, other).extractions
    assert (both.accuracy, both.people, both.taught) == (0.75, 6, pytest.approx(0.8))
    (three,) = put_together(run, other, other).extractions
    assert three.interval[1] == 1, "three seeds, whose own interval goes beyond"


def test_people_who_are_all_alike_still_leave_a_doubt():
    assert cluster_interval([1.0] * 20) == wilson(20, 20)
    assert cluster_interval([0.0] * 20) == wilson(0, 20)
    low, high = cluster_interval([0.25, 0.75] * 50)
    assert low < 0.5 < high


def test_findings_come_back_from_json():
    run = RunFinding(ASKED, 16, storage(1.0, 0.9, 1.1), 1.0, (1.0, 0.5), 0.9)
    found = put_together(*filled(1.0), run)
    assert from_json(CapacityFindings, to_json(found), "here") == found
    assert list(found.results()) == [
        "filled, 100 parameters", "asked, 100 parameters, held-out people",
    ]  # fmt: skip
