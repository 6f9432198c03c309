"""Recipes run from end to end, stopped, continued and read again."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace

from tests.experiments.stopping import StopAt
from wherefrom import api
from wherefrom.core.errors import BadData, Interrupted, Mismatch, MissingInput, UsageError
from wherefrom.core.recipe import Recipe, Task
from wherefrom.evaluation.evaluator import accuracy
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run

BIGRAM = ["data.sentences=300", "stages.train.steps=30", "stages.train.batch=16", "threads=1"]


@pytest.fixture(scope="module")
def quick(tiny_settings) -> Recipe:
    few = ["stages.pretrain.steps=21", "stages.questions_only.steps=2", "abstain=false"]
    return adjust(get_recipe("people"), settings=[*tiny_settings, *few])


# --- what comes of it ------------------------------------------------------------------------


def test_people_reports_what_it_promises(tiny_run):
    results = open_run(tiny_run).results
    scored = ("majority", "nearest_name", "without_pretraining", "with_pretraining")
    measures = dict.fromkeys(scored, "accuracy") | {"answered_share": "answered_share"}
    measures |= dict.fromkeys(("refused_without_text", "refused_omitted"), "refused_share")
    assert results.keys() - {"precision"} == measures.keys()
    for name, measure in measures.items():
        low, high = results[name]["interval"]
        assert 0 <= low <= results[name][measure] <= high <= 1
    sizes = {name: result["n"] for name, result in results.items() if name != "precision"}
    few = {"refused_without_text": 4, "refused_omitted": 2}
    assert sizes == dict.fromkeys(measures, 8) | few


def test_predictions_are_what_the_results_were_counted_from(tiny_run):
    run = open_run(tiny_run)
    (task,) = run.recipe.tasks
    golds = {q.subject: q.answer for q in run.questions(task)}
    for name in task.predictors:
        predictions = run.predictions(name, task.name)
        assert {q.subject: q.answer for q in predictions.known} == golds
        right = sum(answer.text == golds[q.subject] for q, answer in predictions)
        assert run.results[name]["accuracy"] == right / len(golds)
        assert run.results[name]["correct"] == right
        assert accuracy(predictions).as_json() == run.results[name]


@pytest.fixture(scope="module")
def bigram(tmp_path_factory) -> tuple[Recipe, Path, Outcome]:
    recipe, path = adjust(get_recipe("bigram-tiny"), settings=BIGRAM), tmp_path_factory.mktemp("b")
    return recipe, path / "run", execute(recipe, path / "run")


# --- again -----------------------------------------------------------------------------------


def test_a_finished_folder_is_only_read(bigram):
    recipe, path, first = bigram
    files = {p: p.stat().st_mtime_ns for p in path.rglob("*") if p.is_file()}
    with pytest.raises(Mismatch, match=r"stages\.train\.steps: .* has 30, asked for 31"):
        execute(adjust(recipe, settings=["stages.train.steps=31"]), path)
    again = execute(replace(recipe, threads=2), path)
    assert again.reused
    assert (again.results, again.seconds) == (first.results, first.seconds)
    assert {p: p.stat().st_mtime_ns for p in path.rglob("*") if p.is_file()} == files


def test_a_finished_folder_of_other_data_is_left_alone(own_facts):
    """The same settings, but what they read has changed: a second text of a user's, say."""
    path, text = own_facts / "run", own_facts / "corpus.txt"
    recipe, results = open_run(path).recipe, open_run(path).results
    assert execute(recipe, path).results == results
    text.write_text(text.read_text().replace("Rome", "Lyon"))
    with pytest.raises(Mismatch, match=r"the run's data has .*another run in a folder of its own"):
        execute(recipe, path)
    text.unlink()  # what it was made from is gone: that says nothing against it
    assert execute(recipe, path).results == results
    with pytest.raises(MissingInput):
        execute(adjust(recipe, settings=[f"data.corpus={own_facts}/other"]), path)


# --- stages ----------------------------------------------------------------------------------


