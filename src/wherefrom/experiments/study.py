"""What an averaging network's run studied: tables, figures and errors explained, in its folder."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from wherefrom.core.figures import PALE, RIGHT, dress, panels, to_svg
from wherefrom.core.files import read_jsonl, write_bytes, write_json, write_text
from wherefrom.core.recipe import Recipe, Stage, Task
from wherefrom.evaluation.intervals import mean_interval
from wherefrom.experiments.explanation import Explainer, Explanation, explain_errors
from wherefrom.experiments.probing import PROBES
from wherefrom.runs.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, FIGURES, ERRORS = "study.md", "study", 5
SEED = "trainable-"  # models that differ in nothing but their draws
Row = dict[str, Any]


def _config(recipe: Recipe, stage: Stage) -> Any:
    return stage.variant.of(recipe.model) if stage.variant else recipe.model


# What a series varies: the stages called NAME-..., and the primary model's beside them.
SERIES: dict[str, tuple[str, Callable[[Recipe, Stage], Any]]] = {
    "dropout": ("word dropout", lambda recipe, stage: stage.mix[0].objective.word_dropout),
    "depth": ("hidden layers", lambda recipe, stage: _config(recipe, stage).depth),
    "activation": ("activation", lambda recipe, stage: _config(recipe, stage).activation),
}


@dataclass(frozen=True)
class Series:
    """One question of the study: a row for each setting, with its score on validation."""

    name: str
    title: str
    rows: list[Row]

    def to_markdown(self) -> list[str]:
        own = [f"{row['setting']}{' *' if row['own'] else ''}" for row in self.rows]
        cells = [
            (name, _share(row), _interval(row)) for name, row in zip(own, self.rows, strict=True)
        ]
        return _table((self.title, "validation accuracy", "95 % interval"), cells)

    def draw(self) -> "Figure":
        figure, (axes,) = panels()
        values = [100 * row["accuracy"] for row in self.rows]
        ends = [[100 * end for end in row["interval"]] for row in self.rows]
        error = [[v - e[0] for v, e in zip(values, ends, strict=True)],
                 [e[1] - v for v, e in zip(values, ends, strict=True)]]  # fmt: skip
        if self.name == "epochs":
            at: Any = [row["setting"] for row in self.rows]
            axes.errorbar(at, values, error, color=RIGHT, ecolor=PALE, marker="o", markersize=3)
        else:
            at = range(len(values))
            axes.errorbar(at, values, error, color=RIGHT, ecolor=PALE, fmt="o")
            axes.set_xticks(at, [str(row["setting"]) for row in self.rows])
            axes.margins(x=0.15)
        dress(axes, "accuracy on validation reviews, %", x=self.title)
        return figure


def leave_study(run: Run, results: Mapping[str, Any]) -> dict[str, Any]:
    """Write the study into the run folder; the mean over seeds, which is one more result."""
    found = [*_settings(run, results), *_epochs(run)]
    for series in found:
        write_bytes(run.path / FIGURES / f"{series.name}.svg", to_svg(series.draw()))
    errors = explain_errors(run, Explainer(run.predictor()), ERRORS)
    together = _together(results)
    rows = {series.name: series.rows for series in found}
    explained = [each.as_json() for each in errors]
    write_json(run.path / "study.json", {"validation": rows, "errors": explained})
    write_text(run.path / PAGE, _page(run, found, dict(results) | together, errors))
    return together


def _settings(run: Run, results: Mapping[str, Any]) -> list[Series]:
    """Each series whose stages the recipe has, in the order of their settings."""
    recipe, task = run.recipe, _chosen_on(run.recipe)
    centre = next(m.stage for m in recipe.models if m.name == recipe.primary)
    series = []
    for name, (title, setting) in SERIES.items():
        stages = [s for s in recipe.stages if s.name.startswith(f"{name}-") or s.name == centre]
        scores = {s.name: results.get(f"{task.name}.{s.name}") for s in stages} if task else {}
        rows = [
            {"setting": setting(recipe, s), "own": s.name == centre, "stage": s.name} | dict(score)
            for s in stages
            if (score := scores.get(s.name))
        ]
        if len(rows) > 1:
            numbers = not isinstance(rows[0]["setting"], str)
            ordered = sorted(rows, key=lambda row: row["setting"]) if numbers else rows
            series.append(Series(name, title, ordered))
    return series


def _epochs(run: Run) -> list[Series]:
    """What was found of each probed stage; one that is shorter than an epoch has nothing."""
    files = {s.name: run.folder.stage(s.name) / PROBES for s in run.recipe.stages if s.probe}
    probed = {name: read_jsonl(file) for name, file in files.items() if file.exists()}
    return [
        Series(name, "epoch", [{"setting": row["epoch"], "own": False} | row for row in rows])
        for name, rows in probed.items()
        if rows
    ]


def _chosen_on(recipe: Recipe) -> Task | None:
    """The task of the reviews that settings are chosen on; results of the first have no prefix."""
    return next((task for task in recipe.tasks[1:] if task.split == "calibration"), None)


def _together(results: Mapping[str, Any]) -> dict[str, Any]:
    values = [row["accuracy"] for name, row in results.items() if name.startswith(SEED)]
    if len(values) < 2:
        return {}
    low, high = mean_interval(values)
    interval = [max(low, 0.0), min(high, 1.0)]
    mean = {"accuracy": sum(values) / len(values), "interval": interval, "n": len(values)}
    return {f"{SEED}*, mean": mean | {"worst": min(values)}}


def _page(
    run: Run, series: list[Series], results: Mapping[str, Any], errors: list[Explanation]
) -> str:
    first = run.recipe.tasks[0].name
    reported = [(name, _share(row), _interval(row), str(row["n"]))
                for name, row in results.items() if "." not in name]  # fmt: skip
    lines = [
        f"# {run.recipe.name}: what was studied", "",
        f"## {first}", "",
        *_table(("", "accuracy", "95 % interval", "n"), reported), "",
        "The settings are the recipe's, chosen on IMDB's validation reviews. In each table below "
        f"one thing varies; * is the setting of {run.recipe.primary}. {_noise(series)}", "",
    ]  # fmt: skip
    for each in series:
        picture = f"![{each.title}]({FIGURES}/{each.name}.svg)"
        lines += [f"## {each.title}", "", *each.to_markdown(), "", picture, ""]
    lines += [
        f"## {len(errors)} errors explained", "",
        "The surest errors. A number is what leaving the word out takes from the logit; where the "
        "words stand cannot matter, and shuffling them shows it.", "",
    ]  # fmt: skip
    for each in errors:
        lines += [*(f"    {line}" for line in each.in_words()), ""]
    return "\n".join(lines)


def _noise(series: list[Series]) -> str:
    """How large a difference between two rows must be to mean anything."""
    ends = [row["interval"] for each in series for row in each.rows]
    if not ends:
        return ""
    half = 100 * median(high - low for low, high in ends) / 2
    return f"One seed a row: differences under about {half:.1f} points are noise."


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows)]


def _share(row: Mapping[str, Any]) -> str:
    return f"{100 * row['accuracy']:.1f} %"


def _interval(row: Mapping[str, Any]) -> str:
    return "[{:.1f}, {:.1f}]".format(*(100 * end for end in row["interval"]))
