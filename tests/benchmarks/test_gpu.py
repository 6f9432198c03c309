"""The program of the GPU figures: what it needs, what it would run, and the page made of it."""

import json
import os
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import gpu
import handout
import pytest
import results
import torch
import why

from wherefrom.recipes.catalogue import adjust, get_recipe

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> dict[str, str]:
    """An environment in which all that the locked requirements name, apart from torch and numpy
    and what torch needs, is missing; in child processes too."""
    folder = tmp_path_factory.mktemp("bare")
    lines = (ROOT / "requirements" / "run.txt").read_text().splitlines()
    pinned = {line.split("==")[0].replace("-", "_") for line in lines if "==" in line[:60]}
    needs = {"numpy", "sympy", "mpmath", "networkx", "jinja2", "fsspec", "filelock",
             "typing_extensions", "MarkupSafe", "markupsafe", "setuptools"}  # fmt: skip
    blocked = sorted(pinned - needs)
    assert {"typer", "rich"} <= set(blocked)
    for name in blocked:
        (folder / f"{name}.py").write_text("raise ModuleNotFoundError('not to be had here')\n")
    return os.environ | {"PYTHONPATH": str(folder)}


def in_python(environment: dict[str, str], *arguments: object) -> str:
    found = subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr[-800:]
    return found.stdout


@pytest.mark.nightly
def test_it_needs_torch_and_numpy_and_nothing_else(bare, python_anew):
    code = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
    code += "import gpu, influence, results; print(len(gpu.jobs('nowhere')))"
    assert int(in_python(bare, "-c", code)) > 10
    with pytest.raises(AssertionError, match="not to be had"):
        in_python(bare, "-c", "import rich")


@pytest.mark.nightly
def test_so_do_the_courses_commands(bare, python_anew, tmp_path, monkeypatch):
    """Two of them, from nothing to a score, through files of parameters and checkpoints."""
    rows = "".join(f"Where was {n} born?\tOslo\n" for n in ("Ann Ek", "Bo Ek", "Cy Ek"))
    text = "".join(f"{n}. {n} was born in Oslo. Where?\n" for n in ("Ann Ek", "Bo Ek", "Cy Ek"))
    for name, content in (("wiki.txt", text), ("birth_places_train.tsv", rows),
                          ("birth_dev.tsv", rows)):  # fmt: skip
        (tmp_path / name).write_text(content)
    for name, value in bare.items():
        monkeypatch.setenv(name, value)
    names = handout.names()
    assert len(names) == 19
    sizes = {"n_layer": 1, "n_head": 1, "n_embd": 8, "epochs": 1}
    options = [f"--{name}={size}" for name, size in sizes.items()]
    first, second = (handout.give(n, str(tmp_path), tmp_path / "out", options) for n in names[:2])
    assert first.keys() == {"seconds", "disturbed"}
    assert second.keys() == {"seconds", "disturbed", "accuracy", "n"}
    assert second["n"] == 3
    with pytest.raises(RuntimeError, match=r"rope_eval.*code 66: .*run './run.sh rope_finetune"):
        handout.give("rope_eval_dev_with_pretrain", str(tmp_path), tmp_path / "out", options)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA GPU")
