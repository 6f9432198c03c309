"""Runs that are trained together: their folders are those of runs that were trained alone."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from tests.experiments.stopping import StopAt
from wherefrom.core.errors import Diverged, Interrupted, MissingInput, OutOfMemory, UsageError
from wherefrom.core.files import read_arrays
from wherefrom.core.recipe import Recipe
from wherefrom.data.edited import EditedConfig
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.many_runs import stack_plan, stacked_runs
from wherefrom.experiments.many_runs.retraining import leave_out_half
from wherefrom.experiments.many_runs.stack_plan import estimate_bytes, why_one_by_one
from wherefrom.experiments.many_runs.stacked_runs import (
    RunRequest,
    check_most,
    execute_all,
    read_ahead,
)
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.pool import Pool
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.objectives import objective_catalogue as catalogue
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.verification import verify_run
from wherefrom.runs.workshop import Workshop
from wherefrom.training.stack import Stack

pytestmark = pytest.mark.usefixtures("capturing_cpu")


@pytest.fixture
def recipe(tiny_settings) -> Recipe:
    """Without tasks, like models that are retrained for an audit: what matters is training.

    Nothing is dropped: captured steps draw other masks than a CPU's own. Seeds share one text, and
    with it a vocabulary.
    """
    few = ["stages.pretrain.steps=22", "stages.questions_only.steps=2", "device=cpu"]
    few.append("model.embd_pdrop=0")
    people = adjust(get_recipe("people"), settings=[*tiny_settings, *few])
    return replace(people, data=EditedConfig(people.data), tasks=(), abstain=False)


@pytest.fixture
def short(recipe) -> Recipe:
    """One stage of two steps."""
    pretrain, models = recipe.stages[0], recipe.models[-1:]
    return replace(recipe, stages=(replace(pretrain, steps=2),), models=models)


def ask_for(recipe: Recipe, folder: Path, seeds=(0, 1, 2)) -> list[RunRequest]:
    return [RunRequest(replace(recipe, seed=n), folder / f"seed-{n}", f"seed {n}, ") for n in seeds]


def files(run: Path) -> set[str]:
    return {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}


def models(run: Path) -> dict[str, np.ndarray]:
    return {
        f"{path.parent.name}.{name}": array
        for path in run.glob("models/*/weights.safetensors")
        for name, array in read_arrays(path).items()
    }


def test_one_that_diverges_does_not_stop_the_others(recipe, tmp_path, monkeypatch):
    short = replace(recipe, stages=tuple(replace(stage, steps=2) for stage in recipe.stages))
    advance, sizes = Stack.advance, list[int]()

    def spoil(self, places, count, stopped):
        sizes.append(len(self.learners))
        found = advance(self, places, count, stopped)
        if len(self.learners) == 3 and found[1] is not None:
            found[1]["finite"][:] = False
        return found

    monkeypatch.setattr(Stack, "advance", spoil)
    requests = ask_for(short, tmp_path)
    with pytest.raises(Diverged, match=r"seed-1: pretrain: step 0 .*expected finite numbers"):
        execute_all(requests, most=3)
    assert [open_run(request.path).finished for request in requests] == [True, False, True]
    assert sizes == [3, 2], "it is not trained in the second stage"


def test_folders_are_those_of_runs_trained_alone(recipe, tmp_path):
    stages = tuple(replace(stage, steps=3) for stage in recipe.stages)
    recipe = replace(recipe, stages=stages, tasks=get_recipe("people").tasks)
    requests = ask_for(recipe, tmp_path / "together", (0, 1))
    found = execute_all(requests, most=2)
    assert [outcome.run for outcome in found] == [str(request.path) for request in requests]
    for n, outcome in enumerate(found):
        here = Path(outcome.run)
        there = tmp_path / f"alone-{n}"
        alone = execute(replace(recipe, seed=n), there)
        assert files(here) == files(there)
        one, other = (json.loads((run / "run.json").read_text()) for run in (here, there))
        assert one == other
        assert outcome.results.keys() == alone.results.keys()
        expected = models(there)
        for name, array in models(here).items():
            np.testing.assert_allclose(array, expected[name], atol=1e-3, err_msg=name)
        for stage in recipe.stages:
            rows, others = (open_run(run).folder.read_metrics(stage.name) for run in (here, there))
            assert [row["step"] for row in rows] == [row["step"] for row in others]
            losses = [[row["loss"] for row in each] for each in (rows, others)]
            np.testing.assert_allclose(losses[0], losses[1], atol=1e-3)
        assert verify_run(here).sound


def test_runs_that_are_further_along_go_on_beside_the_others(recipe, tmp_path):
    """Two were stopped together, of which one was finished alone; the third has not begun."""
    requests = ask_for(recipe, tmp_path / "mixed")
    watch = StopAt("pretrain", 1)
    with pytest.raises(Interrupted, match=r"2 models together.*the same command continues"):
        execute_all(requests[:2], 2, watch)
    assert watch.labels == ["2 models together, "]
    execute(requests[0].recipe, requests[0].path)
    found = execute_all(requests, most=3)
    assert [outcome.reused for outcome in found] == [True, False, False]
    execute(requests[1].recipe, tmp_path / "alone")
    expected = models(tmp_path / "alone")
    for name, array in models(requests[1].path).items():
        np.testing.assert_allclose(array, expected[name], atol=1e-3, err_msg=name)


def test_memory_that_is_too_small_takes_fewer_at_a_time(short, tmp_path, monkeypatch):
    monkeypatch.setattr(stacked_runs, "count_fitting", lambda workshop: 2)
    groups: list[int] = []
    monkeypatch.setattr(
        stacked_runs, "Stack", lambda model, each: groups.append(len(each)) or Stack(model, each)
    )
    lines: list[str] = []
    execute_all(ask_for(short, tmp_path), most=3, tell=lines.append)
    assert lines == ["memory has room for 2 of 3 models: 2 at a time"]
    assert set(groups) == {2}  # the third model is trained alone


def test_memory_that_is_refused_says_how_many_to_try(short, tmp_path, monkeypatch):
    def refuse(self, count):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB.")

    monkeypatch.setattr(Stack, "prepare", refuse)
    with pytest.raises(OutOfMemory, match=r"4 models .*9\.00 GiB more; .*--together 2\)"):
        execute_all(ask_for(short, tmp_path, range(4)), most=4)


def test_the_largest_stage_says_how_many_fit(recipe, monkeypatch):
    """A part of the memory that is free is left."""
    small, large = recipe.stages[0], replace(recipe.stages[1], batch=500)
    workshop = Workshop(replace(recipe, stages=(small, large)))
    sizes = [estimate_bytes(workshop, stage) for stage in (small, large)]
    assert sizes[1] > 3 * sizes[0]
    monkeypatch.setattr(stack_plan, "find_free", lambda device: 4 * sizes[1])
    assert stack_plan.count_fitting(workshop) == 3


def test_why_models_are_trained_one_by_one(recipe):
    def reason(**changed) -> str | None:
        return why_one_by_one(Workshop(replace(recipe, **changed)))

    assert reason() is None
    perceiver = replace(recipe.model, attention="perceiver", n_layer=3)
    assert reason(model=perceiver) == "attention 'perceiver' has no stacked form"
    bigram = adjust(get_recipe("bigram-tiny"), settings=["data.sentences=300"])
    assert why_one_by_one(Workshop(bigram)) == "this kind of model has no stacked form"


@pytest.mark.parametrize("most", [None, 2])
def test_a_cpu_trains_one_after_the_other(short, tmp_path, monkeypatch, most):
    monkeypatch.setattr(stack_plan, "CAPTURING", ("cuda",))
    watch, lines = StopAt("", 0), list[str]()
    execute_all(ask_for(short, tmp_path, (0, 1)), most, watch, lines.append)
    assert watch.labels == ["seed 0, ", "seed 1, "]
    reason = "only a GPU trains models together; --processes trains them side by side"
    assert lines == ([] if most is None else [f"one model after the other: {reason}"])


def test_a_senseless_number_is_refused():
    for most in (0, 5000):
        with pytest.raises(UsageError, match="together: expected 1 to 1,000 models, found"):
            check_most(most)


# --- texts that other processes read ---------------------------------------------------------


@pytest.fixture(scope="module")
def recipes(tiny_settings) -> list[Recipe]:
    small = adjust(get_recipe("people"), settings=tiny_settings)
    return [leave_out_half(small, pair, half) for pair in (0, 1) for half in ("first", "second")]


@pytest.mark.nightly
def test_what_another_process_reads_is_the_same(recipes):
    found = list(read_ahead(recipes, 2))
    assert len(found) == len(recipes)
    for recipe, ours in zip(recipes, found, strict=True):
        alone = Workshop(recipe)
        alone.objective(recipe.stages[0])
        assert "dataset" in vars(ours)  # it was read elsewhere, not now
        assert ours.recipe == recipe
        assert ours.dataset == alone.dataset
        indexed = ours.material.indexed
        assert indexed.keys() == alone.material.indexed.keys() != set()
        for name, corpus in alone.material.indexed.items():
            assert (corpus is None) == (indexed[name] is None)
            for column, value in vars(corpus).items() if corpus else ():
                assert torch.equal(value, getattr(indexed[name], column)), (name, column)
    texts = [{document.text for document in workshop.dataset.documents} for workshop in found]
    assert texts[0] != texts[1]  # each has its own


def test_notes_that_another_process_took_are_not_taken_again(facts_folder, monkeypatch):
    own = open_run(facts_folder / "run")
    (ours,) = read_ahead([leave_out_half(own.recipe, 0, "first")], 1)
    monkeypatch.setattr(catalogue, "take_notes", None)
    noted = {note.subject for note in ours.material.notes}
    assert noted
    assert noted < {note.subject for note in own.notes}, "those of its own text"


def test_what_another_process_cannot_read_is_left_to_this_one(recipes, tmp_path):
    """A text that is not there; the process goes on."""
    nowhere = FactsConfig(corpus=str(tmp_path / "none.txt"), questions="q.tsv")
    missing, other = read_ahead([replace(recipes[0], data=nowhere), recipes[1]], 1)
    with pytest.raises(MissingInput, match=r"none\.txt"):
        _ = missing.dataset
    assert "dataset" in vars(other)


@pytest.mark.parametrize(("dying", "elsewhere"), [(1, 3), (2, 0)])
def test_what_a_process_that_dies_was_given_is_read_here(recipes, monkeypatch, dying, elsewhere):
    """The others read the rest; when the last is gone, this process does."""
    give, given = Pool.give, []

    def kill(self, number, *task):
        give(self, number, *task)
        given.append(number)
        if len(given) <= dying:
            self._busy[number].process.kill()

    monkeypatch.setattr(Pool, "give", kill)
    found = list(read_ahead(recipes, 2))
    assert [workshop.recipe for workshop in found] == recipes
    assert sum("dataset" in vars(workshop) for workshop in found) == elsewhere


@pytest.mark.parametrize(("worth", "helps"), [(1e-9, True), (1e9, False)])
def test_runs_of_one_shape_are_read_ahead_if_that_is_worth_it(
    recipes, tmp_path, monkeypatch, worth, helps
):
    calls = []

    def noted(given, processes):
        calls.append((len(given), processes))
        return map(Workshop, given)

    monkeypatch.setattr(stacked_runs, "read_ahead", noted)
    monkeypatch.setattr(stacked_runs, "usual_threads", lambda: 2)
    monkeypatch.setattr(stacked_runs, "_WORTH_A_PROCESS", worth)
    narrow = [replace(r, model=replace(r.model, n_embd=8)) for r in recipes[:2]]
    every = [*recipes, *narrow]
    requests = [RunRequest(r, tmp_path / str(i)) for i, r in enumerate(every)]
    groups = []

    def train(self, taken, group):
        groups.append([execution.folder.path.name for execution in group])
        self.outcomes.update({request.path: request for request in taken})

    monkeypatch.setattr(stacked_runs._Queue, "_run_group", train)
    execute_all(requests, most=6)
    assert groups == [["0", "1", "2", "3"], ["4", "5"]]
    # Two are opened here and the others elsewhere, until one has another shape.
    assert calls == ([(4, 2)] if helps else [])
