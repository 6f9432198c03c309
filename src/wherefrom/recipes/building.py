"""A named recipe with the user's file, options and settings put over it."""

from typing import Any

from wherefrom.core.config import parse_toml
from wherefrom.core.files import read_text
from wherefrom.core.recipe import Experiment
from wherefrom.recipes.catalogue import Chosen, adjust, get_recipe
from wherefrom.recipes.options import OPTIONS, RecipeOptions, as_settings, check_options

DEFAULT_RECIPE = "people"


def build(name: str | None, options: RecipeOptions) -> Experiment:
    """Without a name, it is the recipe that the TOML file names, or else the default."""
    check_options(options)
    if name is None:
        name = _read_config(options).get("name", DEFAULT_RECIPE)
    return change(get_recipe(str(name)), options)


def change(named: Chosen, options: RecipeOptions) -> Chosen:
    """A recipe with a TOML file, the options and the settings put over it."""
    config = None if (file := options.get("config")) is None else str(file)
    own: list[str] = []
    if any(options.get(option) is not None for option in OPTIONS):
        own = as_settings(options, adjust(named, config=config))
    # All changes are made at once, so that two fields that must fit can be changed together.
    given = {part: options.get(part) for part in ("seed", "device", "threads")}
    last = [f"{part}={value}" for part, value in given.items() if value is not None]
    return adjust(named, config=config, settings=[*own, *_list_settings(options), *last])


def _list_settings(options: RecipeOptions) -> list[str]:
    settings = options.get("settings", ())
    return [settings] if isinstance(settings, str) else list(settings)


def _read_config(options: RecipeOptions) -> dict[str, Any]:
    file = options.get("config")
    return {} if file is None else parse_toml(read_text(str(file)), str(file))
