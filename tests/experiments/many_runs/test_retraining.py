"""Training again on changed text: what is trained, where it lies, and that it is not done twice."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.many_runs.copies import copy_run
from wherefrom.core.errors import MissingInput
from wherefrom.experiments.many_runs import retraining
from wherefrom.experiments.many_runs.retraining import (
    PairQueue,
    find_retrained,
    leave_out_half,
    retrain,
    retrain_pairs,
    why_not_retrainable,
)
from wherefrom.memorisation.counterfactual import find_memorisation
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run
from wherefrom.runs.workshop import Workshop


@pytest.fixture(scope="module")
def run(tiny_run, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """As if it had been trained for two steps: so long are others trained again."""
    return copy_run(tiny_run, tmp_path_factory.mktemp("retraining"), 2)


def test_only_the_primary_model_is_trained_again_each_time_with_a_seed_of_its_own(run: Run):
    recipe = leave_out_half(run.recipe, 0, "first")
    assert [s.name for s in recipe.stages] == ["pretrain"]
    assert [m.name for m in recipe.models] == ["with_pretraining"]
    assert recipe.stages[0] == run.recipe.stages[0]
    assert recipe.data.base == run.recipe.data
    assert recipe.data.world == run.recipe.seed
    pairs = [leave_out_half(run.recipe, p, h) for p in range(3) for h in ("first", "second")]
    assert len({r.seed for r in pairs} | {run.recipe.seed}) == 7


def test_pairs_are_trained_once_and_found_again(run: Run):
    pair = retrain_pairs(run, 1e9, most=1)
    assert [r.path.name for r in pair] == ["without-0-first", "without-0-second"]
    before = [(r.path / "status.json").read_text() for r in pair]
    again = retrain_pairs(run, 1e9, most=1)
    assert [(r.path / "status.json").read_text() for r in again] == before
    retrain(run, {"without-5-first": leave_out_half(run.recipe, 5, "first")})  # half a pair
    assert [r.path for r in find_retrained(run)] == [r.path for r in pair]
    out = [{q.subject for q in r.dataset.questions if q.support == "none"} for r in pair]
    without_text = {q.subject for q in run.dataset.questions if q.support == "none"}
    assert out[0] & out[1] == without_text


def test_notes_are_taken_again_of_the_text_without_the_people_left_out(facts_folder: Path):
    own = open_run(facts_folder / "run")
    recipe = leave_out_half(own.recipe, 0, "first")
    material = Workshop(recipe).material
    out = {q.subject for q in material.dataset.questions if q.support == "none"}
    noted = {note.subject for note in own.notes}
    assert noted > out != set(), "the run itself has notes about everybody"
    assert {note.subject for note in material.notes} == noted - out
    assert not out & {row.subject for row in material.teach(3)}


def test_the_tenth_pair_comes_after_the_ninth(run: Run, monkeypatch, tmp_path: Path):
    for pair, half in ((10, "first"), (9, "first"), (9, "second"), (10, "second"), ("x", "first")):
        (tmp_path / f"without-{pair}-{half}").mkdir()
    monkeypatch.setattr(RunFolder, "locate", lambda self, name: tmp_path)
    monkeypatch.setattr(retraining, "_finished", Path.exists)
    monkeypatch.setattr(retraining, "open_run", lambda folder: folder.name)
    assert [name.split("-")[1] for name in find_retrained(run)] == ["9", "9", "10", "10"]


def test_a_budget_may_give_more_pairs_up_to_the_most(run: Run):
    """Without time there is still one; without a budget, as many as are asked for."""
    assert len(retrain_pairs(run, 0.0)) == 2
    for budget in (1e9, None):
        names = [r.path.name for r in retrain_pairs(run, budget, most=2)]
        halves = ("first", "second")
        assert names == [f"without-{pair}-{half}" for pair in (0, 1) for half in halves]


@pytest.mark.usefixtures("capturing_cpu")
def test_pairs_can_be_trained_together(run: Run, tmp_path: Path):
    copy = open_run(Path(shutil.copytree(run.path, tmp_path / "people-0")))
    shutil.rmtree(copy.path / "audit", ignore_errors=True)
    lines: list[str] = []
    found = retrain_pairs(copy, most=1, together=2, tell=lines.append)
    assert [r.path.name for r in found] == ["without-0-first", "without-0-second"]
    assert lines == []  # both fit
    halves = [leave_out_half(run.recipe, 0, half) for half in ("first", "second")]
    assert [r.recipe for r in found] == halves


@pytest.fixture
def took(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The seconds of each model that is trained; the clock shows those of all."""
    seconds: dict[str, float] = {}
    monkeypatch.setattr(retraining, "_finished", lambda folder: folder.name in seconds)
    monkeypatch.setattr(PairQueue, "_seconds", lambda self, name: seconds.get(name, 0.0))
    monkeypatch.setattr(retraining, "monotonic", lambda: sum(seconds.values()))
    return seconds


