import json
from pathlib import Path

import pytest

from tests.support.following import follow
from wherefrom.api import build_recipe, default_folder
from wherefrom.core.errors import UsageError
from wherefrom.training.torch_learner import TorchLearner

BIGRAM = ["--set", "data.sentences=200", "--set", "stages.train.steps=40"]


def snapshot(run: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in run.rglob("*") if p.is_file()}


def test_json_is_one_object_of_the_agreed_form(cli, tiny, tmp_path):
    result = cli("run", *tiny, "--out", tmp_path / "r", "--json", "--no-report")
    assert result.code == 0
    assert not (tmp_path / "r" / "report.html").exists()
    found = result.json
    assert list(found) == ["recipe", "run", "seconds", "results", "reused", "changed", "advice"]
    assert (found["recipe"], found["run"]) == ("people", str(tmp_path / "r"))
    assert found["seconds"] > 0
    accuracies = ["majority", "nearest_name", "without_pretraining", "with_pretraining"]
    assert list(found["results"])[:4] == accuracies
    share = found["results"]["answered_share"]
    assert share.keys() == {"answered_share", "interval", "n", "why_not"}
    assert share["why_not"], "it learns nothing, so nothing is answered, and it says why"
    assert "pretrain: 40 steps" in result.err
    assert "evaluating" in result.err


def test_a_finished_folder_prints_its_results_and_changes_nothing(cli, tiny, tiny_run):
    before = snapshot(tiny_run)
    result = cli("run", *tiny, "--no-report", "--out", tiny_run)
    assert result.code == 0
    assert result.err == f"{tiny_run} is finished; these are its results\n"
    assert "with_pretraining" in result.out
    assert result.out.splitlines()[-1].startswith(f"{tiny_run}: ")
    assert result.out.endswith(" in all\n")
    as_json = cli("run", *tiny, "--no-report", "--out", tiny_run, "--json")
    assert as_json.json["results"] == json.loads((tiny_run / "status.json").read_text())["results"]
    assert snapshot(tiny_run) == before


def test_the_default_folder_is_named_after_recipe_and_seed(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = cli("run", "bigram-tiny", *BIGRAM, "--seed", 3)
    assert result.code == 0
    assert (tmp_path / "runs" / "bigram-tiny-3" / "run.json").exists()
    assert result.out.splitlines()[1] == "perplexity per word"
    assert "runs/bigram-tiny-3: " in result.out


def test_a_variant_is_in_the_default_folders_name():
    """Two variants of one recipe and seed do not meet in one folder."""
    named = [build_recipe("people", seed=3, variant=variant) for variant in ("rope", "vanilla")]
    named.append(build_recipe("people", seed=3, settings=["model.attention=causal"]))
    found = [default_folder(recipe).as_posix() for recipe in named]
    assert found == ["runs/people-3", "runs/people-causal-3", "runs/people-causal-3"]


def test_seeds_are_run_apart_and_aggregated(cli, tmp_path):
    result = cli("run", "bigram-tiny", *BIGRAM, "--seeds", "0-1,4", "--out", tmp_path, "--json")
    found = result.json
    assert list(found) == ["recipe", "runs", "seconds", "results", "outcomes"]
    assert [outcome["run"] for outcome in found["outcomes"]] == found["runs"]
    assert found["runs"] == [str(tmp_path / f"seed-{n}") for n in (0, 1, 4)]
    runs = [json.loads((Path(run) / "status.json").read_text()) for run in found["runs"]]
    network = found["results"]["network"]
    values = [run["results"]["network"]["perplexity"] for run in runs]
    assert network["values"] == values
    assert "seed 4, train: 40 steps" in result.err
    again = cli("run", "bigram-tiny", *BIGRAM, "--seeds", "0-1,4", "--out", tmp_path)
    assert "steps" not in again.err
    assert again.err.count("is finished") == 3
    assert again.out.splitlines()[0].split() == ["mean", "95", "%", "interval", "worst", "seeds"]


# --- options that stand for settings ---------------------------------------------------------


@pytest.fixture
def own_files(facts_folder, tmp_path, small_settings):
    """A text, questions, and a config that makes a tiny recipe of them."""
    (tmp_path / "c.txt").write_text((facts_folder / "corpus.txt").read_text() + "Nobody's line.")
    rows = (facts_folder / "questions.tsv").read_text()
    (tmp_path / "q.tsv").write_text(f"{rows}How is Ada Lund?\tfine")
    (tmp_path / "own.toml").write_text('[data]\nkind = "facts"\n')
    return ["people", "--config", tmp_path / "own.toml",
            *(part for s in small_settings for part in ("--set", s))]  # fmt: skip


def test_a_users_own_files_are_counted_and_trained_on(cli, own_files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = ["--corpus", "c.txt", "--questions", "q.tsv"]
    few = ["--set", "abstain=false", "--no-report", "--out", tmp_path / "r"]
    arguments = ["run", *own_files, *files, *few]
    result = cli(*arguments, "--json")
    assert result.code == 0, result.err
    said = result.err.splitlines()
    assert said[0].startswith("text: 25 lines, ")
    assert "form: Where was X born? (24)" in said
    assert "questions left out, of a form of their own: 1 (How is Ada Lund?)" in said
    assert "lines that no question is about: 1" in said
    stored = json.loads((tmp_path / "r" / "run.json").read_text())["recipe"]["data"]
    assert stored["corpus"] == str(tmp_path / "c.txt")
    assert stored["questions"] == str(tmp_path / "q.tsv")
    (tmp_path / "c.txt").unlink()
    again = cli(*arguments)
    assert again.code == 0
    assert "is finished" in again.err


# --- the way of a recipe ---------------------------------------------------------------------

RUNNING = ("api", "cli", "experiments", "runs", "training")  # not what is read, taught or built


def test_a_recipe_passes_22_modules_before_its_first_step(cli, tiny, tmp_path, monkeypatch):
    """Recipe, ranks, run folder, workshop, stage, loop: what a newcomer reads, in this order."""

    def advance(*_: object) -> None:
        raise UsageError("the first step")

    monkeypatch.setattr(TorchLearner, "advance", advance)
    calls = follow(lambda: cli("run", *tiny, "--out", tmp_path / "r", "--no-report"))
    modules = {callee for _, callee in calls if callee.split(".")[0] in RUNNING}
    assert {"cli.run", "runs.workshop", "training.loop"} <= modules
    assert len(modules) <= 22, sorted(modules)
