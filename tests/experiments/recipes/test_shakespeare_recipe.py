"""The character models, small on generated text and whole on the real one."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support import real_data
from wherefrom.core.characters import PRINTABLE
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.recipe import Recipe
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.one_run.samples import LENGTH, PROMPT, read_losses
from wherefrom.experiments.recipes import shakespeare_recipe as shakespeare
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop

TEXT = "Whither wander you? Over hill, over dale, thorough bush, thorough brier.\n" * 30
SMALL = {
    "gru": (
        "model.n_hidden=24", "model.n_embd=12", "model.dropout=0.1", "threads=1",
        "stages.homework.steps=25", "stages.homework.mix.text.objective.length=40",
        "stages.better.steps=25", "stages.better.batch=4",
        "stages.better.mix.text.objective.length=25",
    ),
    "gpt": (
        "model.n_layer=1", "model.n_embd=16", "model.block_size=32", "model.ngram_buckets=64",
        "model.embd_pdrop=0.1", "stages.train.steps=25", "stages.train.batch=4", "threads=1",
    ),
}  # fmt: skip


def small(name: str, tmp_path: Path, *settings: str) -> Recipe:
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    recipe = getattr(shakespeare, name)()
    return adjust(recipe, settings=[f"data.folder={file}", *SMALL[name], *settings])


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, Outcome]:
    folders = {name: tmp_path_factory.mktemp(name) for name in SMALL}
    return {name: execute(small(name, path), path / "run") for name, path in folders.items()}


@pytest.mark.parametrize("name", SMALL)
def test_a_run_leaves_scores_samples_and_curves(name, outcomes):
    outcome = outcomes[name]
    run = open_run(outcome)
    recipe = run.recipe
    assert run.vocabulary == PRINTABLE
    first = {"gru": "better", "gpt": "gpt"}[name]
    result = outcome.results[first]
    held_out = len(TEXT) - int(0.9 * len(TEXT))
    assert result["n"] == held_out - 1
    assert result["characters"] == held_out
    assert result["perplexity"] < 60  # it begins at a hundred
    assert result["last_100_updates"] == pytest.approx(np.mean(read_losses(run, first)))
    for model in recipe.models:
        sample = (run.path / "samples" / f"{model.name}.txt").read_text()
        assert sample.startswith(PROMPT)
        assert len(sample) == len(PROMPT) + LENGTH + 1
        stage = run.path / "stages" / model.stage
        assert (stage / "loss.svg").read_text().startswith("<?xml")
        rows = [json.loads(line) for line in (stage / "metrics.jsonl").read_text().splitlines()]
        steps = recipe.stage(model.stage).steps
        assert [len(row["tens"]) for row in rows] == [2] * (steps // 20) + [1]


def test_the_held_out_score_is_that_of_the_direct_computation(outcomes):
    results, run = outcomes["gpt"].results, open_run(outcomes["gpt"])
    text = run.dataset.documents[-1].text
    losses = -run.predictor().log_probabilities(text)
    assert results["gpt"]["nats_per_target"] == pytest.approx(losses.mean())
    assert (results["gpt"]["window"], results["gpt"]["read_again"]) == (32, 16)
    blocks = run.predictor().overlapping(0.0).log_probabilities(text)
    assert results["blocks.gpt"]["nats_per_target"] == pytest.approx(-blocks.mean())
    assert results["blocks.gpt"]["read_again"] == 0


def test_no_model_sees_the_held_out_end(tmp_path):
    recipe = small("gru", tmp_path)
    workshop = Workshop(recipe)
    training = PRINTABLE.encode(workshop.dataset.documents[0].text)
    for stage in recipe.stages:
        (part,) = workshop.objective(stage).parts
        assert part.objective.tokens.tolist() == training


def test_the_homework_is_the_homeworks():
    recipe = shakespeare.gru()
    stage = recipe.stage("homework")
    assert (stage.steps, stage.batch) == (2000, 1)
    assert stage.mix[0].objective.length == 400
    assert (stage.optimiser.rate, stage.optimiser.decay, stage.optimiser.beta2) == (5e-3, 0, 0.999)
    assert (recipe.model.n_embd, recipe.model.n_hidden, recipe.model.n_layer) == (100, 100, 1)


def test_what_does_not_fit_is_refused_before_training(tmp_path):
    long = small("gpt", tmp_path, "stages.train.mix.text.objective.length=33")
    with pytest.raises(UsageError, match=r"length.*at most what the model reads, 32"):
        execute(long, tmp_path / "a")
    longer = small("gru", tmp_path, "stages.homework.mix.text.objective.length=4000")
    with pytest.raises(BadData, match="expected more than 4000 characters"):
        execute(longer, tmp_path / "b")


@pytest.mark.nightly
def test_the_real_text_reaches_the_figures_of_the_homework_and_better_ones(tmp_path):
    data = real_data.find("language").parent
    recipe = adjust(shakespeare.gru(), settings=[f"data.folder={data}"])
    results = execute(recipe, tmp_path / "r").results
    assert results["homework"]["n"] == 111_539
    assert results["homework"]["last_100_updates"] < 1.80
    assert results["better"]["nats_per_target"] < results["homework"]["nats_per_target"] - 0.1
