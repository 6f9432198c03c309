"""`facts`: one setting for a CPU, one for a GPU, over a user's own files."""

from dataclasses import replace

import pytest

from wherefrom.core.recipe import Recipe
from wherefrom.recipes.birthplaces import knowledge
from wherefrom.recipes.facts import facts, large, read_again, small


def test_the_gpu_gets_the_model_of_the_knowledge_recipe():
    assert replace(large().model, block_size=128) == knowledge().model
    wide, usual = large(384), large()
    assert wide.model.n_embd == 384
    assert wide.stages[0].optimiser.rate < usual.stages[0].optimiser.rate


@pytest.mark.parametrize("recipe", [small(), large()], ids=["small", "large"])
def test_texts_of_any_length_are_read_behind_their_subjects_name(recipe: Recipe):
    spans = recipe.stages[0].mix[0].objective
    assert (spans.reads, spans.long_texts) == ("passages", "window")
    assert recipe.abstain


def test_it_asks_about_everybody_who_has_text():
    (task,) = facts().tasks
    assert (task.split, task.support) == ("held-out", ("stated", "omitted"))


def test_reading_again_goes_on_from_the_last_stage():
    once = read_again(facts(), 50)
    twice = read_again(once, 70)
    assert [s.name for s in twice.stages] == [
        "pretrain",
        "questions_only",
        "pretrain_2",
        "pretrain_3",
    ]
    assert [s.name for s in twice.chain()] == ["pretrain", "pretrain_2", "pretrain_3"]
    assert [s.steps for s in twice.chain()][1:] == [50, 70]
    assert twice.chain("without_pretraining") == [facts().stage("questions_only")]
