"""The recipes by name, and a recipe with a TOML file, options and settings put over it.

Some options stand for a setting: a user's files, and the variant of attention.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, TypeVar

from wherefrom.core.config import overlay, parse_toml, require_table
from wherefrom.core.errors import UsageError, nearest
from wherefrom.core.files import read_text
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.data.facts import FactsConfig
from wherefrom.data.fetching import registry
from wherefrom.data.own_files import find_files
from wherefrom.experiments.recipes import birthplaces_recipe as birthplaces
from wherefrom.experiments.recipes import shakespeare_recipe as shakespeare
from wherefrom.experiments.recipes.bigram_recipe import bigram, bigram_tiny
from wherefrom.experiments.recipes.facts_recipe import facts
from wherefrom.experiments.recipes.people_recipe import people, people_omitted
from wherefrom.experiments.recipes.sentiment_recipe import sentiment
from wherefrom.runs.families import KINDS, check_kinds


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
        if re.search("[\ud800-\udfff]", setting):
            raise UsageError(f"--set {field}: expected text, found bytes that are not UTF-8")
        _put(changes, field.strip().split("."), value.strip())
    changed: Chosen = overlay(recipe, changes, KINDS)
    if isinstance(changed, Recipe):
        check_kinds(changed)
        if size := getattr(changed.model, "vocab_size", 0):
            raise UsageError(f"model.vocab_size: expected 0, as the run counts it, found {size}")
    return changed


def _put(table: dict[str, Any], path: list[str], value: str) -> None:
    *tables, last = path
    where = ".".join(tables)
    for name in tables:
        table = require_table(table.setdefault(name, {}), where)
    table[last] = value


DEFAULT_RECIPE = "people"


class RecipeOptions(TypedDict, total=False):
    """What can be changed about a named recipe; the options of `wherefrom run`.

    A TOML file comes first (`config`), then the options, then FIELD=VALUE `settings` as after
    `--set`; `seed`, `device` and `threads` come last. `data` to `calibration` are the user's own
    files, `documents` says what a document of the text is, and `table` which columns of a table
    are read; `variant` is the model's attention; `notes` ("on" or "off") says whether `facts`
    teaches what a reader noted of the text; `minutes` is the time that a run of `facts` may take.
    """

    config: str | PathLike[str] | None
    settings: Iterable[str]
    data: str | PathLike[str] | None
    corpus: str | PathLike[str] | None
    questions: str | PathLike[str] | None
    held_out: str | PathLike[str] | None
    calibration: str | PathLike[str] | None
    documents: str | None
    table: str | None
    variant: str | None
    notes: str | None
    minutes: float | None
    seed: int | None
    device: str | None
    threads: int | None


# The option, the field that it sets, and whether its value is a path.
OPTIONS = {
    "data": ("data.folder", True),
    "corpus": ("data.corpus", True),
    "questions": ("data.questions", True),
    "held_out": ("data.held_out", True),
    "calibration": ("data.calibration", True),
    "documents": ("data.documents", False),
    "table": ("data.table", False),
    "variant": ("model.attention", False),
}
VARIANTS = {"vanilla": "causal"}  # the course's name for it, where a model's config has another


def build(name: str | None, options: RecipeOptions) -> Experiment:
    """Without a name, it is the recipe that the TOML file names, or else the default."""
    check_options(options)
    if name is None:
        file = options.get("config")
        given = {} if file is None else parse_toml(read_text(str(file)), str(file))
        name = given.get("name", DEFAULT_RECIPE)
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
    if (notes := options.get("notes")) is not None:
        own.append(f"notes={_choose_notes(notes, named.name)}")
    settings = options.get("settings", ())
    settings = [settings] if isinstance(settings, str) else settings
    return adjust(named, config=config, settings=[*own, *settings, *last])


def _choose_notes(notes: str, recipe: str) -> str:
    """The value of a recipe's field `notes`."""
    if recipe != "facts":
        raise UsageError(f"--notes: expected the recipe 'facts', found '{recipe}'; leave it out")
    if notes not in ("on", "off"):
        raise UsageError(f"--notes: expected on or off, found '{notes}'")
    return str(notes == "on").lower()


def check_options(options: Mapping[str, object]) -> None:
    """Refuse a name that is no option: a misspelt one would otherwise change nothing."""
    for name in options:
        if name not in RecipeOptions.__annotations__:
            close = nearest(name, RecipeOptions.__annotations__)
            raise UsageError(f"{name}: no such option of a recipe; {close}")


def as_settings(options: Mapping[str, Any], recipe: Experiment) -> list[str]:
    """FIELD=VALUE for each of OPTIONS that is given.

    Paths are made absolute, so that a run can be opened from anywhere. An option for a field
    that the recipe does not have, or has as a number, is an error that says what there is. Where
    a recipe takes a text and questions and no folder, `data` stands for the files in a folder.
    """
    named = {name: options.get(name) for name in OPTIONS}
    given: dict[str, str] = {n: os.fspath(value) for n, value in named.items() if value is not None}
    if "data" in given and isinstance(getattr(recipe, "data", None), FactsConfig):
        given = find_files(Path(_locate(given.pop("data")))) | given
    return [_as_setting(name, value, recipe) for name, value in given.items()]


def _as_setting(option: str, value: str, recipe: Experiment) -> str:
    field, is_path = OPTIONS[option]
    part, name = field.split(".")
    shown = f"--{option.replace('_', '-')}"
    held: Any = getattr(recipe, part, None)
    if held is None:
        raise UsageError(
            f"{shown}: expected a recipe that trains on data, found '{recipe.name}', which trains "
            "nothing"
        )
    if not isinstance(getattr(held, name, None), str):
        known = ", ".join(held.__struct_fields__)
        raise UsageError(
            f"{shown}: expected a recipe that has {'a path' if is_path else 'a name'} in "
            f"{field}, found '{recipe.name}', whose {part} '{held.kind}' has {known}"
        )
    return f"{field}={_locate(value) if is_path else VARIANTS.get(value, value)}"


def _locate(value: str) -> str:
    """The absolute path, or the folder of the registered data set if only that has the name."""
    known = None if os.path.exists(value) else registry.find(value)
    return os.path.abspath(value) if known is None else str(known)
