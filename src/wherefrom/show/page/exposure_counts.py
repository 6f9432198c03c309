"""How often training showed the model each fact, for the page: counted if that takes no time."""

from collections.abc import Container
from contextlib import suppress
from functools import lru_cache
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.memorisation.exposures import KINDS, TAUGHT, Exposures, count_exposures
from wherefrom.runs.opened_run import Run

_FEW_ROWS = 200_000  # rows of training that are planned again within a second or so


@lru_cache(maxsize=1)  # two parts of a page show it
def count_cheap(run: Run) -> Exposures | None:
    """How often training showed each fact; None if counting would take long."""
    rows = sum(stage.steps * stage.batch for stage in run.recipe.chain())
    if rows > _FEW_ROWS or not run.dataset.facts:
        return None
    with suppress(BadData):  # the text states none
        return count_exposures(run)


def describe_exposures(run: Run, relations: Container[str]) -> dict[str, Any] | None:
    """How often each fact of these relations was shown; None if counting would take long.

    A fact is a list: subject, relation, value, and a count of each of `kinds`.
    """
    found = count_cheap(run)
    if found is None:
        return None
    together: dict[tuple[str, str, str], list[int]] = {}
    for i, fact in enumerate(found.facts):
        if fact.relation in relations:
            own = together.setdefault((fact.subject, fact.relation, fact.value), [0] * len(KINDS))
            for k, kind in enumerate(KINDS):
                count = int(found.counts[kind][i])
                # Every statement counts the same questions and notes: these are not added up.
                own[k] = max(own[k], count) if kind in TAUGHT else own[k] + count
    return {"kinds": list(KINDS), "facts": [[*key, *counts] for key, counts in together.items()]}
