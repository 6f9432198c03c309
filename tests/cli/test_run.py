import json
from pathlib import Path

import pytest

from wherefrom.api import build_recipe, get_recipe

BIGRAM = ["--set", "data.sentences=200", "--set", "stages.train.steps=40"]


def snapshot(run: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in run.rglob("*") if p.is_file()}


def test_json_is_one_object_of_the_agreed_form(cli, tiny, tmp_path):
    result = cli("run", *tiny, "--out", tmp_path / "r", "--json")
    assert result.code == 0
    found = result.json
    assert list(found) == ["recipe", "run", "seconds", "results"]
    assert (found["recipe"], found["run"]) == ("people", str(tmp_path / "r"))
    assert found["seconds"] > 0
    accuracies = ["majority", "nearest_name", "without_pretraining", "with_pretraining"]
    assert list(found["results"])[:4] == accuracies
    for name in accuracies:
        score = found["results"][name]
        assert 0 <= score["interval"][0] <= score["accuracy"] <= score["interval"][1] <= 1
        assert score["n"] == 8
    assert found["results"]["refused_without_text"]["n"] == 4
    assert found["results"]["answered_share"].keys() == {"answered_share", "interval", "n"}
    assert "pretrain: 40 steps" in result.err
    assert "evaluating" in result.err


def test_a_finished_folder_prints_its_results_and_changes_nothing(cli, tiny, tiny_run):
    before = snapshot(tiny_run)
    result = cli("run", *tiny, "--out", tiny_run)
    assert result.code == 0
    assert result.err == f"{tiny_run} is finished; these are its results\n"
    assert "with_pretraining" in result.out
    assert result.out.splitlines()[-1].startswith(f"{tiny_run}: ")
    assert result.out.endswith(" in all\n")
    as_json = cli("run", *tiny, "--out", tiny_run, "--json")
    assert as_json.json["results"] == json.loads((tiny_run / "status.json").read_text())["results"]
    assert snapshot(tiny_run) == before


def test_the_default_folder_is_named_after_recipe_and_seed(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = cli("run", "bigram-tiny", *BIGRAM, "--seed", 3)
    assert result.code == 0
    assert (tmp_path / "runs" / "bigram-tiny-3" / "run.json").exists()
    assert result.out.splitlines()[1] == "perplexity"
    assert "runs/bigram-tiny-3: " in result.out


def test_seeds_are_run_apart_and_aggregated(cli, tmp_path):
    result = cli("run", "bigram-tiny", *BIGRAM, "--seeds", "0-1,4", "--out", tmp_path, "--json")
    found = result.json
    assert list(found) == ["recipe", "runs", "seconds", "results"]
    assert found["runs"] == [str(tmp_path / f"seed-{n}") for n in (0, 1, 4)]
    runs = [json.loads((Path(run) / "status.json").read_text()) for run in found["runs"]]
    network = found["results"]["network"]
    values = [run["results"]["network"]["perplexity"] for run in runs]
    assert network["values"] == values
    assert network["perplexity"] == pytest.approx(sum(values) / 3)
    assert network["worst"] == max(values)
    assert network["n"] == 3
    assert network["interval"][0] < network["perplexity"] < network["interval"][1]
    assert found["seconds"] == pytest.approx(sum(run["seconds"] for run in runs), abs=0.01)
    assert "seed 4, train: 40 steps" in result.err
    again = cli("run", "bigram-tiny", *BIGRAM, "--seeds", "0-1,4", "--out", tmp_path)
    assert "steps" not in again.err
    assert again.err.count("is finished") == 3
    assert again.out.splitlines()[0].split() == ["mean", "95", "%", "interval", "worst", "seeds"]


def test_one_seed_alone_has_no_interval(cli, tmp_path):
    result = cli("run", "bigram-tiny", *BIGRAM, "--seeds", "2", "--out", tmp_path, "--json")
    network = result.json["results"]["network"]
    assert network["interval"] is None
    assert network["values"] == [network["perplexity"]] == [network["worst"]]


def test_a_listed_recipe_is_the_same_recipe_when_given_back(cli, tmp_path):
    for name in ("people", "bigram-tiny"):
        file = tmp_path / f"{name}.toml"
        file.write_text(cli("list", name).out)
        assert build_recipe(config=str(file)) == get_recipe(name)


def test_fields_that_must_fit_each_other_can_be_set_together(tmp_path):
    built = build_recipe("people", settings=["model.n_embd=60", "model.n_head=6"])
    assert (built.model.n_embd, built.model.n_head) == (60, 6)
    file = tmp_path / "c.toml"
    file.write_text("[model]\nn_head = 6\n")
    assert build_recipe(config=str(file), settings=["model.n_embd=60"]).model.n_head == 6


def test_settings_go_over_the_file_and_options_over_both(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text("seed = 5\nthreads = 2\n[stages.pretrain]\nsteps = 7\nbatch = 4\n")
    built = build_recipe(
        config=str(file), settings=["stages.pretrain.steps=9", "seed=6"], threads=1
    )
    assert (built.seed, built.threads) == (6, 1)
    assert (built.stage("pretrain").steps, built.stage("pretrain").batch) == (9, 4)
