"""How the models learnt: the loss of every stage, and what it could answer meanwhile."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wherefrom.core.plurals import plural
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.charts import Line, plot
from wherefrom.show.page.pictures import PERCENTS, Picture, label_of
from wherefrom.show.page.summary_sentences import percent

_CURVES = 2  # of other models beside the primary one's
_LATE = 0.6  # a curve that ends later has its label above its end


def draw_learning(run: Run, unit: str = "character") -> Picture | None:
    """The loss of every stage that led to the primary model, and of a few other models' stages."""
    primary = run.recipe.primary
    curves: dict[str, list[tuple[int, float]]] = {}
    done = 0
    for stage in run.recipe.chain():
        rows = _metrics(run, stage.name)
        curves.setdefault(label_of(primary, run), []).extend(
            (done + r["step"], r["loss"]) for r in rows
        )
        done += stage.steps
    others = [model for model in run.recipe.models if model.name != primary]
    for model in others if len(others) <= _CURVES else ():
        curves[label_of(model.name, run)] = [
            (r["step"], r["loss"]) for r in _metrics(run, model.stage)
        ]
    curves = {name: points for name, points in curves.items() if len(points) > 1}
    if not curves:
        return None
    steps = max(step for points in curves.values() for step, _ in points)
    scale = _Scale.of([loss for points in curves.values() for _, loss in points])
    tones = dict(zip(curves, ("accent", "ink", "quiet", "quiet"), strict=False))
    lines = [
        Line(
            [(step / steps, scale.up(loss)) for step, loss in points],
            tones.get(name, "quiet"),
            name,
            _label_at(points, steps, scale.up),
            "end" if points[-1][0] > _LATE * steps else "start",
        )
        for name, points in curves.items()
    ]
    own = next(iter(curves.values()))
    said = (
        f"In {own[-1][0]:,} steps, the loss fell from {own[0][1]:.2f} to {own[-1][1]:.2f} nats per "
        f"{unit}{' (the scale is logarithmic)' if scale.logarithmic else ''}."
    )
    chart = plot(
        lines,
        [],
        said,
        x_ticks=_steps(steps),
        y_ticks=[(scale.up(value), f"{value:g}") for value in scale.ticks],
        x_name="steps of training",
        y_name=f"loss, nats per {unit}",
    )
    return Picture("learning", "How it learnt", said, chart)


def draw_answering(run: Run) -> Picture | None:
    """The questions that it could answer while it trained, where the run asked some."""
    rows: list[tuple[int, float, float, int]] = []
    done = 0
    for stage in run.recipe.chain():
        for row in run.folder.read_glances(stage.name):
            rows.append((done + row["step"], row["calibration"], row["trained"], row["asked"]))
        done += stage.steps
    if len(rows) < 2:
        return None
    first, last = rows[0], rows[-1]
    said = (
        f"Of {last[3]} calibration {plural('question', last[3])}, it answers "
        f"{percent(first[1])} after {first[0]:,} steps and {percent(last[1])} after {last[0]:,}; "
        f"of as many questions that it is trained on, {percent(last[2])}."
    )
    lines = [
        Line([(step / done, trained) for step, _, trained, _ in rows], "quiet", "┄ trained on"),
        Line([(step / done, share) for step, share, _, _ in rows], "accent", "— calibration"),
    ]
    chart = plot(
        lines, [], said, x_ticks=_steps(done), y_ticks=PERCENTS, x_name="steps of training",
        y_name="share right",
    )  # fmt: skip
    return Picture("answering", "When it could answer", said, chart)


def _steps(steps: int) -> list[tuple[float, str]]:
    return [(0.0, "0"), (0.5, f"{steps // 2:,}"), (1.0, f"{steps:,}")]


@dataclass(frozen=True)
class _Scale:
    """Losses from 0 to 1: by their logarithm where they span more than a few doublings."""

    low: float
    high: float
    logarithmic: bool

    @classmethod
    def of(cls, losses: Sequence[float]) -> "_Scale":
        low, high = max(min(losses), 1e-3), max(max(losses), 2e-3)
        wide = high / low > 8
        return cls(low if wide else 0.0, high, wide)

    def up(self, loss: float) -> float:
        if not self.logarithmic:
            return loss / self.high
        low, high = math.log(self.low), math.log(self.high)
        return (math.log(max(loss, self.low)) - low) / (high - low)

    @property
    def ticks(self) -> list[float]:
        if self.logarithmic:
            tens = (0.001, 0.01, 0.1, 1.0, 10.0)
            return [value for value in tens if self.low <= value <= self.high]
        step = next(s for s in (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 1e9) if self.high / s <= 4)
        return [step * i for i in range(int(self.high / step) + 1)]


def _label_at(points: Sequence[tuple[int, float]], steps: int, up: Any) -> tuple[float, float]:
    """Above the curve's end, or behind it where the curve ends early."""
    step, loss = points[-1]
    if step > _LATE * steps:
        return step / steps, min(up(loss) + 0.12, 0.97)
    return step / steps + 0.015, up(loss)


def _metrics(run: Run, stage: str) -> list[Any]:
    there = run.folder.has(f"stages/{stage}/metrics.jsonl")
    return run.folder.read_metrics(stage) if there else []
