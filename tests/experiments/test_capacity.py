"""Running a study: a folder for every run, none trained twice, and what the commands make of it."""

import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from wherefrom import api
from wherefrom.cli.main import main
from wherefrom.core.errors import BadData, Interrupted, MissingInput, UsageError
from wherefrom.core.recipe import Arm, Capacity
from wherefrom.experiments import capacity
from wherefrom.experiments import execute as executing
from wherefrom.experiments.capacity import count_at_once, run_capacity
from wherefrom.recipes.catalogue import RECIPES
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.run import open_run

ARMS = (
    Arm("filled", items=6, exposures=4, widths=(8, 16), batch=4),
    Arm("asked", items=6, exposures=4, widths=(8,), batch=4, questions=0.5, wordings=5),
)
STUDY = Capacity("capacity", "a test", ARMS, device="cpu", threads=1)
FILLED = replace(STUDY, arms=ARMS[:1])  # two runs
NAMES = ["asked-width-8-seed-0", "filled-width-16-seed-0", "filled-width-8-seed-0"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "capacity"
    run_capacity(STUDY, folder)
    return folder


@pytest.fixture
def trained(monkeypatch) -> list[str]:
    """The folders of the runs that are trained from here on."""
    names: list[str] = []
    train = executing.Execution.train

    def training(self, stage, stop):
        names.append(f"{self.folder.path.name}.{stage.name}")
        return train(self, stage, stop)

    monkeypatch.setattr(executing.Execution, "train", training)
    return names


def test_every_run_has_its_own_folder(finished):
    assert sorted(path.name for path in (finished / "runs").iterdir()) == NAMES
    for name in NAMES:
        assert open_run(finished / "runs" / name).finished
    status = RunFolder(finished).read_status()
    assert status["state"] == "finished"
    assert sum("bits_per_parameter" in row for row in status["results"].values()) == 2


def test_the_study_says_what_its_runs_found(finished):
    found = RunFolder(finished).read_json("study.json")
    first = found["fillings"][0]
    run = open_run(finished / "runs/filled-width-8-seed-0")
    own = run.results["model"]
    assert first["bits_per_parameter"] == pytest.approx(own["bits_per_parameter"])
    assert first["interval"] == pytest.approx(own["interval"])
    assert first["parameters"] == sum(p.numel() for p in run.model().parameters())
    assert first["embeddings"] == 2 * 8 * len(run.vocabulary)
    asked = open_run(finished / "runs/asked-width-8-seed-0")
    predictions = asked.predictions("model", "extraction")
    right = sum(p.correct for p in predictions) / len(predictions)
    assert len(predictions) == 3 * 4
    assert found["extractions"][0]["accuracy"] == pytest.approx(right)
    page = RunFolder(finished).read_text("study.md")
    assert "6 people at 4 exposures" in page
    assert b"<svg" in RunFolder(finished).read("study/capacity.svg")


def test_a_finished_study_is_only_read(finished, trained):
    assert run_capacity(STUDY, finished).reused
    assert trained == []


class StopAt:
    """Makes observers; a signal arrives when the n-th run begins."""

    def __init__(self, nth: int) -> None:
        self.left, self.labels = nth, list[str]()

    def __call__(self, stages, label: str):
        self.labels.append(label)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass

    def started(self, *_) -> None:
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)

    def advanced(self, *_) -> None:
        pass

    def finished(self, *_) -> None:
        pass


def ends_alike(whole: Path, part: Path) -> bool:
    """Whether a study of some of the arms has the very same figures as one of all."""
    every, some = (RunFolder(path).read_status()["results"] for path in (whole, part))
    return len(some) == 2 and some.items() <= every.items()


def test_a_stopped_study_goes_on_and_trains_nothing_twice(finished, trained, tmp_path):
    stop = StopAt(2)
    with pytest.raises(Interrupted) as error:
        run_capacity(FILLED, tmp_path / "s", watch=stop)
    assert error.value.exit_code == 130
    assert str(error.value).startswith("2 of 2, filled-width-16-seed-0: text: stopped at step ")
    assert stop.labels[1] == "2 of 2, filled-width-16-seed-0: "
    assert RunFolder(tmp_path / "s").read_status()["state"] == "unfinished"
    before = list(trained)
    del trained[:]
    run_capacity(FILLED, tmp_path / "s")
    assert before[0] == "filled-width-8-seed-0.text"
    assert before[0] not in trained
    assert "filled-width-16-seed-0.text" in trained
    assert ends_alike(finished, tmp_path / "s")


def test_processes_train_the_same_models(finished, tmp_path):
    run_capacity(FILLED, tmp_path / "s", processes=2)
    assert ends_alike(finished, tmp_path / "s")


def test_on_a_cpu_there_is_a_model_for_each_core(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # threads of a model, not models at once
    monkeypatch.setattr(capacity, "count_cores", lambda: 3)
    free = replace(STUDY, threads=0)
    assert count_at_once(free) == 3
    assert count_at_once(STUDY) == 1  # who asks for threads has them
    assert count_at_once(free, together=2) == 1


def test_scoring_again_changes_nothing(finished):
    with pytest.raises(UsageError, match="--processes: expected a single run, found the study"):
        api.evaluate(finished, processes=2)
    again = api.evaluate(finished)
    assert again.changed == ()
    assert again.results == RunFolder(finished).read_status()["results"]


def test_it_is_sound_with_all_its_runs(finished):
    found = api.verify(finished)
    assert len(found) == 4
    assert all(not each.faults for each in found)


def test_what_other_commands_say_of_it(finished, tmp_path):
    with pytest.raises(BadData, match="found the study 'capacity' of several; name one of the"):
        open_run(finished)
    with pytest.raises(UsageError, match=r"^--seeds: expected a recipe of one run"):
        api.run_seeds(STUDY, "0-1", out=tmp_path / "s")
    unfinished = RunFolder(tmp_path / "s")
    unfinished.create()
    unfinished.write_recipe(STUDY)
    with pytest.raises(MissingInput, match="expected a finished study, found an unfinished one"):
        api.evaluate(tmp_path / "s")


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(RECIPES, "capacity", lambda: FILLED)
    asked = ["run", "capacity", "--device", "cpu", "--out", str(tmp_path / "s")]
    asked += ["--set", "arms.filled.widths=8"]
    assert main([*asked, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["recipe"] == "capacity"
    assert main(asked) == 0  # it is finished: only a table
    out, err = capsys.readouterr()
    assert "bits per parameter" in out
    assert "study.md: " in out
    assert "is finished; these are its results" in err
    assert main([*asked, "--seed", "3"]) == 78
    err = capsys.readouterr().err
    assert "seed: the folder's run has 0, asked for 3" in err
    assert main(["run", "capacity", "--corpus", "x", "--out", str(tmp_path / "t")]) == 2
    assert "found 'capacity', which makes its own text" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()
