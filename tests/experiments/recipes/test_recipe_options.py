"""A named recipe with changes over it: where options go, and what is said if one fits no field."""

from pathlib import Path

import pytest

from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.data.fetching import registry
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, adjust, get_recipe
from wherefrom.experiments.recipes.recipe_options import OPTIONS, as_settings, build


def test_every_option_is_a_field_of_some_recipe(tmp_path):
    for name in ("corpus.txt", "questions.tsv"):
        (tmp_path / name).touch()
    fitting = {name: [] for name in OPTIONS}
    for recipe in (get_recipe(name) for name in RECIPES):
        for option in OPTIONS:
            try:
                fitting[option] += as_settings({option: str(tmp_path)}, recipe)
            except UsageError:
                continue
    assert all(fitting.values())


def test_paths_become_absolute_and_names_stay(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"corpus": "text.txt", "questions": None, "held_out": str(tmp_path / "q.tsv")}
    settings = as_settings(given, get_recipe("facts"))
    assert settings == [f"data.corpus={tmp_path}/text.txt", f"data.held_out={tmp_path}/q.tsv"]
    recipe = adjust(get_recipe("facts"), settings=settings)
    assert Path(recipe.data.corpus) == tmp_path / "text.txt"


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


@pytest.mark.parametrize(("given", "attention"), [("vanilla", "causal"), ("rope", "rope")])
def test_the_courses_name_of_a_variant(given, attention):
    assert as_settings({"variant": given}, get_recipe("people")) == [f"model.attention={attention}"]


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


def test_options_come_after_the_file_and_settings_after_them(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("seed = 4\nthreads = 3\n")
    options = {"config": file, "variant": "vanilla", "settings": ["model.attention=rope"]}
    built = build("people", options)
    assert (built.seed, built.threads, built.model.attention) == (4, 3, "rope")


def test_seed_device_and_threads_come_last(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text("seed = 4\nthreads = 3\n")
    built = build("people", {"config": file, "seed": 5, "settings": ["seed=7", "threads=2"]})
    assert (built.seed, built.threads) == (5, 2)
