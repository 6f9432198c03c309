"""Recipes by name, and what options, settings and files change in them."""

from contextlib import suppress
from itertools import product

import pytest

from wherefrom.core.config import encode, parse_toml, to_toml
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.core.recipe import Recipe
from wherefrom.data.fetching import registry
from wherefrom.evaluation.baselines import BASELINES, OPEN_BOOK
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.recipes.recipe_catalogue import (
    OPTIONS,
    RECIPES,
    adjust,
    as_settings,
    build,
    get_recipe,
)
from wherefrom.runs.families import decode_recipe
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
    for stage in recipe.stages:
        assert sum(share.share for share in stage.mix) == pytest.approx(1)
    for task in recipe.tasks:
        assert task.predictors
        reader = {OPEN_BOOK} if recipe.notes else set[str]()
        assert set(task.predictors) <= models | BASELINES.keys() | reader
        assert recipe.primary in task.predictors


def test_an_unknown_recipe_is_refused_with_a_guess():
    for name, guess in {"bigram_tiny": "bigram-tiny", "xyzzy": "known"}.items():
        with pytest.raises(UsageError, match=f"recipe '{name}': no such recipe; .*{guess}"):
            get_recipe(name)


# --- changes ---------------------------------------------------------------------------------


def test_a_file_is_put_over_the_recipe_and_settings_over_the_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        "seed = 3\n[model]\nn_embd = 32\nn_head = 4\n"
        "[stages.pretrain.optimiser]\nkind = 'muon'\nrate = 0.5\n"
    )
    changed = adjust(PEOPLE, config=str(path), settings=["seed=4", "model.n_head=2"])
    assert (changed.seed, changed.model.n_embd, changed.model.n_head) == (4, 32, 2)
    assert changed.stage("pretrain").optimiser == MuonConfig(rate=0.5)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("seed", "--set seed: expected FIELD=VALUE, found no '='"),
        ("stages.train.steps=3", "stages.train: no such field; .*pretrain"),
        ("stages.pretrain.steps=0", r"stages.pretrain.steps: expected a whole .*, found 0"),
        ("tasks.birthplace.beams=x", "^tasks.birthplace.beams: Expected `int`, got `str`$"),
        ("data.folder=\udcff", "--set data.folder: expected text, found bytes that are not UTF-8"),
        ("model.vocab_size=3", "^model.vocab_size: expected 0, as the run counts it, found 3$"),
        ("stages.pretrain.schedule.warmup=3", "stages.pretrain.schedule.warmup: expected"),
        ("primary=x", "primary: expected one of .*with_pretraining.*found 'x'"),
    ],
)
def test_a_setting_that_cannot_be_is_told(setting, message):
    with pytest.raises(UsageError, match=message):
        adjust(PEOPLE, settings=[setting])


def test_a_value_for_a_table_is_refused_whatever_follows(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[stages]\npretrain = 3\n")
    for settings in ([], ["stages.pretrain.steps=30"]):
        with pytest.raises(UsageError, match=r"^stages\.pretrain: expected a table, found 3$"):
            adjust(PEOPLE, config=str(file), settings=settings)
    long = ".".join("a" * 20_000)
    with pytest.raises(UsageError, match=r"^a: no such field; "):
        adjust(PEOPLE, settings=[f"{long}=1"])


def test_every_option_is_a_field_of_some_recipe(tmp_path):
    for name in ("corpus.txt", "questions.tsv"):
        (tmp_path / name).touch()
    fitting = set[str]()
    for recipe, option in product(map(get_recipe, RECIPES), OPTIONS):
        with suppress(UsageError):
            as_settings({option: str(tmp_path)}, recipe)
            fitting.add(option)
    assert fitting == OPTIONS.keys()


def test_a_folder_or_a_name_stands_for_the_files_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("corpus.txt", "questions.csv", "questions.jsonl.gz", "held_out.tsv"):
        (folder / name).touch()
    wanted = {
        "data.corpus": folder / "corpus.txt",
        "data.questions": folder / "questions.csv",
        "data.held_out": folder / "held_out.tsv",
    }
    settings = [f"{field}={path}" for field, path in wanted.items()]
    assert as_settings({"data": "mine"}, get_recipe("facts")) == settings
    registry.add("named", folder, [])
    assert as_settings({"data": "named"}, get_recipe("facts")) == settings
    (tmp_path / "named").mkdir()  # a folder that is here comes before one that has the name
    with pytest.raises(MissingInput, match="found no corpus"):
        as_settings({"data": "named"}, get_recipe("facts"))
    other = as_settings({"data": "mine", "questions": "q.tsv"}, get_recipe("facts"))
    assert f"data.questions={tmp_path}/q.tsv" in other
    assert len(other) == 3
    (folder / "corpus.txt").unlink()
    with pytest.raises(MissingInput, match=r"with corpus\.txt or corpus\.jsonl, found no corpus"):
        as_settings({"data": "mine"}, get_recipe("facts"))
    with pytest.raises(MissingInput, match=r"found no such folder; .*'wherefrom data list'"):
        as_settings({"data": "nobody"}, get_recipe("facts"))


def test_an_option_that_fits_no_field_says_what_there_is():
    with pytest.raises(UsageError, match=r"--held-out: expected a recipe that has a path in data"):
        as_settings({"held_out": "q.tsv"}, get_recipe("people"))
    with pytest.raises(UsageError, match=r"--data: .* found 'attention-lab', which trains nothing"):
        as_settings({"data": "folder"}, get_recipe("attention-lab"))
    with pytest.raises(UsageError, match=r"--variant: .* a name in model.attention"):
        as_settings({"variant": "rope"}, get_recipe("shakespeare-gru"))


# --- the order of changes -----------------------------------------------------------------


def test_without_a_name_it_is_the_one_of_the_file_or_the_default(tmp_path):
    file = tmp_path / "own.toml"
    assert build(None, {}) == people()
    file.write_text('name = "bigram-tiny"\nseed = 4\n')
    built = build(None, {"config": file})
    assert (built.name, built.seed) == ("bigram-tiny", 4)


def test_options_come_after_the_file_settings_after_them_and_the_seed_last(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("seed = 4\nthreads = 3\n")
    options = {"config": file, "variant": "vanilla", "settings": ["model.attention=rope"]}
    built = build("people", options)
    assert (built.seed, built.threads, built.model.attention) == (4, 3, "rope")
    built = build("people", {"config": file, "seed": 5, "settings": ["seed=7", "threads=2"]})
    assert (built.seed, built.threads) == (5, 2)
