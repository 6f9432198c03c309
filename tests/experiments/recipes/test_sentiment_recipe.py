"""The averaging networks, small on generated reviews and whole on the real ones."""

import json

import numpy as np
import pytest
from msgspec.structs import replace

from tests.support import real_data
from wherefrom.core.recipe import Recipe
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.experiments.recipes.sentiment_recipe import sentiment
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop


@pytest.fixture
def recipe(sentiment_settings) -> Recipe:
    return adjust(sentiment(), settings=sentiment_settings)


def only(recipe: Recipe, *names: str) -> Recipe:
    """The recipe with some of its stages."""
    tasks = tuple(
        replace(task, predictors=tuple(p for p in task.predictors if p in names))
        for task in recipe.tasks
    )
    stages = tuple(s for s in recipe.stages if s.name in names)
    models = tuple(m for m in recipe.models if m.name in names)
    return replace(recipe, stages=stages, models=models, primary=names[0], tasks=tasks)


def test_test_reviews_are_put_to_the_reported_models_alone(sentiment_run):
    results = open_run(sentiment_run).results
    alone = [name for name in results if "." not in name]
    seeds = [f"trainable-{i}" for i in (1, 2, 3)]
    assert alone == ["majority", *seeds, "frozen"]
    files = sorted(file.name for file in sentiment_run.glob("predictions/*.test.jsonl"))
    assert files == [f"{name}.test.jsonl" for name in ("frozen", "majority", *seeds)]
    assert results["trainable-1"]["accuracy"] > results["majority"]["accuracy"] + 0.05


def test_the_three_seeds_differ_in_their_draws_alone(recipe):
    first, second, third = recipe.stages[:3]
    assert replace(first, name="x") == replace(second, name="x") == replace(third, name="x")
    workshop = Workshop(recipe)
    heads = [workshop.new_model(s).head.weight for s in (first, second, third)]
    assert not (heads[0] == heads[1]).any()
    plans = [workshop.objective(s).parts[0].objective.plan(0, 1) for s in (first, second)]
    assert not (plans[0] == plans[1]).all()


def test_each_stage_has_the_model_that_its_variant_says(sentiment_run):
    run = open_run(sentiment_run)
    assert len(run.model("depth-0").layers) == 0
    assert len(run.model("depth-3").layers) == 3
    assert run.model("activation-tanh").config.activation == "tanh"
    assert "embedding" not in dict(run.model("frozen").named_parameters())
    words, width = run.model().embedding.shape
    assert run.cost("trainable-1")["parameters"] == words * width + 8 * 8 + 8 + 2 * 8 + 2
    assert run.cost("frozen")["parameters"] == 8 * 8 + 8 + 2 * 8 + 2
    last = (run.path / "stages/frozen/metrics.jsonl").read_text().splitlines()[-1]
    assert run.cost("frozen")["seconds"] == pytest.approx(json.loads(last)["seconds"], abs=0.01)


def test_a_probed_stage_is_looked_at_after_every_epoch(sentiment_run, recipe):
    rows = [json.loads(x) for x in (sentiment_run / "stages/epochs/probes.jsonl").open()]
    asked = len(Workshop(recipe).dataset.asked)
    assert [row["step"] for row in rows] == [20, 40, 60]  # an epoch is 18 steps, a chunk 20
    assert [row["epoch"] for row in rows] == [round(row["step"] * 30 / asked, 1) for row in rows]
    assert rows[-1]["accuracy"] == open_run(sentiment_run).results["validation.epochs"]["accuracy"]


def test_a_probed_stage_may_be_shorter_than_an_epoch(recipe, tmp_path):
    small = adjust(only(recipe, "trainable-1", "epochs"), settings=["stages.epochs.steps=5"])
    found = execute(small, tmp_path / "run").results
    assert found["validation.epochs"]["n"] > 0
    assert not (tmp_path / "run/stages/epochs/probes.jsonl").exists()


@pytest.mark.nightly
def test_the_real_reviews_reach_the_figure(tmp_path):
    data = real_data.find("sentiment").parent
    chosen = adjust(get_recipe("sentiment"), settings=[f"data.folder={data}"])
    names = ("trainable-1", "trainable-2", "trainable-3", "frozen")
    results = execute(only(chosen, *names), tmp_path / "run").results
    assert results["trainable-1"]["n"] == 25_000 - 123
    assert np.mean([results[name]["accuracy"] for name in names[:3]]) > 0.875
    assert 0.74 < results["frozen"]["accuracy"] < 0.79
