"""What similar runs reached: a table of measured runs of `facts`.

The table ships with the package; `wherefrom measured --add RUN` puts a finished run into the
user's own table beside it.
"""

import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.files import append_jsonl, parse_json, read_jsonl
from wherefrom.data.fetching.registry import has_home, home
from wherefrom.experiments.sizing import TextSize, count_exposures
from wherefrom.runs.run import Run

SHIPPED = "measured_runs.jsonl"
_NEAR = math.log(2.5)  # how many times as large, or as often shown, a similar text may be


@dataclass(frozen=True)
class MeasuredRun:
    """One finished run: the text, how often each statement was shown, what was reached.

    `accuracy` is the share of held-out questions answered right whose answer the text states.
    """

    name: str
    device: str
    machine: str
    subjects: int
    relations: int
    statements: int
    exposures: float
    steps: int
    parameters: int
    minutes: float
    accuracy: float
    by_relation: dict[str, float]


@dataclass(frozen=True)
class Expectation:
    """What similar runs reached, the worst and the best of them."""

    low: float
    high: float
    runs: int

    def __str__(self) -> str:
        runs = "a similar run" if self.runs == 1 else f"{self.runs} similar runs"
        share = f"{100 * self.low:.0f}" if self.runs == 1 else self._range()
        return f"{runs} reached {share} % of held-out questions"

    def _range(self) -> str:
        return f"{100 * self.low:.0f} to {100 * self.high:.0f}"


def expect(text: TextSize, device: str, exposures: float) -> Expectation | None:
    """What runs on such a device reached whose text and training were about as large."""

    def far(run: MeasuredRun) -> float:
        size = abs(math.log(max(run.statements, 1) / max(text.statements, 1)))
        return max(size, abs(math.log(max(run.exposures, 1e-9) / max(exposures, 1e-9))))

    near = [r for r in read_measured() if r.device == device and far(r) <= _NEAR]
    if not near:
        return None
    found = [run.accuracy for run in near]
    return Expectation(min(found), max(found), len(found))


def read_measured() -> list[MeasuredRun]:
    """The runs of the table that ships with the package, then the user's own."""
    shipped = files("wherefrom.experiments").joinpath(SHIPPED)
    lines = shipped.read_text("utf-8").splitlines()
    rows = [(parse_json(line.encode(), SHIPPED), SHIPPED) for line in lines]
    own = own_table() if has_home() else None
    if own is not None and own.exists():
        rows += [(row, str(own)) for row in read_jsonl(own)]
    return [from_json(MeasuredRun, row, where) for row, where in rows]


def own_table() -> Path:
    return home() / SHIPPED


def add_measured(run: Run) -> MeasuredRun:
    """Put a finished run of `facts` into the user's own table."""
    found = measure(run)
    append_jsonl(own_table(), [to_json(found)])
    return found


def measure(run: Run) -> MeasuredRun:
    """What a finished run is remembered by."""
    run.require_finished()
    plan: dict[str, Any] = run.folder.read_plan() or {}
    if run.recipe.data.kind != "facts" or not plan:
        raise UsageError(
            f"{run.path}: expected a run of 'facts' that was planned, found a run of "
            f"'{run.recipe.name}'"
        )
    text, primary = TextSize.of(run.dataset), run.recipe.primary
    answered = run.folder.read_predictions(primary, run.recipe.tasks[0].name)
    stated = [prediction for prediction in answered if prediction.support == "stated"]
    if not stated:
        raise BadData(
            f"{run.path}: expected held-out questions whose answer the text states, found none; "
            "there is nothing to remember it by"
        )
    relations = {question.text: question.relation for question in run.dataset.questions}
    groups: dict[str, list[bool]] = {}
    for prediction in stated:
        groups.setdefault(relations[prediction.question], []).append(prediction.correct)
    steps = sum(stage.steps for stage in run.recipe.chain())
    return MeasuredRun(
        name=Path(run.recipe.data.corpus).stem,
        device=plan["device"],
        machine=platform.machine(),
        subjects=text.subjects,
        relations=text.relations,
        statements=text.statements,
        exposures=round(count_exposures(run.recipe, steps, text.statements), 1),
        steps=steps,
        parameters=plan["parameters"],
        minutes=round(run.status["seconds"] / 60, 2),
        accuracy=round(_share([p.correct for p in stated]), 4),
        by_relation={name: round(_share(found), 4) for name, found in groups.items()},
    )


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found)
