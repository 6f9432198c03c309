"""Every field of every config: what it refuses, whichever way the value comes.

A field that is added later is swept too. What is refused is refused when the config is built, so
before a folder is made.
"""

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any, get_type_hints

import pytest
from msgspec.structs import fields, replace

from wherefrom.core.config import Config, decode, encode, overlay
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Demonstrations, ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.birthplaces import BirthplacesConfig
from wherefrom.data.character_text import CharactersConfig
from wherefrom.data.facts import FactsConfig
from wherefrom.data.people import PeopleConfig
from wherefrom.data.tiny_text import TinyTextConfig
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, adjust, get_recipe
from wherefrom.models.bigram import BigramConfig
from wherefrom.models.dan import DANConfig
from wherefrom.models.gpt import GPTConfig
from wherefrom.models.gru import GRUConfig
from wherefrom.objectives.span_corruption import SpanCorruptionConfig
from wherefrom.runs.families import KINDS
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

PEOPLE = people()
WHOLES = [
    PEOPLE, get_recipe("attention-lab"), PEOPLE.stages[0], PEOPLE.stages[0].mix[0],
    PEOPLE.stages[0].schedule, PEOPLE.models[0], PEOPLE.tasks[0],
]  # fmt: skip
KIND_CONFIGS = [
    kind(PEOPLE.data) if any(f.required for f in fields(kind)) else kind()
    for kind in KINDS.values()
]
CONFIGS = [*WHOLES, *KIND_CONFIGS]
HUGE = 10**18


def plain(hint: Any) -> Any:
    return next((t for t in (int, float, str, bool) if hint in (t, t | None)), None)


def leaves() -> Iterator[tuple[Any, str, type]]:
    """Config, field and type of every field that is a number, a text or true or false."""
    for config in CONFIGS:
        hints = get_type_hints(type(config))
        for f in fields(config):
            if kind := plain(hints[f.name]):
                yield config, f.name, kind


def test_every_class_of_a_recipe_is_swept():
    classes = {type(config) for config in CONFIGS}
    parts = {Stage, Share, Schedule, ModelEntry, Task}
    assert {Recipe, Demonstrations} | parts < classes
    assert set(KINDS.values()) < classes

    def within(value: Any):
        if isinstance(value, Config):
            yield type(value)
            for f in fields(value):
                yield from within(getattr(value, f.name))
        elif isinstance(value, tuple):
            for each in value:
                yield from within(each)

    for make in RECIPES.values():
        assert set(within(make())) <= classes
    assert len(list(leaves())) > 100


NEVER: dict[type, list[Any]] = {
    int: [-1, HUGE, -HUGE, 10**5000, 1.5, math.nan, math.inf, True, "", "x", [], {}],
    float: [math.nan, math.inf, -math.inf, -1.0, 1e300, 10**400, True, "", "x", [], {}],
    bool: [2, 1.0, "", "x", [], {}],
    str: [3, 1.5, True, [], {}],
}


def test_what_no_field_of_its_type_accepts():
    """As a TOML file gives it, with the type that it has there."""
    failures = []
    for config, field, kind in leaves():
        for value in NEVER[kind]:
            try:
                overlay(config, {field: value}, KINDS)
                said = "accepted"
            except UsageError as error:
                said = str(error).removeprefix(f"{type(config).__name__}.")
            expected = rf"{field}: ([Ee]xpected|Integer value out of|Number out of) "
            if "\n" in said or not re.match(expected, said):
                failures.append((type(config).__name__, field, said))
    assert failures == []


def test_what_is_accepted_can_be_written_and_read_again():
    """As the command line gives it: text, of which only some fields can make something."""
    failures = []
    for config, field, kind in leaves():
        for text in ("nan", "inf", "-1", "0", "1", str(HUGE), "", "x", "../x", "9" * 5000):
            try:
                changed = overlay(config, {field: text}, KINDS)
            except UsageError:
                continue
            value = getattr(changed, field)
            sound = kind not in (int, float) or 0 <= value <= 1e30
            if not sound or decode(type(config), encode(changed), KINDS) != changed:
                failures.append((type(config).__name__, field, text[:20]))
    assert failures == []


