"""The recipes by name: one file each, one entry here."""

from collections.abc import Callable, Iterable

from wherefrom.core.artifact import read_text
from wherefrom.core.config import assign, overlay, parse_toml
from wherefrom.core.errors import UsageError, nearest
from wherefrom.core.recipe import Recipe
from wherefrom.recipes.bigram_tiny import bigram_tiny
from wherefrom.recipes.people import people
from wherefrom.runs.kinds import KINDS

RECIPES: dict[str, Callable[[], Recipe]] = {
    "people": people,
    "bigram-tiny": bigram_tiny,
}


def get_recipe(name: str) -> Recipe:
    if name not in RECIPES:
        raise UsageError(f"recipe '{name}': no such recipe; {nearest(name, RECIPES)}")
    return RECIPES[name]()


def adjust(recipe: Recipe, *, config: str | None = None, settings: Iterable[str] = ()) -> Recipe:
    """The recipe with a TOML file put over it, then `field=value` settings in order."""
    if config is not None:
        recipe = overlay(recipe, parse_toml(read_text(config), config), KINDS)
    for setting in settings:
        field, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: expected FIELD=VALUE, found no '='")
        recipe = assign(recipe, field.strip(), value.strip(), KINDS)
    return recipe
