"""Which settings make a run another run."""

from dataclasses import replace

from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.recipes.recipe_catalogue import adjust, get_recipe
from wherefrom.runs.kinds import data_identity, recipe_identity

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
