"""How often training showed the model each fact, for the page: counted if that takes no time."""

from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.memorisation.exposures import ASKED, KINDS, count_exposures
from wherefrom.runs.run import Run

_FEW_ROWS = 200_000  # rows of training that are planned again within a second or so


def describe_exposures(run: Run) -> list[dict[str, Any]] | None:
    """The counts of each fact's exposures; None if there are none, or if counting takes long."""
    rows = sum(stage.steps * stage.batch for stage in run.recipe.chain())
    if rows > _FEW_ROWS or not run.dataset.facts:
        return None
    try:
        found = count_exposures(run)
    except BadData:
        return None
    together: dict[tuple[str, str, str], dict[str, int]] = {}
    for i, fact in enumerate(found.facts):
        key = (fact.subject, fact.relation, fact.value)
        own = together.setdefault(key, dict.fromkeys(KINDS, 0))
        for kind in KINDS:
            count = int(found.counts[kind][i])
            # Every statement of a fact counts the same questions, so these are not added up.
            own[kind] = max(own[kind], count) if kind == ASKED else own[kind] + count
    return [
        {"subject": s, "relation": r, "value": v, **counts}
        for (s, r, v), counts in together.items()
    ]