# What lies just outside of a field's bounds; (class, fields, what the message says was expected).
OUTSIDE: list[tuple[Any, dict[str, Any], str]] = [
    (GPTConfig, {"n_embd": 100}, "a multiple of n_head=8"),
    (GPTConfig, {"n_head": 0}, "a whole number from 1 to 65,536"),
    (GPTConfig, {"norm": "batch"}, "one of ('layer', 'rms')"),
    (GPTConfig, {"activation": "relu"}, "one of ('gelu', 'relu2')"),
    (GPTConfig, {"attention": "casual"}, "a mixer; did you mean 'causal'"),
    (GPTConfig, {"ngrams": 1}, "0, or a length from 2 to 32"),
    (GPTConfig, {"n_layer": 2, "attention": "perceiver"}, "a whole number from 3"),
    (GPTConfig, {"block_size": 1, "attention": "synthesizer"}, "a whole number from 2"),
    (GPTConfig, {"n_embd": 24, "attention": "rope"}, "an even width for each head with rope"),
    (GRUConfig, {"n_hidden": 0}, "a whole number"),
    (BigramConfig, {"initial": ("zero",)}, ""),
    (DANConfig, {"depth": 4}, "a whole number from 0 to 3"),
    (DANConfig, {"activation": "relo"}, "one of"),
    (AdamWConfig, {"rate": 0}, "a number above 0"),
    (MuonConfig, {"momentum": 1.0}, "a share"),
    (Schedule, {"shape": "square"}, ""),
    (BirthplacesConfig, {"letters": "latin"}, "one of"),
    (CharactersConfig, {"held_out": 1.0}, ""),
    (FactsConfig, {"documents": "pages"}, "one of lines, paragraphs, files"),
    (PeopleConfig, {"asked": 0}, "a whole number from 1 to 20,000"),
    (PeopleConfig, {"cities": 99}, "2 to 40"),
    (PeopleConfig, {"exposure": "odd"}, "one of"),
    (TinyTextConfig, {"words": 4901}, ""),
    (TinyTextConfig, {"held_out": 0.0}, ""),
    (SpanCorruptionConfig, {"salient": 1.5}, "a share from 0 to 1"),
]


def test_a_config_names_the_field_and_what_would_do():
    failures = []
    for make, given, expected in OUTSIDE:
        field, value = next(iter(given.items()))
        try:
            make(**given)
            said = "accepted"
        except UsageError as error:
            said = str(error)
        start = f"{make.__name__}.{field}: expected {expected}"
        if not said.startswith(start) or f"found {value!r}" not in said:
            failures.append((make.__name__, given, said))
    assert failures == []


NAMED = [c for c in CONFIGS if "name" in {f.name for f in fields(c)}]
BAD_NAMES = [
    "", ".", "..", "../../../evil", "/etc/passwd", "a/b", "a\\b", "a..b", ".hidden", "end.", " a",
    "a ", "a\nb", "a\0b", "a\x1b[31m", "a\u202eb", "\ud800", "x" * 101,
]  # fmt: skip


def test_names_that_could_lead_elsewhere_are_refused_everywhere():
    assert len(NAMED) == 6  # Recipe, Demonstrations, Stage, Share, ModelEntry, Task
    for config, name in product(NAMED, BAD_NAMES):
        with pytest.raises(UsageError, match="name: expected a name of 1 to 100 characters"):
            replace(config, name=name)  # in Python
        with pytest.raises(UsageError, match=r"name: expected (a name of 1 to 100|text, found b)"):
            overlay(config, {"name": name}, KINDS)  # on the command line, and in TOML


def test_other_names_are_accepted():
    names = ["people", "with pretraining", "depth-0", "a.b", "größe", "x" * 100]
    for config, name in product(NAMED, names):
        assert replace(config, name=name).name == name


def test_two_stages_of_one_name_would_share_a_folder():
    first = PEOPLE.stages[0]
    with pytest.raises(UsageError, match=r"Recipe.stages: expected names that all differ, found"):
        replace(PEOPLE, stages=(first, *PEOPLE.stages))


def test_a_kind_that_cannot_stand_there_is_refused():
    """What is left are data sets for every family, and the two families of character models."""
    accepted: dict[tuple[str, str], set[str]] = {}
    for recipe, place, kind in product(RECIPES, ("data", "model"), KINDS):
        found = accepted.setdefault((recipe, place), set())
        with suppress(UsageError):
            adjust(get_recipe(recipe), settings=[f"{place}.kind={kind}"])
            found.add(kind)
    assert accepted["sentiment", "data"] == {"reviews"}
    assert accepted["sentiment", "model"] == {"dan"}
    for found in accepted.values():
        assert "edited" not in found  # it needs a base
        assert not found & {"adamw", "muon", "sgd", "answers", "bags", "dan-variant"}


@pytest.mark.parametrize(
    "setting",
    [
        "stages.pretrain.optimiser.kind=gpt",
        "stages.pretrain.variant.kind=dan-variant",
        "stages.pretrain.mix.text.objective.kind=bigrams",
    ],
)
def test_a_part_of_another_family_is_refused(setting):
    with pytest.raises(UsageError, match=r"expected (one of the kinds|none)|a table, not a value"):
        adjust(PEOPLE, settings=[setting])


DEEP = {
    "nested arrays": f"seed = {'[' * 5000}{']' * 5000}",
    "nested tables": f"seed = {'{a=' * 5000}1{'}' * 5000}",
    "dotted keys": f"seed{'.a' * 5000} = 1",
    "a key of 20,000 dots": "a" + ".a" * 20_000 + " = 1",
    "an integer of 5,000 digits": f"seed = {'9' * 5000}",
    "a float beyond all floats": "precision = 1e999",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_toml_that_python_cannot_take_is_bad_usage(text, tmp_path):
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"c\.toml: expected TOML|^precision: ") as error:
        adjust(PEOPLE, config=str(file))
    assert "\n" not in str(error.value)
