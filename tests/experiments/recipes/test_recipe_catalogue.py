"""The recipes themselves, and how they are changed."""

import pytest

from wherefrom.core.config import encode, parse_toml, to_toml
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Recipe
from wherefrom.evaluation.baselines import BASELINES, OPEN_BOOK
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, adjust, get_recipe
from wherefrom.objectives.objective_catalogue import OBJECTIVES
from wherefrom.runs.kinds import KINDS, decode_recipe
from wherefrom.training.optimisers import MuonConfig

PEOPLE = get_recipe("people")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_says_its_name_and_comes_back_from_toml_and_from_json(name):
    recipe = get_recipe(name)
    assert recipe.name == name
    assert recipe.summary
    assert "\n" not in recipe.summary
    assert decode_recipe(parse_toml(to_toml(recipe), "here")) == recipe
    assert decode_recipe(encode(recipe)) == recipe


@pytest.mark.parametrize("name", [n for n in RECIPES if isinstance(get_recipe(n), Recipe)])
def test_everything_a_recipe_names_is_there(name):
    recipe = get_recipe(name)
    models = {m.name for m in recipe.models}
    assert recipe.data.kind in KINDS
    assert recipe.model.kind in KINDS
    for stage in recipe.stages:
        assert stage.optimiser.kind in KINDS
        assert {share.objective.kind for share in stage.mix} <= OBJECTIVES.keys()
        assert sum(share.share for share in stage.mix) == pytest.approx(1)
    for task in recipe.tasks:
        assert task.predictors
        reader = {OPEN_BOOK} if recipe.notes else set[str]()
        assert set(task.predictors) <= models | BASELINES.keys() | reader
        assert recipe.primary in task.predictors


@pytest.mark.parametrize(
    ("name", "guess"), [("poeple", "people"), ("bigram_tiny", "bigram-tiny"), ("xyzzy", "known")]
)
def test_an_unknown_recipe_is_refused_with_a_guess(name, guess):
    with pytest.raises(UsageError, match=f"recipe '{name}': no such recipe; .*{guess}"):
        get_recipe(name)


# --- changes ---------------------------------------------------------------------------------


def test_settings_change_fields_by_their_dotted_names():
    changed = adjust(
        PEOPLE,
        settings=[
            "stages.pretrain.steps=100", "model.n_embd = 32", "seed=7",
            "stages.pretrain.mix.spans.objective.salient=0.5", "stages.pretrain.optimiser.rate=0.1",
            "tasks.birthplace.predictors=majority, nearest_name",
        ],
    )  # fmt: skip
    assert changed.stage("pretrain").steps == 100
    assert changed.model.n_embd == 32
    assert changed.seed == 7
    assert changed.stage("pretrain").mix[0].objective.salient == 0.5
    assert changed.stage("pretrain").optimiser.rate == 0.1
    assert changed.stage("questions_only") == PEOPLE.stage("questions_only")
    assert changed.tasks[0].predictors == ("majority", "nearest_name")
    assert adjust(PEOPLE) == PEOPLE == get_recipe("people")


def test_a_file_is_put_over_the_recipe_and_settings_over_the_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        "seed = 3\n[model]\nn_embd = 32\nn_head = 4\n"
        "[stages.pretrain.optimiser]\nkind = 'muon'\nrate = 0.5\n"
    )
    changed = adjust(PEOPLE, config=str(path), settings=["seed=4", "model.n_head=2"])
    assert (changed.seed, changed.model.n_embd, changed.model.n_head) == (4, 32, 2)
    assert changed.stage("pretrain").optimiser == MuonConfig(rate=0.5)


def test_a_recipe_printed_and_put_over_itself_is_itself(tmp_path):
    path = tmp_path / "people.toml"
    changed = adjust(PEOPLE, settings=["seed=9", "model.n_layer=3"])
    path.write_text(to_toml(changed))
    assert adjust(PEOPLE, config=str(path)) == changed


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("seed", "--set seed: expected FIELD=VALUE, found no '='"),
        ("stages.train.steps=3", "stages.train: no such entry; .*pretrain"),
        (
            "stages.pretrain.steps=0",
            "stages.pretrain.steps: expected a whole number from 1 to .*, found 0",
        ),
        ("primary=x", "primary: expected one of .*with_pretraining.*found 'x'"),
    ],
)
def test_a_setting_that_cannot_be_is_told(setting, message):
    with pytest.raises(UsageError, match=message):
        adjust(PEOPLE, settings=[setting])
