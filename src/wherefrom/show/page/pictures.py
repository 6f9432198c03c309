"""What there is to check, as pictures: for each a title, a sentence that states it, and a chart."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from wherefrom.core.measures import BY_RELATION
from wherefrom.core.plurals import plural
from wherefrom.evaluation.calibration_measures import reliability_diagram
from wherefrom.evaluation.intervals import wilson
from wherefrom.evaluation.selective import RiskCoverage, risk_coverage
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.charts import Dot, Line, Point, dots, plot
from wherefrom.show.page.judged_answers import JudgedAnswers, Scored
from wherefrom.show.page.summary_sentences import count, interval, percent
from wherefrom.show.terminal.result_tables import READERS, explain_notes

NAMES = {
    "majority": "the commonest answer",
    "nearest_name": "the most similar name’s answer",
    "london": "always London",
    "without_pretraining": "without reading",
    "with_pretraining": "with reading",
}
_LOOKS = {
    "majority": ("tick", "quiet"),
    "nearest_name": ("diamond", "quiet"),
    "london": ("tick", "quiet"),
}
_UNIT = "\u00a0%"
_WIDE = 0.1  # an interval of the share right within which confidence cannot be judged
PERCENTS = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100\u00a0%"))


@dataclass(frozen=True)
class Picture:
    """One figure of the page: the sentence says what the chart shows."""

    name: str
    title: str
    sentence: str
    chart: Markup


def draw_accuracy(run: Run) -> Picture:
    """Every predictor of the first task with its interval, over all relations and for each."""
    task, results, primary = run.recipe.tasks[0], run.results, run.recipe.primary
    names = [name for name in task.predictors if name in results][::-1]  # the primary comes last
    names.sort(key=lambda name: name != primary)
    own = results[primary]
    parts: Mapping[str, Any] = own.get(BY_RELATION, {})
    groups = [("", [make_dot(run, name, results[name]) for name in names])]
    if parts:
        groups = [(relation, [
            make_dot(run, name, results[name][BY_RELATION][relation])
            for name in names if relation in results[name].get(BY_RELATION, {})
        ]) for relation in parts]  # fmt: skip
    said = f"{_capitalise(label_of(primary, run))}, {count(own)} answers are right"
    if parts:
        least, most = (f(parts, key=lambda name: parts[name]["accuracy"]) for f in (min, max))
        best, worst = (percent(parts[name]["accuracy"]) for name in (most, least))
        said += (
            f". It does best at “{most}” ({best}) and worst at “{least}” ({worst})"
            if best != worst
            else ". It does equally well at each kind of question"
        )
    told = " ".join([f"{said}.", *explain_notes(results)])
    return Picture("accuracy", "How many answers are right", told, dots(groups, f"{said}."))


def _capitalise(words: str) -> str:
    return words[:1].upper() + words[1:]


def label_of(name: str, run: Run | None = None) -> str:
    """A predictor in words; of a run that took notes, which of its models was taught from them."""
    if run is not None and run.recipe.notes and name in READERS:
        return READERS[name]
    return NAMES.get(name, name.replace("_", " "))


def make_dot(run: Run, name: str, found: Mapping[str, Any]) -> Dot:
    """A model or a baseline with its interval; the primary model stands out."""
    shape, tone = _LOOKS.get(name, ("ring", "ink"))
    if name == run.recipe.primary:
        shape, tone = "disc", "accent"
    low, high = found["interval"]
    label = label_of(name, run)
    note = f"{label}: {count(found)}"
    return Dot(label, found["accuracy"], low, high, shape, tone, note)


def draw_reliability(answers: JudgedAnswers) -> Picture | None:
    """The share right among answers of similar confidence."""
    known = [row for row in answers.held_out if row.reply.confidence is not None]
    if not known:
        return None
    confidence = np.array([row.reply.confidence for row in known])
    right = np.array([row.right for row in known], dtype=bool)
    bins = reliability_diagram(confidence, right)
    points = [
        Point(
            b.mean, b.frequency, *b.interval, title=f"{b.n} answers: {percent(b.frequency)} right"
        )
        for b in bins
    ]
    mean, share = float(confidence.mean()), float(right.mean())
    ends = wilson(int(right.sum()), len(known))
    n = bins[0].n
    said = (
        f"About names that it knows, it is {percent(mean)} sure on average and gets "
        f"{percent(share)} right ({interval(ends)}): {_compare(mean, ends)}. "
        f"Each dot has {n} {plural('answer', n)} or so."
    )
    chart = plot(
        [Line([(0, 0), (1, 1)], "quiet", "┄ calibrated")], points, said,
        x_ticks=PERCENTS, y_ticks=PERCENTS, x_name="how sure it is", y_name="share right",
        height=300, square=True,
    )  # fmt: skip
    return Picture("reliability", "Is its confidence calibrated?", said, chart)


def _compare(mean: float, ends: Sequence[float]) -> str:
    """The mean confidence beside the interval of the share right."""
    low, high = ends
    if low > mean:
        return "more than it expects"
    if high < mean:
        return "less than it expects"
    if high - low > _WIDE:
        return "too few answers to tell whether this is as much as it expects"
    return "as much as it expects, as far as these answers tell"


def draw_risk(answers: JudgedAnswers) -> Picture | None:
    """The share wrong among answered against the share answered, by confidence and by the model."""
    if all(row.reply.confidence is None for row in answers.held_out):
        return None
    right = np.array([row.right for row in answers.held_out], dtype=bool)
    own = np.array([row.reply.candidates[0].model_probability for row in answers.held_out])
    calibrated = risk_coverage(Scored.of(answers.held_out).score, right)
    raw = risk_coverage(own, right)
    top = _find_top(*calibrated.risk, *raw.risk)
    half, every = _risk_at(calibrated, 0.5), calibrated.risk[-1]
    begin = (
        "If it may decline where it is least sure, it is wrong less often: in"
        if half < every
        else "Declining where it is least sure does not help here: it is wrong in"
    )
    said = (
        f"{begin} {percent(half)} of its answers when it answers half of the {len(right)} "
        f"questions, in {percent(every)} when it answers all. By the model’s own probability, not "
        f"calibrated, it would be wrong in {percent(_risk_at(raw, 0.5))} of its surest half."
    )
    if not every:
        said = "No answer is wrong, so declining cannot help here."
    lines = [
        Line(_steps(raw, top), "quiet", "┄ the model’s own"),
        Line(_steps(calibrated, top), "accent", "— calibrated confidence"),
    ]
    chart = _plot_risk(lines, said, top)
    return Picture("silence", "Accuracy when it may decline", said, chart)


def _find_top(*risks: float) -> float:
    """Where the axis ends: the next tenth above every risk."""
    return min(1.0, math.ceil(max(*risks, 0.05) * 10) / 10)


def _plot_risk(lines: Sequence[Line], said: str, top: float) -> Markup:
    shares = [round(top * i / 2, 3) for i in range(3)]
    ticks = [(s / top, f"{100 * s:.0f}{_UNIT if s == top else ''}") for s in shares]
    return plot(
        lines, [], said, x_ticks=PERCENTS, y_ticks=ticks, x_name="share of questions answered",
        y_name="share wrong among answered", height=220, here=top,
    )  # fmt: skip


def _steps(curve: RiskCoverage, top: float) -> list[tuple[float, float]]:
    points, before = [(0.0, curve.risk[0] / top)], 0.0
    for coverage, risk in zip(curve.coverage, curve.risk, strict=True):
        points += [(before, risk / top), (coverage, risk / top)]
        before = coverage
    return points


def _risk_at(curve: RiskCoverage, coverage: float) -> float:
    return next(r for c, r in zip(curve.coverage, curve.risk, strict=True) if c >= coverage)