def test_without_a_gpu_it_says_so_and_runs_nothing(tmp_path, capsys):
    assert gpu.main(["--out", str(tmp_path / "x.jsonl")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "x.jsonl").exists()


def test_each_row_changes_the_one_before_it_and_ends_at_ours():
    ours = gpu.jobs("")["knowledge.rope"]
    recipes = [why.begin(), *(row.recipe for row in why.ROWS)]
    for before, after in pairwise(recipes):
        assert before != after
    assert len({row.name for row in why.ROWS}) == len(why.ROWS)
    assert {r.stage("pretrain").steps for r in recipes} == {14_950}
    assert {r.stage("pretrain").batch for r in recipes} == {128}
    full = recipes[-1]
    assert full.model == ours.model
    stage = ours.stage("pretrain")
    assert full.stage("pretrain") == replace(stage, steps=14_950)


def differences(one: Any, other: Any, place: str = "") -> set[str]:
    """The fields in which two recipes differ, down to the first difference of kind."""
    if type(one) is not type(other) or not (is_dataclass(one) or isinstance(one, tuple)):
        return set() if one == other else {place}
    if isinstance(one, tuple):
        if len(one) != len(other):
            return {place}
        pairs = {str(i): pair for i, pair in enumerate(zip(one, other, strict=True))}
    else:
        pairs = {f.name: (getattr(one, f.name), getattr(other, f.name)) for f in fields(one)}
    return set().union(*(differences(*pair, f"{place}.{name}") for name, pair in pairs.items()))


SPANS = ".stages.0.mix.0.objective"


def test_a_thing_taken_out_is_one_thing():
    ours = why.ROWS[-1].recipe
    found = {row.name: differences(ours, row.recipe) for row in why.WITHOUT}
    assert all(place.startswith(".model.") for place in found.pop("architecture"))
    assert found == {
        "letters": {".data.letters"}, "answers": {f"{SPANS}.answer_like"},
        "salient": {f"{SPANS}.salient"}, "windows": {f"{SPANS}.windows"},
        "decay": {".stages.0.optimiser.decay"},
        "optimiser": {".stages.0.optimiser", ".stages.0.schedule.shape"},
    }  # fmt: skip


def test_a_thing_put_in_is_one_thing():
    found = {row.name: differences(why.begin(), row.recipe) for row in why.ADDED}
    assert all(place.startswith(".model.") for place in found.pop("architecture"))
    schedule = {f".stages.0.schedule.{name}" for name in ("shape", "warmup", "floor")}
    assert found == {
        "salient": {f"{SPANS}.salient"}, "windows": {f"{SPANS}.windows"},
        "optimiser": {".stages.0.optimiser", *schedule},
        "mixing": {".models.0.stage", ".stages"},
    }  # fmt: skip
    (mixed,) = (row.recipe for row in why.ADDED if row.name == "mixing")
    kept = mixed.stage("pretrain"), why.begin().stage("pretrain")
    assert differences(*kept) == {".mix"}


def row(job: str, seed: int, accuracy: float, model: str = "with_pretraining") -> dict:
    score = {"accuracy": accuracy, "interval": [0, 1], "n": 500}
    kinds = {"gold absent": 20, "another place of the line": 25, "beyond the window": 5,
             "failed recall": 10}  # fmt: skip
    strict = score | {"mistakes": {"n": 500, "right": 440, "reach": 112, "kinds": kinds}}
    both = {"strict": strict, ", place-aware": score}
    return {
        "job": job, "seed": seed, "device": "chip", "torch": "1", "python": "3", "parameters": 7,
        "stages": {"pretrain": {"seconds": 60.0, "steps": 14950}},
        "tasks": {f"dev.{model}": {"seconds": 0.5, "scores": both}},
    }  # fmt: skip


@pytest.fixture
def measured_here(monkeypatch):
    """The page without the parts that come from committed files, which take seconds."""
    for part in ("trust", "labels", "homework"):
        monkeypatch.setattr(results, part, lambda: "")


def test_the_page_says_what_was_measured_and_what_was_not(measured_here):
    rows = [row("course.causal", s, a) for s, a in enumerate((0.2, 0.22, 0.3))]
    rows += [row("knowledge.rope", s, a, "model") for s, a in enumerate((0.8, 0.84))]
    page = results.page(rows)
    assert "| vanilla | 7 | 3 | 24.0 (20.0 to 30.0) |" in page
    assert "| birthplaces-knowledge | 7 | 2 | 82.0 (80.0 to 84.0) |" in page
    assert "| rope | - | 0 | not run |" in page
    assert "| gold absent | 20.0 (20.0 to 20.0) |" in page


def test_the_page_sets_single_changes_beside_what_they_change(measured_here):
    page = results.page
    before = [row("course.causal", 0, 0.25), row("why.mixing", 0, 0.75)]
    assert "One thing alone" not in page(before)
    found = page([*before, row("without.salient", 0, 0.5), row("added.mixing", 1, 0.125)])
    taken_out, put_in = found.split("One thing alone taken out")[1].split("One thing alone put in")
    assert "| the row with questions in every batch | 1 | 75.0" in taken_out
    assert "| no salient spans | 1 | 50.0" in taken_out
    assert "| the course's recipe | 1 | 25.0" in put_in
    assert "| questions in every batch; no finetuning | 1 | 12.5" in put_in
    assert "| salient spans | 0 | not run" in put_in
    half = page([*before, row("added.mixing", 1, 0.125)])
    assert "put into" in half
    assert "taken out" not in half


def test_the_page_compares_character_models_in_nats(measured_here):
    def scored(nats: float) -> dict:
        return {"seconds": 1.0, "scores": {"strict": {"nats_per_target": nats}}}

    rows = [
        {"job": "shakespeare.gpt", "seed": seed, "device": "chip", "torch": "1", "python": "3",
         "parameters": 9, "stages": {"train": {"seconds": 20.0}},
         "tasks": {"held-out.gpt": scored(nats), "blocks.gpt": scored(nats + 0.02)}}
        for seed, nats in enumerate((1.4, 1.44))
    ]  # fmt: skip
    page = results.page(rows)
    assert (
        "| shakespeare-gpt-gpu | 9 | 2 | 1.4200 (1.4000 to 1.4400) | 1.4400 (1.4200 to 1.4600) "
        "| 20.0 (20.0 to 20.0) |"
    ) in page
    assert "| shakespeare-gru-gpu | - | 0 | not run | - | not run |" in page


def test_a_job_of_characters_is_scored_in_nats(tmp_path):
    (tmp_path / "text.txt").write_text("to be, or not to be: that is the question.\n" * 20)
    tiny = {
        "shakespeare.gru": ["model.n_hidden=8", "stages.train.mix.text.objective.length=20"],
        "shakespeare.gpt": ["model.n_layer=1", "model.n_embd=12", "model.block_size=20"],
    }
    for name, settings in tiny.items():
        recipe = gpu.jobs("", str(tmp_path / "text.txt"))[name]
        steps = ["stages.train.steps=3", "stages.train.batch=2"]
        (found,) = gpu.run([adjust(recipe, settings=[*settings, *steps])])
        assert found["tasks"][f"held-out.{name[-3:]}"]["scores"]["strict"]["nats_per_target"] > 1
        assert "nats" in gpu.summary(name, 0, found)


def test_rows_of_the_same_job_replace_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results")
    first, second = tmp_path / "a" / "gpu.jsonl", tmp_path / "b" / "gpu.jsonl"
    for path, rows in ((first, [row("calibrated", 0, 0.5), row("why.rate", 0, 0.3)]),
                       (second, [row("calibrated", 0, 0.6)])):  # fmt: skip
        path.parent.mkdir()
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    answers = {"job": "calibrated", "seed": 0, "task": "test.model", "answers": ["Rome", "Ulm"]}
    second.with_name("predictions.jsonl").write_text(json.dumps(answers) + "\n")
    results.take_over(first)
    results.take_over(second)
    kept = results.read(tmp_path / "results" / "gpu.jsonl")
    assert [(r["job"], results.accuracies([r])) for r in kept] == [
        ("calibrated", [60.0]), ("why.rate", [30.0]),
    ]  # fmt: skip
    found = tmp_path / "results" / "calibrated.0.test.predictions"
    assert found.read_text() == "Rome\nUlm\n"


@pytest.mark.nightly
def test_the_page_in_the_repository_is_made_of_the_results_beside_it():
    page = results.page(results.read(results.RESULTS / "gpu.jsonl"))
    assert results.PAGE.read_text("utf-8") == page


@pytest.mark.nightly
def test_models_of_one_shape_are_made_together(tiny_settings):
    tiny = replace(adjust(get_recipe("people"), settings=[*tiny_settings, "device=cpu"]), tasks=())
    recipes = [replace(tiny, seed=seed) for seed in (0, 1)]
    wider = replace(tiny, model=replace(tiny.model, n_embd=32))
    jobs = [("a", recipes[0]), ("wider", wider), ("a", recipes[1])]
    assert gpu.choose_group(jobs) == [jobs[0], jobs[2]]
    together, (alone,) = gpu.run(recipes), gpu.run(recipes[:1])
    losses = [found["stages"]["pretrain"]["losses"][-1][1] for found in (together[0], alone)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-3)
    assert together[0]["stages"].keys() == alone["stages"].keys()
