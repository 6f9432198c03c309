"""`people` gives the same text, plans and batches as when its published runs were made.

The hashes were taken from the version before its text could be larger than memory. They
cover every document, fact and question, every column of the corpus and the batches of some steps.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from wherefrom.core.contracts import Batch, Dataset
from wherefrom.data.people import PeopleConfig, load
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.runs.workshop import Workshop

ZIPF = PeopleConfig(asked=60, calibration=20, held_out=20, exposure="zipf", masked=5)


def digest(parts: Iterable[Any]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(repr(part).encode())
    return found.hexdigest()[:16]


def spell_dataset(dataset: Dataset) -> Iterable[Any]:
    for documents in (dataset.documents, dataset.facts, dataset.questions):
        yield from documents
    yield dataset.alphabet
    yield dataset.held_out


def spell_batch(batch: Batch) -> Iterable[Any]:
    for name in ("inputs", "targets", "weights", "lengths"):
        tensor = getattr(batch, name)
        yield name, str(tensor.dtype), tuple(tensor.shape), tensor.tolist()


@cache
def workshop(seed: int) -> Workshop:
    """Of the recipe as it was then: it took 2,400 steps."""
    recipe = people()
    read, *others = recipe.stages
    stages = (replace(read, steps=2400), *others)
    return Workshop(replace(recipe, stages=stages, seed=seed, device="cpu"))


@pytest.mark.parametrize(
    ("config", "seed", "known"),
    [
        (PeopleConfig(), 0, "fc103204b235ffdc"),
        (people().data, 3, "5b2ebe551ad3ae6d"),
        (ZIPF, 1, "4406475d0b2c986c"),
    ],
)
def test_the_world_is_the_same(config, seed, known):
    assert digest(spell_dataset(load(config, seed))) == known


@pytest.mark.parametrize(
    ("stage", "first", "known"),
    [
        ("pretrain", 0, "03a1218ec83ffa7e"),
        ("pretrain", 1310, "9d4b9a515a7f968c"),
        ("pretrain", 2390, "9d58d3374df822fb"),
        ("questions_only", 0, "b24f193c895ad758"),
    ],
)
def test_plans_and_batches_are_the_same(stage, first, known):
    made = workshop(0)
    mix = made.objective(made.recipe.stage(stage))
    plan = mix.plan(first, 10)

    def spell() -> Iterable[Any]:
        for part, own, offset in plan:
            last = min(part.last, made.recipe.stage(stage).steps)
            yield part.first, last, offset, own.long().tolist()
        for index in range(10):
            yield from spell_batch(mix.render(plan, index))
        yield from spell_batch(mix.render_all(plan))

    assert digest(spell()) == known