def test_an_unknown_predictor_is_refused_with_a_guess(quick, tmp_path):
    tasks = (Task("birthplace", predictors=("majorty",)),)
    with pytest.raises(UsageError, match=r"predictor 'majorty': .*did you mean 'majority'"):
        execute(replace(quick, tasks=tasks), tmp_path / "r")
    assert not (tmp_path / "r").exists()  # found before anything was trained


# --- threads ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("began", "here", "count"), [("1", "2", 1), ("4", "2", 2), ("2", "1", 1)])
def test_a_run_is_resumed_with_the_threads_it_began_with(
    quick, tmp_path, monkeypatch, began, here, count
):
    """Their number changes the order of sums, and so the last bits of the weights."""
    path, before = tmp_path / "run", torch.get_num_threads()
    recipe = replace(quick, threads=0, tasks=(), abstain=False)
    try:
        monkeypatch.setenv("OMP_NUM_THREADS", began)
        with pytest.raises(Interrupted):
            execute(recipe, path, [StopAt("pretrain", 20)])
        assert json.loads((path / "run.json").read_text())["threads"] == int(began)
        monkeypatch.setenv("OMP_NUM_THREADS", here)
        execute(recipe, path)
        assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(before)


# --- what is known before training -----------------------------------------------------------


def test_no_answer_but_those_of_asked_questions_reaches_notes_or_weights(tmp_path, small_settings):
    """Calibration and held-out answers change places: the same notes, the same bits."""
    names = [
        f"{a} {b}" for a in "Ada Bo Cy Di Ed Fay Gus".split() for b in "Lund Roth Holm".split()
    ]
    born = dict(zip(names, "Oslo Rome Lima".split() * 7, strict=True))
    (tmp_path / "corpus.txt").write_text("".join(f"{n} was born in {born[n]}.\n" for n in names))
    splits = ["asked"] * 13 + ["calibration", "held-out"] * 4

    def teach(folder: str, turn: int) -> tuple[bytes, list[dict[str, Any]]]:
        rows = ["question\tanswer\tsplit\n"]
        for i, (name, split) in enumerate(zip(names, splits, strict=True)):
            answer = born[name] if split == "asked" else born[names[13 + (i + turn) % 8]]
            rows.append(f"Where was {name} born?\t{answer}\t{split}\n")
        (tmp_path / f"{folder}.tsv").write_text("".join(rows))
        files = {"corpus": tmp_path / "corpus.txt", "questions": tmp_path / f"{folder}.tsv"}
        few = [*small_settings, "stages.pretrain.steps=6", "abstain=false", "watch=0"]
        api.run("facts", out=tmp_path / folder, settings=few, **files)
        weights = tmp_path / folder / "models" / "with_pretraining" / "weights.safetensors"
        return weights.read_bytes(), RunFolder(tmp_path / folder).read_jsonl("notes.jsonl")

    (weights, notes), (again, same) = teach("one", 0), teach("other", 3)
    assert len(notes) == len(names)
    assert (again, same) == (weights, notes)


def test_a_question_that_is_too_long_is_refused_before_training(facts_folder, tmp_path):
    """Of whatever split: the evaluation would be the first to find a held-out one."""
    table = tmp_path / "held-out.tsv"
    table.write_text(f"Where was Ada {'Lund ' * 50} born?\tOslo\nWhere was Bo Falk born?\tRome\n")
    files = [f"data.held_out={table}", "model.block_size=128"]
    recipe = adjust(open_run(facts_folder / "run").recipe, settings=files)
    with pytest.raises(
        BadData, match=r"expected a question of at most 127 characters, found 2\d\d; shorten"
    ):
        execute(recipe, tmp_path / "run")
    assert not (tmp_path / "run").exists()


# --- what a finished run keeps ---------------------------------------------------------------


def test_only_the_primary_models_stage_keeps_its_checkpoints(tiny_run):
    found = {p.parent.parent.name for p in tiny_run.glob("stages/*/checkpoints/step-*")}
    assert found == {"pretrain"}
    assert open_run(tiny_run).recipe.primary == "with_pretraining"
