"""Families of models and kinds of configs: what a recipe may hold."""

import pytest
from msgspec.structs import replace

from wherefrom.core.errors import UsageError
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.runs.families import FAMILIES, data_identity, recipe_identity
from wherefrom.training.optimisers import MuonConfig


def test_a_model_in_numpy_has_no_muon():
    (stage,) = get_recipe("bigram-tiny").stages
    stage = replace(stage, optimiser=MuonConfig())
    with pytest.raises(UsageError, match=r"stages\.train\.optimiser: .* in numpy, found 'muon'"):
        FAMILIES["bigram"].learner(None, None, stage)


@pytest.mark.parametrize("changed", [{"buckets": 2}, {"mix": 2}])
def test_bags_have_one_objective_and_no_buckets(changed):
    stage = get_recipe("sentiment").stages[0]
    if "mix" in changed:
        changed = {"mix": stage.mix * 2}
    with pytest.raises(UsageError, match="expected one objective and one bucket for bags"):
        FAMILIES["dan"].learner(None, None, replace(stage, **changed))


PEOPLE = get_recipe("people")


def test_a_recipes_identity_is_all_but_where_it_runs():
    here = recipe_identity(PEOPLE)
    elsewhere = ["device=cpu", "threads=3", "watch=5", "stages.pretrain.checkpoint_seconds=1"]
    assert recipe_identity(adjust(PEOPLE, settings=elsewhere)) == here
    for setting in ("seed=1", "stages.pretrain.clip=0.5", "data.cities=30", "abstain=false"):
        assert recipe_identity(adjust(PEOPLE, settings=[setting])) != here


def test_where_files_lie_is_no_part_of_the_data():
    config = FactsConfig(corpus="a.txt", questions="a.tsv")
    moved = replace(config, corpus="elsewhere/a.txt", questions="elsewhere/a.tsv")
    assert data_identity(moved) == data_identity(config)
