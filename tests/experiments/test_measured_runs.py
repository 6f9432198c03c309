"""The table of measured runs, and what it says of a new one."""

from dataclasses import replace
from pathlib import Path

import pytest

from wherefrom import api
from wherefrom.core.errors import UsageError
from wherefrom.experiments import measured_runs
from wherefrom.experiments.measured_runs import Expectation, MeasuredRun, expect, read_measured
from wherefrom.experiments.sizing import TextSize

ROW = MeasuredRun("x", "cpu", "x86_64", 1000, 3, 3000, 100.0, 4000, 10**6, 10.0, 0.9, {})
TEXT = TextSize(1000, 10**5, 1000, 3, 3000, 20, 80)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))


def test_the_shipped_table_can_be_read():
    for run in read_measured():
        assert 0 <= run.accuracy <= 1
        assert run.exposures > 0
        assert set(run.by_relation.values()) <= {v for v in run.by_relation.values() if 0 <= v <= 1}


def test_similar_runs_are_of_the_same_device_and_about_as_large(monkeypatch: pytest.MonkeyPatch):
    table = [
        ROW,
        replace(ROW, accuracy=0.8, exposures=60.0),
        replace(ROW, accuracy=0.1, device="cuda"),
        replace(ROW, accuracy=0.2, statements=30_000),
        replace(ROW, accuracy=0.3, exposures=5.0),
    ]
    monkeypatch.setattr(measured_runs, "read_measured", lambda: table)
    assert expect(TEXT, "cpu", 90.0) == Expectation(0.8, 0.9, 2)
    assert expect(TEXT, "cpu", 1e6) is None
    assert (
        str(expect(TEXT, "cpu", 90.0)) == "2 similar runs reached 80 to 90 % of held-out questions"
    )
    assert str(expect(TEXT, "cuda", 90.0)) == "a similar run reached 10 % of held-out questions"


def test_a_finished_run_can_be_added(facts_folder: Path):
    before = len(api.measured())
    (added,) = api.measured([facts_folder / "run"])
    assert (added.subjects, added.relations, added.name) == (24, 1, "corpus")
    assert api.measured()[before:] == [added]
    stated = api.open_run(facts_folder / "run").predictions("with_pretraining", "answers")
    assert added.accuracy == pytest.approx(sum(p.correct for p in stated) / len(stated), abs=1e-4)


def test_other_runs_are_refused(tiny_run: Path):
    with pytest.raises(UsageError, match="facts"):
        api.measured([tiny_run])
