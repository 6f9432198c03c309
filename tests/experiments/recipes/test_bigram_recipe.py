"""The bigram recipe, small on generated text and whole on the real one."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from tests.support import real_data
from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Recipe
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.recipes.bigram_recipe import bigram
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.workshop import Workshop

NAMES = ["unigram", "counts", "homework", "better"]


def small(**steps: int) -> Recipe:
    recipe = bigram()
    stages = (replace(s, steps=steps.get(s.name, s.steps)) for s in recipe.stages)
    return replace(recipe, stages=tuple(stages), threads=1)


def test_without_files_everything_runs_on_the_generated_text(tmp_path):
    outcome = execute(small(homework=1000, better=100), tmp_path / "b")
    found = {name: outcome.results[name]["perplexity"] for name in NAMES}
    assert found["better"] < found["homework"] < found["unigram"]
    assert found["counts"] < 0.6 * found["unigram"]
    run = open_run(tmp_path / "b")
    assert run.results["better"]["bigrams"] == run.results["better"]["n"]


def test_a_stage_goes_on_from_the_weights_of_another(tmp_path):
    recipe = small(homework=20, better=2)
    first, second = recipe.stages
    recipe = replace(recipe, stages=(first, replace(second, start_from="homework")), tasks=())
    execute(recipe, tmp_path / "b")
    run, workshop = open_run(tmp_path / "b"), Workshop(recipe)
    model = run.model("homework")
    assert model.flat.size == 50 * 50 + 50 + 50 * 53 + 53  # fifty words, two marks, the unknown
    begun = workshop.new_model(recipe.stages[0])
    np.testing.assert_array_equal(model.vectors, begun.vectors)  # frozen, and kept with the model
    # The two steps of the second stage, taken by hand.
    workshop.learner(recipe.stages[1], model).advance(0, 2)
    np.testing.assert_array_equal(run.model("better").flat, model.flat)
    assert (model.flat != run.model("homework").flat).any()


def test_vectors_of_another_width_are_refused(word_run, tmp_path):
    files = [f"data.folder={word_run.parent}", "data.words=8"]
    with pytest.raises(BadData, match=r"expected 50 numbers .* found 3 for.*--set model\.width"):
        execute(adjust(small(), settings=files), tmp_path / "b")
    assert not (tmp_path / "b").exists(), "found before there is a folder"


def test_an_unknown_word_is_charged_by_its_bytes(word_run):
    result = open_run(word_run).results["homework"]  # on "the dog sat", with an unknown dog
    assert result["unknown_share"] == pytest.approx(1 / 4)
    assert result["bigrams"] == 4
    assert result["original_characters"] == len("the dog sat\n")
    assert result["unsaid_nats"] == pytest.approx(math.log(256) * len("dog "))


@pytest.mark.nightly
def test_the_real_text_reaches_the_figures_of_the_homework_and_better_ones(tmp_path):
    recipe = adjust(small(), settings=[f"data.folder={real_data.find('language').parent}"])
    results = execute(recipe, tmp_path / "b").results
    assert results["unigram"]["n"] == 122_439
    assert results["unigram"]["unknown_share"] == pytest.approx(0.1544, abs=1e-4)
    assert 118 < results["homework"]["perplexity"] < 130
    assert results["better"]["perplexity"] < 84
    assert results["counts"]["perplexity"] < 72
