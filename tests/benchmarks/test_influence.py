"""Models trained without people's text, on a tiny recipe: what is left behind, and a run of it."""

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wherefrom.auditing.audit import audit_run
from wherefrom.core.recipe import ModelEntry, Recipe
from wherefrom.recipes.catalogue import adjust, get_recipe
from wherefrom.runs.run import open_run

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def influence(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("influence")
    sys.modules.pop("influence", None)


@pytest.fixture
def recipe(tiny_settings: list[str]) -> Recipe:
    whole = adjust(get_recipe("people"), settings=tiny_settings)
    assert isinstance(whole, Recipe)
    return replace(
        whole, stages=whole.stages[:1], models=(ModelEntry("with_pretraining", "pretrain"),),
        tasks=(replace(whole.tasks[0], predictors=("with_pretraining",)),),
    )  # fmt: skip


def test_pairs_are_measured_once_and_become_a_run(influence, recipe, tmp_path, capsys):
    out, run = tmp_path / "gpu", tmp_path / "run"
    out.mkdir()
    influence.measure(recipe, out, pairs=1, seconds=1e9)
    rows = [json.loads(line) for line in (out / "influence.jsonl").read_text().splitlines()]
    assert [(row["pair"], row["half"]) for row in rows] == [(0, "first"), (0, "second")]
    has_text = np.array([row["has_text"] for row in rows])
    assert (has_text.sum(0) <= 1).all()  # no text is read by both models
    before = (out / "influence.jsonl").read_bytes()
    influence.measure(recipe, out, pairs=1, seconds=1e9)
    assert (out / "influence.jsonl").read_bytes() == before

    influence.adopt(recipe, out, run)
    opened = open_run(run)
    assert opened.finished
    answers = [a.text for a in opened.predictor().answer(rows[0]["questions"])]
    assert answers == rows[0]["answers"]
    found = audit_run(opened).source
    assert (found.borrowed, found.models) == (False, 2)
