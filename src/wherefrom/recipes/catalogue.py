"""The recipes by name: one file each, one entry here."""

from collections.abc import Callable, Iterable
from typing import Any

from wherefrom.core.config import overlay, parse_toml
from wherefrom.core.errors import UsageError, nearest
from wherefrom.core.files import read_text
from wherefrom.core.recipe import Recipe
from wherefrom.recipes import birthplaces
from wherefrom.recipes.bigram_tiny import bigram_tiny
from wherefrom.recipes.facts import facts
from wherefrom.recipes.people import people
from wherefrom.runs.kinds import KINDS

RECIPES: dict[str, Callable[[], Recipe]] = {
    "people": people,
    "facts": facts,
    "birthplaces-course": birthplaces.course,
    "birthplaces-knowledge": birthplaces.knowledge,
    "birthplaces-calibrated": birthplaces.calibrated,
    "bigram-tiny": bigram_tiny,
}


def get_recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UsageError(f"recipe '{name}': no such recipe; {nearest(name, RECIPES)}")
    return RECIPES[name]()


def adjust(recipe: Recipe, *, config: str | None = None, settings: Iterable[str] = ()) -> Recipe:
    """The recipe with a TOML file and then `field=value` settings put over it, all at once."""
    changes = {} if config is None else parse_toml(read_text(config), config)
    for setting in settings:
        field, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: expected FIELD=VALUE, found no '='")
        _put(changes, field.strip().split("."), value.strip())
    return overlay(recipe, changes, KINDS)


def _put(table: dict[str, Any], path: list[str], value: str) -> None:
    """Set a value of nested tables; a later setting wins over what stands in its way."""
    *tables, last = path
    for name in tables:
        if not isinstance(table.get(name), dict):
            table[name] = {}
        table = table[name]
    table[last] = value
