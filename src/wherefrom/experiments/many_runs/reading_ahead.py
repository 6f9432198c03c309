"""The texts of many runs, read by several processes at once.

Models that are trained together are trained fast; one process that reads a text for each of them,
one after the other, would then be what takes longest.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wherefrom.core.recipe import Recipe
from wherefrom.experiments.pool import Pool
from wherefrom.runs.workshop import LoadedText, Workshop


def read_ahead(recipes: Sequence[Recipe], processes: int) -> Iterator[Workshop]:
    """A workshop for each recipe, in order, its text read by one of several processes.

    What they cannot read is left to the reader of the workshop, who then says what is wrong.
    """
    waiting = list(enumerate(recipes))
    found: dict[int, LoadedText | None] = {}
    with Pool(min(processes, len(recipes)), threads=1, gpus=0, saves=False) as pool:
        for i, recipe in enumerate(recipes):
            while i not in found:
                while waiting and pool.has_room():
                    _give(pool, *waiting.pop(0), found)
                if not (ended := pool.wait()):
                    break  # all processes are gone
                found |= {number: each.value for number, each in ended.items()}
            yield Workshop(recipe, reading=found.pop(i, None))


def _give(pool: Pool, number: int, recipe: Recipe, found: dict[int, LoadedText | None]) -> None:
    try:
        pool.give(number, _read, replace(recipe, device="cpu"))
    except (pickle.PicklingError, AttributeError, TypeError, OSError):
        # A user's own class may have no name to be found by; a system may start no more processes.
        found[number] = None


def _read(recipe: Recipe) -> LoadedText:
    workshop = Workshop(recipe)
    workshop.objective(recipe.stages[0])
    if recipe.notes:
        _ = workshop.material.notes  # the reader of the workshop does not take them again
    return workshop.reading()
