"""The study of capacity: its recipes, its sums against sums by hand, a tiny study, its page."""

import json
import shutil
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from studies import capacity
from studies.capacity import Arm
from wherefrom.runs.workshop import Workshop

DOCS = Path(__file__).parents[2] / "docs"
FILLED = Arm("filled", items=6, exposures=4, widths=(8,), batch=4)
ASKED = Arm("asked", items=6, exposures=4, widths=(8,), batch=4, questions=0.5, wordings=5)


@pytest.mark.parametrize("wordings", [1, 5])
def test_every_person_is_shown_as_often_as_the_arm_says(wordings):
    """Counted in the plan itself, over all wordings; a row is a whole biography."""
    recipe = capacity.make_recipe(Arm("a", items=12, exposures=10, wordings=wordings, batch=4), 8)
    workshop = Workshop(recipe)
    objective = workshop.objective(recipe.stages[0])
    ((_, plan, _),) = planned = objective.plan(0, 30)
    assert recipe.stages[0].steps == 30
    shown = plan[..., 0].flatten() // wordings  # documents of one person follow each other
    assert shown.bincount().tolist() == [10] * 12
    lengths = {len(document.text) - 1 for document in workshop.dataset.documents}
    assert set(objective.render(planned, 0).lengths.tolist()) <= lengths


def test_questions_take_no_exposures_away():
    recipe = capacity.make_recipe(Arm("a", items=16, exposures=70, batch=16, questions=0.5), 8)
    assert recipe.stages[0].steps == 80  # 40 of 16 texts, and 40 of 12 texts and 4 questions
    parts = Workshop(recipe).objective(recipe.stages[0]).plan(0, 80)
    texts = sum(len(plan.flatten(0, 1)) for _, plan, _ in parts if plan.dim() == 3)
    questions = sum(plan.numel() for _, plan, _ in parts if plan.dim() == 2)
    assert (texts, questions) == (16 * 70, 40 * 4)


def outcome_of(*values: float) -> Any:
    """Runs with 100 parameters, of which 20 are embeddings; half of the facts are stored, and a
    quarter of the names."""
    parts = {"name": (25.0, 100.0), "home": (100.0, 150.0), "spouse": (50.0, 150.0)}
    row = {"parameters": 100, "embeddings": 20, "storable": 400.0}
    row["parts"] = {n: {"stored": s, "storable": m} for n, (s, m) in parts.items()}
    runs = [
        {"gpt": row | {capacity.BITS: v, "interval": [v - 0.1, v + 0.3], "stored": 100 * v}}
        for v in values
    ]
    mean = {capacity.BITS: sum(values) / len(values), "interval": [0.0, 9.0]}
    outcomes = [SimpleNamespace(results=results) for results in runs]
    return SimpleNamespace(results={"gpt": mean}, outcomes=outcomes, runs=["run"] * len(runs))


def test_seeds_are_averaged():
    found = capacity.fill(FILLED, 8, outcome_of(1.0, 2.0))
    assert found[capacity.BITS] == 1.5
    assert found["interval"] == pytest.approx([1.4, 1.8])  # two seeds: the mean of their own
    assert (found["stored"], found["storable"], found["seeds"]) == (150.0, 400.0, 2)
    assert (found["facts"], found["names"]) == (0.5, 0.25)
    three = capacity.fill(FILLED, 8, outcome_of(1.0, 2.0, 3.0))
    assert three["interval"] == [0.0, 9.0]  # Student's, over the seeds


def test_questions_against_what_is_stored(monkeypatch):
    monkeypatch.setattr(capacity, "read_people", lambda run: [1.0, 0.5, 0.0, 0.5])
    outcome = outcome_of(1.0)
    outcome.results["extraction.gpt"] = {"accuracy": 0.5, "interval": None}
    outcome.results["taught.gpt"] = {"accuracy": 0.9, "interval": None}
    found = capacity.extract(ASKED, 8, outcome)
    assert (found["accuracy"], found["stored"], found["taught"]) == (0.5, 0.5, 0.9)
    assert found["people"] == 4
    low, high = found["interval"]
    assert 0 <= low < 0.5 < high <= 1


def test_intervals_over_people():
    z2 = 1.959964**2  # Wilson's interval of none or all of n is closed at one end
    assert capacity.over_people([0.0] * 20) == pytest.approx([0, z2 / (20 + z2)], abs=1e-6)
    assert capacity.over_people([1.0] * 20) == pytest.approx([20 / (20 + z2), 1], abs=1e-6)
    low, high = capacity.over_people([0.0, 1.0] * 200)
    assert (high - low) / 2 == pytest.approx(1.96 * 0.5 / sqrt(400), rel=0.1)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.01)


def test_a_study_is_trained_once_and_then_read(tmp_path, monkeypatch):
    monkeypatch.setattr(capacity, "ProcessPoolExecutor", InThisProcess)
    capacity.run([FILLED, ASKED], tmp_path, "cpu")
    found = json.loads((tmp_path / "study.json").read_text())
    run = capacity.wherefrom.open_run(tmp_path / "filled-width-8/seed-0")
    own = run.results["gpt"]
    first = found["fillings"][0]
    assert first["interval"] == own["interval"]
    assert first["parameters"] == sum(p.numel() for p in run.model().parameters())
    assert first["embeddings"] == 2 * 8 * len(run.vocabulary)
    asked = capacity.wherefrom.open_run(tmp_path / "asked-width-8/seed-0")
    assert len(asked.predictions("gpt", "extraction")) == 3 * 4
    assert found["extractions"][0]["people"] == 3
    assert "| 6 people | 4 | 8 |" in (tmp_path / "study.md").read_text()
    weights = {
        path: path.stat().st_mtime_ns for path in tmp_path.glob("*/*/**/*") if path.is_file()
    }
    capacity.run([FILLED, ASKED], tmp_path, "cpu")
    assert weights == {path: path.stat().st_mtime_ns for path in weights}
    assert json.loads((tmp_path / "study.json").read_text()) == found


class InThisProcess:
    """Stands in for a pool of processes."""

    def __init__(self, *_: Any) -> None:
        pass

    def __enter__(self) -> "InThisProcess":
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def map(self, function: Any, *rows: Any) -> Any:
        return map(function, *rows)


def test_the_page_is_what_the_program_writes_from_the_kept_findings(tmp_path):
    (tmp_path / "pictures").mkdir()
    shutil.copy(DOCS / "CAPACITY.md", tmp_path)
    (tmp_path / "results").mkdir()
    for file in (DOCS / "results").glob("capacity-*.json"):
        shutil.copy(file, tmp_path / "results")
    capacity.write_page(tmp_path)
    assert (tmp_path / "CAPACITY.md").read_text() == (DOCS / "CAPACITY.md").read_text()
    for form in capacity.FORMS:
        assert b"literature: 2 (facts)" in (tmp_path / f"pictures/capacity-{form}.svg").read_bytes()
