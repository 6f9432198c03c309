"""Several runs beside each other: the same question, answered by models that differ."""

from collections.abc import Sequence
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.page.charts import Dot, dots
from wherefrom.page.sentences import count, percent
from wherefrom.runs.run import Run


def compare_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """The primary model of every run with its interval, the best one named."""
    rows: list[Dot] = []
    for number, run in enumerate(runs):
        found = run.results.get(run.recipe.primary, {})
        if "accuracy" not in found:
            raise BadData(
                f"{run.path}: expected a run that answers questions, as the first one does, found "
                f"a run of '{run.recipe.name}'; leave it out"
            )
        low, high = found["interval"]
        tone = ("disc", "accent") if number == 0 else ("ring", "ink")
        rows.append(Dot(run.path.name, found["accuracy"], low, high, *tone, note=count(found)))
    best = max(rows, key=lambda row: row.value)
    ties = [row for row in rows if row.high >= best.low]
    said = (
        f"{best.label} answers most questions right, {percent(best.value)}; the intervals of "
        f"{len(ties)} of {len(rows)} runs overlap with its own."
    )
    return {"sentence": said, "chart": dots([("", rows)], said)}
