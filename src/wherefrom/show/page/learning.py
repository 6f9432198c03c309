"""How the models learnt: the loss of every stage, and what it could answer meanwhile."""

from typing import Any

from wherefrom.core.plurals import plural
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.charts import Line, plot
from wherefrom.show.page.pictures import PERCENTS, Picture, label_of
from wherefrom.show.page.summary_sentences import percent

_CURVES = 2  # of other models beside the primary one's
_TICKS = 4  # of the losses, at most, besides 0


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
    top = max(1e-3, *(loss for points in curves.values() for _, loss in points))
    tick = next(s for s in (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 1e9) if top / s <= _TICKS)
    looks = (("accent", "—"), ("ink", "╌"), ("quiet", "┄"))
    lines = [
        Line([(step / steps, loss / top) for step, loss in points], tone, f"{mark} {name}")
        for (name, points), (tone, mark) in zip(curves.items(), looks, strict=False)
    ]
    own = next(iter(curves.values()))
    said = (
        f"In {own[-1][0]:,} steps, the loss fell from {own[0][1]:.2f} to {own[-1][1]:.2f} nats per "
        f"{unit}."
    )
    chart = plot(
        lines,
        [],
        said,
        x_ticks=_steps(steps),
        y_ticks=[(tick * i / top, f"{tick * i:g}") for i in range(int(top / tick) + 1)],
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


def _metrics(run: Run, stage: str) -> list[Any]:
    there = run.folder.has(f"stages/{stage}/metrics.jsonl")
    return run.folder.read_metrics(stage) if there else []
