"""Several runs beside each other: the same question, answered by models that differ."""

from collections.abc import Sequence
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.runs.run import Run
from wherefrom.show.page.charts import Dot, dots
from wherefrom.show.page.pictures import label_of
from wherefrom.show.page.sentences import count, percent


def compare_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Every run's models with their intervals, the primary one first; the best run is named."""
    groups = [(run.path.resolve().name, _rows(run)) for run in runs]
    (name, (best, *_)), *others = sorted(groups, key=lambda group: -group[1][0].value)
    close = sum(rows[0].high >= best.low for _, rows in others)
    if not _comparable(runs):
        said = "These runs were asked different questions, so none of them is called the best."
        return {"sentence": said, "chart": dots(groups, said)}
    said = f"{name} answers most questions right, {percent(best.value)}"
    if all(rows[0].value == best.value for _, rows in others):
        every = "Both" if len(groups) == 2 else f"All {len(groups)}"
        said = f"{every} runs answer {percent(best.value)} of the questions right."
    elif close and len(others) == 1:
        said += "; the other run’s interval overlaps with its own."
    elif close:
        one = close == 1
        said += (
            f"; the {'interval' if one else 'intervals'} of {close} of the {len(others)} others "
            f"{'overlaps' if one else 'overlap'} with its own."
        )
    else:
        said += "; no other run’s interval overlaps with its own."
    return {"sentence": said, "chart": dots(groups, said)}


def _comparable(runs: Sequence[Run]) -> bool:
    """Whether all were asked the same questions, or questions drawn in the same way."""
    first, *others = (run.recipe.data for run in runs)
    if all(data == first for data in others):
        return True
    asked = [{q.text for q in run.questions(run.recipe.tasks[0])} for run in runs]
    return all(texts == asked[0] for texts in asked)


def _rows(run: Run) -> list[Dot]:
    results, primary = run.results, run.recipe.primary
    if "accuracy" not in results.get(primary, {}):
        raise BadData(
            f"{run.path}: expected a run that answers questions, as the first one does, found "
            f"a run of '{run.recipe.name}'; leave it out"
        )
    names = [primary, *(m.name for m in run.recipe.models if m.name != primary)]
    rows: list[Dot] = []
    for name in names:
        if "accuracy" in (found := results.get(name, {})):
            shape, tone = ("disc", "accent") if name == primary else ("ring", "ink")
            low, high = found["interval"]
            note = count(found)
            rows.append(Dot(label_of(name), found["accuracy"], low, high, shape, tone, note))
    return rows
