"""Training again on changed text: what is trained, where it lies, and that it is not done twice."""

import shutil

import pytest

from wherefrom.experiments.retraining import (
    retrained,
    swapped,
    train_again,
    train_pairs,
    unchanged,
    without_half,
)
from wherefrom.runs.run import Run, open_run


@pytest.fixture(scope="module")
def run(tiny_run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("retraining") / "people-0"
    shutil.copytree(tiny_run, path)
    return open_run(path)


def test_only_the_primary_model_is_trained_again(run: Run):
    recipe = without_half(run.recipe, 0, "first")
    assert [s.name for s in recipe.stages] == ["pretrain"]
    assert [m.name for m in recipe.models] == ["with_pretraining"]
    assert recipe.stages[0] == run.recipe.stages[0]
    assert recipe.data.base == run.recipe.data
    assert recipe.data.world == run.recipe.seed


def test_every_training_has_a_seed_of_its_own(run: Run):
    pairs = [without_half(run.recipe, p, h) for p in range(3) for h in ("first", "second")]
    assert len({r.seed for r in pairs} | {run.recipe.seed}) == 7
    assert (
        swapped(run.recipe, 2).seed == unchanged(run.recipe).seed
    )  # they differ in the text alone


def test_pairs_are_trained_once_and_found_again(run: Run):
    told = train_pairs(run, 1)
    assert [r.path.name for r in told] == ["without-0-first", "without-0-second"]
    before = [(r.path / "status.json").read_text() for r in told]
    again = train_pairs(run, 1)
    assert [(r.path / "status.json").read_text() for r in again] == before
    assert [r.path for r in retrained(run)] == [r.path for r in told]
    out = [{q.subject for q in r.dataset.questions if q.support == "none"} for r in told]
    untold = {q.subject for q in run.dataset.questions if q.support == "none"}
    assert out[0] & out[1] == untold


def test_half_a_pair_is_not_used(run: Run):
    train_again(run, without_half(run.recipe, 5, "first"), "without-5-first")
    assert all(r.path.name != "without-5-first" for r in retrained(run))


def test_no_time_still_gives_one_pair(run: Run):
    assert len(train_pairs(run, 3, seconds=0.0)) == 2


def test_a_swapped_run_has_other_answers(run: Run):
    changed = train_again(run, swapped(run.recipe, 3), "swapped-3")
    pairs = zip(run.dataset.questions, changed.dataset.questions, strict=True)
    assert sum(a.answer != b.answer for a, b in pairs) == 3