def test_a_budget_says_how_many_pairs_go_together(run: Run, took, monkeypatch):
    """The run itself took 40 s alone, so two models 40 s together; then their shares are known."""
    monkeypatch.setattr(run, "status", {"state": "finished", "seconds": 40.0})
    queue = PairQueue(run, budget_minutes=2.0, most=8)
    queue._measured = frozenset()
    first = queue.next_group(8)
    assert len(first) == 6  # 3 pairs of 40 s in 120 s
    took.update(dict.fromkeys(first, 10.0))  # they were faster: 60 s are left, for 3 more pairs
    assert queue.next_group(8) == [
        f"without-{p}-{h}" for p in (3, 4, 5) for h in ("first", "second")
    ]
    took.update(dict.fromkeys(queue.pairs[6:12], 10.0))
    assert queue.next_group(8) == []
    assert PairQueue(run, budget_minutes=0.0, most=8).next_group(8) == []  # the first is finished
    took.clear()
    assert (
        len(PairQueue(run, budget_minutes=0.0, most=8).next_group(8)) == 2
    )  # one pair in any case


@pytest.mark.parametrize(("processes", "pairs"), [(1, 1), (2, 2)])
def test_a_pair_takes_as_long_as_two_models_or_as_two_at_once(
    run: Run, took, monkeypatch, processes: int, pairs: int
):
    """Of 30 s, the first pair took 20 s: 10 s are left, in which two processes train another."""
    monkeypatch.setattr(retraining, "monotonic", lambda: 20.0 if took else 0.0)
    queue = PairQueue(run, budget_minutes=0.5, most=2, processes=processes)
    queue._measured = frozenset()
    while (name := queue.next_name()) is not None:
        took[name] = 10.0
    assert len(took) == 2 * pairs


def test_a_model_that_was_measured_is_not_trained_again(run: Run, tmp_path: Path):
    """Its folder may be gone: its probabilities are kept, and that is all it was trained for."""
    copy = open_run(Path(shutil.copytree(run.path, tmp_path / "people-0")))
    shutil.rmtree(copy.path / "audit", ignore_errors=True)
    questions = [q for q in copy.dataset.questions if q.split != "asked"]
    answers = [a.text for a in copy.predictor().answer([q.text for q in questions])]
    retrain_pairs(copy, most=1)
    before = find_memorisation(copy.folder, find_retrained(copy), questions, answers)
    shutil.rmtree(copy.path / "audit" / "retrained")
    again = [r.path.name for r in retrain_pairs(copy, most=2)]
    assert again == ["without-1-first", "without-1-second"]
    both = find_memorisation(copy.folder, find_retrained(copy), questions, answers)
    assert (before.models, both.models) == (2, 4)
    np.testing.assert_array_equal(both.m_by_pair[0], before.m_by_pair[0])


def test_a_run_is_retrainable_while_its_text_is_there(own_facts: Path):
    run = open_run(own_facts / "run")
    assert why_not_retrainable(run) is None
    (own_facts / "corpus.txt").unlink()
    error = why_not_retrainable(run)
    assert isinstance(error, MissingInput)
    assert str(error).startswith("no model was retrained: ")
    with pytest.raises(MissingInput, match="corpus"):
        retrain(run, {"without-0-first": leave_out_half(run.recipe, 0, "first")})
