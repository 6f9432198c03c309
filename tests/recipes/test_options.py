"""Options that stand for a setting: where they go, and what is said of one that fits no field."""

from pathlib import Path

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.recipes.catalogue import RECIPES, adjust, get_recipe
from wherefrom.recipes.options import OPTIONS, as_settings


def test_every_option_is_a_field_of_some_recipe():
    fitting = {name: [] for name in OPTIONS}
    for recipe in (get_recipe(name) for name in RECIPES):
        for option in OPTIONS:
            try:
                fitting[option] += as_settings({option: "x"}, recipe)
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
