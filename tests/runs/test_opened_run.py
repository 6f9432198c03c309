"""A finished run, opened again: everything in it is what was made."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from wherefrom.core.errors import Damaged, Mismatch, MissingInput
from wherefrom.core.recipe import Recipe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run
from wherefrom.runs.workshop import Workshop


@pytest.fixture
def run(tiny_run) -> Run:
    return open_run(tiny_run)


def change_json(path: Path, change) -> None:
    """Change a file as the run's writer would: only what it says can then be wrong."""
    folder = RunFolder(next(p for p in path.parents if (p / "manifest.json").exists()))
    contents = json.loads(path.read_text())
    change(contents)
    folder.write_json(path.relative_to(folder.path).as_posix(), contents)


def text(run: Run) -> torch.Tensor:
    tokens = run.vocabulary.encode(run.dataset.documents[3].text)
    return torch.tensor([tokens], device=run.workshop.device)


def test_a_model_is_the_one_that_was_trained(run):
    """The steps taken again by hand, without loop, checkpoints or folder."""
    stage = run.recipe.stage("questions_only")
    workshop = Workshop(run.recipe)
    trained = workshop.new_model(stage)
    workshop.learner(stage, trained).advance(0, stage.steps)
    found = run.model("without_pretraining")
    assert not found.training
    with torch.no_grad():
        torch.testing.assert_close(
            found(text(run)), trained.eval()(text(run)), atol=1e-5, rtol=1e-4
        )


@pytest.mark.parametrize("stage", ["pretrain", "questions_only"])
def test_the_batches_of_any_step_come_back(run, stage):
    """What a step's row in the metrics counted is what its batch holds."""
    mine = run.batches(stage)
    row = json.loads((run.path / "stages" / stage / "metrics.jsonl").read_text().splitlines()[0])
    plan = mine.plan(0, row["step"])
    counted = sum(int((mine.render(plan, i).weights > 0).sum()) for i in range(row["step"]))
    assert counted == row["targets"]


def test_a_model_costs_the_time_of_all_stages_that_it_went_through(run, monkeypatch):
    monkeypatch.setattr(Recipe, "chain", lambda self, name="": list(self.stages))
    seconds = [run.folder.read_metrics(s.name)[-1]["seconds"] for s in run.recipe.stages]
    assert len(seconds) == 2
    assert run.cost()["seconds"] == pytest.approx(sum(seconds), abs=0.01)


# --- what does not belong together -----------------------------------------------------------


def test_another_n_head_is_refused_by_name(own_run):
    change_json(own_run / "run.json", lambda c: c["recipe"]["model"].update(n_head=4))
    with pytest.raises(Mismatch, match=r"model\.n_head: the weights file has 2, asked for 4"):
        open_run(own_run).model()


def test_another_vocabulary_is_refused_by_name(own_run):
    def swap(characters: list[str]) -> None:
        characters[5], characters[6] = characters[6], characters[5]

    change_json(own_run / "vocab.json", swap)
    with pytest.raises(Mismatch, match="vocabulary: the weights"):
        open_run(own_run).model()


def test_a_recipe_that_gives_other_data_now(run, own_run):
    """Its own data are in the folder; the recipe is told apart from them."""
    assert run.changed_source() is None
    change_json(own_run / "run.json", lambda c: c["recipe"]["data"].update(asked=13))
    moved = open_run(own_run)
    assert moved.dataset == run.dataset
    assert "documents: the run's data has" in (moved.changed_source() or "")
    with pytest.raises(Mismatch, match="documents: the run's data has"):
        moved.read_source()


def test_a_run_that_keeps_no_copy_of_its_data_reads_them_again(run, own_run):
    RunFolder(own_run).remove("corpus/dataset.json.gz")
    assert open_run(own_run).dataset == run.dataset
    change_json(own_run / "corpus" / "corpus.json", lambda c: c.update(sha256="0" * 64))
    with pytest.raises(Mismatch, match="sha256: the run's data has"):
        _ = open_run(own_run).dataset


def test_a_run_of_a_device_that_is_not_here_is_opened_on_what_is(own_run, monkeypatch):
    monkeypatch.setattr("wherefrom.runs.opened_run.devices", lambda: ["cpu"])
    change_json(own_run / "run.json", lambda c: c["recipe"].update(device="cuda"))
    assert open_run(own_run).recipe.device == "auto"


def test_weights_that_are_not_there(own_run):
    shutil.rmtree(own_run / "models" / "with_pretraining")
    with pytest.raises(Damaged, match=r"models/with_pretraining/.*: expected a file, found none"):
        open_run(own_run).model()
    RunFolder(own_run).unlist("models/")
    with pytest.raises(MissingInput, match="expected the model's weights, found none"):
        open_run(own_run).model()


def test_an_unfinished_run_says_how_to_go_on(own_run):
    RunFolder(own_run).write_status({"state": "unfinished", "seconds": 2.0})
    run = open_run(own_run)
    assert not run.finished
    assert run.results == {}
    with pytest.raises(MissingInput, match="'wherefrom run people --out"):
        run.require_finished()
