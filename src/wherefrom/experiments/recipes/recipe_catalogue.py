"""The recipes by name: one entry here for each."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from wherefrom.core.arguments import checked
from wherefrom.core.config import overlay, parse_toml
from wherefrom.core.errors import UsageError, nearest
from wherefrom.core.files import read_text
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.experiments.recipes import birthplaces_recipe as birthplaces
from wherefrom.experiments.recipes import shakespeare_recipe as shakespeare
from wherefrom.experiments.recipes.bigram_recipe import bigram, bigram_tiny
from wherefrom.experiments.recipes.facts_recipe import facts
from wherefrom.experiments.recipes.people_recipe import people, people_omitted
from wherefrom.experiments.recipes.sentiment_recipe import sentiment
from wherefrom.runs.kinds import KINDS, check_kinds


def attention_lab() -> Demonstrations:
    """Claims about attention, each computed, checked, drawn; wrong ones refuted."""
    return Demonstrations(
        name="attention-lab",
        summary="what attention can do, computed and drawn; wrong statements of it refuted",
    )


RECIPES: dict[str, Callable[[], Experiment]] = {
    "people": people,
    "people-omitted": people_omitted,
    "facts": facts,
    "birthplaces-course": birthplaces.course,
    "birthplaces-knowledge": birthplaces.knowledge,
    "birthplaces-calibrated": birthplaces.calibrated,
    "birthplaces-laptop": birthplaces.laptop,
    "bigram": bigram,
    "bigram-tiny": bigram_tiny,
    "shakespeare-gru": shakespeare.gru,
    "shakespeare-gru-gpu": shakespeare.gru_gpu,
    "shakespeare-gpt": shakespeare.gpt,
    "shakespeare-gpt-gpu": shakespeare.gpt_gpu,
    "sentiment": sentiment,
    "attention-lab": attention_lab,
}

Chosen = TypeVar("Chosen", bound=Experiment)


@checked
def get_recipe(name: str) -> Experiment:
    """A named recipe, as it is."""
    if name not in RECIPES:
        raise UsageError(f"recipe '{name}': no such recipe; {nearest(name, RECIPES)}")
    return RECIPES[name]()


def adjust(recipe: Chosen, *, config: str | None = None, settings: Iterable[str] = ()) -> Chosen:
    """The recipe with a TOML file and then `field=value` settings put over it, all at once."""
    changes = {} if config is None else parse_toml(read_text(config), config)
    for setting in settings:
        field, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: expected FIELD=VALUE, found no '='")
        _put(changes, field.strip().split("."), value.strip())
    if "kind" in changes and changes["kind"] == getattr(recipe, "kind", None):
        del changes["kind"]  # as `wherefrom list` prints it: it says what is so already
    changed: Chosen = overlay(recipe, changes, KINDS)
    if isinstance(changed, Recipe):
        check_kinds(changed)
    return changed


def _put(table: dict[str, Any], path: list[str], value: str) -> None:
    """Set a value of nested tables; a later setting wins over what stands in its way."""
    *tables, last = path
    for name in tables:
        if not isinstance(table.get(name), dict):
            table[name] = {}
        table = table[name]
    table[last] = value
