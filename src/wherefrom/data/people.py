"""The generated people: a world with facts, text that tells some of them, and questions.

Honest by construction: a fact is a counted-random draw that does not depend on the name, so
nothing but a person's own text can tell where that person was born.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from wherefrom.core.config import encode
from wherefrom.core.contracts import Dataset, Document, Fact
from wherefrom.core.progress import tell as report
from wherefrom.data.people_config import PeopleConfig
from wherefrom.data.people_text import Form, tell_world
from wherefrom.data.people_world import (
    SPLITS,
    SUPPORTS,
    World,
    choose_forms,
    count_tellings,
    draw_world,
)

_TOLD_EVERY = 20_000  # sentences: how often progress is reported
# Sentences up to which all are made at once. They are read many times, and more would fill the
# memory: a million people have eight million sentences, which state ten million facts.
FEW = 200_000
VERSION = 1  # of what a config and a seed give; to be raised if that ever changes

Item = TypeVar("Item")


@dataclass(frozen=True)
class Person:
    """`values` holds the facts by the letter that stands for them in the sentence forms."""

    number: int
    name: str
    values: dict[str, str]
    split: str
    support: str  # stated, omitted, none: what the text tells of the birthplace


def load(config: PeopleConfig, seed: int) -> Dataset:
    """The data set: in memory if it is small, else made when it is read."""
    world = draw_world(config, seed)
    forms, sentences = choose_forms(config, world, seed)
    documents, facts, questions = tell_world(world, forms, sentences, _key(config, seed))
    alphabet = "Where was born?"
    if len(forms) > FEW:
        return Dataset(documents, facts, questions, alphabet=alphabet)
    written = tuple(_reporting(documents, len(forms)))
    return Dataset(written, tuple(facts), tuple(questions), alphabet=alphabet)


def _key(config: PeopleConfig, seed: int) -> str:
    """The same for the same data only."""
    spelt = json.dumps([VERSION, encode(config), seed], sort_keys=True)
    return hashlib.sha256(spelt.encode()).hexdigest()


def _reporting(items: Iterable[Item], total: int) -> Iterator[Item]:
    for number, item in enumerate(items):
        if number % _TOLD_EVERY == 0:
            report("writing about people", number, total)
        yield item


def populate(config: PeopleConfig, seed: int) -> list[Person]:
    """The people in order: asked, calibration, held-out (each: stated, omitted, untold), masked."""
    world = draw_world(config, seed)
    return [_person(world, number) for number in range(len(world))]


def _person(world: World, number: int) -> Person:
    values = dict(zip("cyet", world.values(number), strict=True))
    role = SPLITS[world.split[number]], SUPPORTS[world.support[number]]
    return Person(number, world.name(number), values, *role)


def tell(form: str, person: Person, document: int) -> tuple[Document, list[Fact]]:
    """A sentence form filled in, and what the sentence states."""
    return Form.of(form).fill({"n": person.name} | person.values, document)


def tellings(config: PeopleConfig, people: Sequence[Person], seed: int) -> np.ndarray:
    """How many sentences state each person's birthplace by design."""
    support = np.array([SUPPORTS.index(person.support) for person in people])
    return count_tellings(config, support, seed)
