"""The study of an averaging network: tables, figures and explained errors in its run's folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from wherefrom.core.config import to_json
from wherefrom.core.recipe import Recipe, Stage, Task
from wherefrom.evaluation.intervals import mean_interval
from wherefrom.experiments.comparing.causes import CONTROLS
from wherefrom.experiments.comparing.explanation import Explainer, Explanation, explain_errors
from wherefrom.experiments.one_run.probing import PROBES
from wherefrom.runs.opened_run import Run
from wherefrom.show.drawing.plots import draw_settings

PAGE, FIGURES, FINDINGS, ERRORS = "study.md", "study", "study.json", 5
SEED = "trainable-"  # begins the names of models that differ only in their random draws

Setting = str | int | float
Results = Mapping[str, Mapping[str, Any]]


def _config(recipe: Recipe, stage: Stage) -> Any:
    return stage.variant.of(recipe.model) if stage.variant else recipe.model


# What each series varies. The stages called NAME-... and the primary model's stage belong to it.
SERIES: dict[str, tuple[str, Callable[[Recipe, Stage], Setting]]] = {
    "dropout": ("word dropout", lambda recipe, stage: stage.mix[0].objective.word_dropout),
    "depth": ("hidden layers", lambda recipe, stage: _config(recipe, stage).depth),
    "activation": ("activation", lambda recipe, stage: _config(recipe, stage).activation),
}


@dataclass(frozen=True)
class Series:
    """One question of the study: the scores of the settings that it compares, a row each."""

    name: str
    title: str
    rows: Sequence[Mapping[str, Any]]

    def to_markdown(self) -> list[str]:
        cells = [
            (
                f"{row['setting']}{' *' if row['own'] else ''}",
                _share(row["accuracy"]),
                _ends(row["interval"]),
            )
            for row in self.rows
        ]
        return _table((self.title, "validation accuracy", "95 % interval"), cells)


def score_setting(score: Mapping[str, Any], setting: Setting, **more: Any) -> dict[str, Any]:
    """The accuracy of one setting on validation reviews, after a whole stage or after an epoch.

    `own` marks the primary model's setting.
    """
    kept = {name: score[name] for name in ("accuracy", "interval", "n")}
    return {"setting": setting, "own": False, **kept, "stage": None, "step": None, **more}


def draw_series(series: Series) -> bytes:
    """A series as SVG: numbers of epochs along an axis, other settings side by side."""
    points = [(row["setting"], row["accuracy"], row["interval"]) for row in series.rows]
    return draw_settings(series.title, points, along_axis=series.name == "epochs")


def leave_study(run: Run, results: Results) -> dict[str, Any]:
    """Write the study into the run folder; returns the mean over seeds as one more result.

    `results` are the run's scores by name. With only one seed, nothing is returned.
    """
    found = [*_settings(run, results), *_epochs(run)]
    for series in found:
        run.folder.write(f"{FIGURES}/{series.name}.svg", [draw_series(series)])
    explainer = Explainer(run.predictor(), run.recipe.primary)
    surest = explain_errors(run, explainer, ERRORS)
    sampled = explain_errors(run, explainer, ERRORS, run.recipe.seed)
    mean = _average_seeds(results)
    rows = {series.name: series.rows for series in found}
    run.folder.write_json(
        FINDINGS,
        to_json({"validation": rows, "errors": surest, "sampled_errors": sampled}),
    )
    run.folder.write_text(PAGE, _page(run, found, dict(results) | mean, surest, sampled))
    return mean


def _settings(run: Run, results: Results) -> list[Series]:
    """Each series that has at least two scored stages in the recipe, in the order of settings."""
    recipe, task = run.recipe, _chosen_on(run.recipe)
    if task is None:
        return []
    centre = recipe.chain()[-1].name
    found: list[Series] = []
    for name, (title, setting_of) in SERIES.items():
        stages = [s for s in recipe.stages if s.name.startswith(f"{name}-") or s.name == centre]
        rows = [
            score_setting(score, setting_of(recipe, s), own=s.name == centre, stage=s.name)
            for s in stages
            if (score := results.get(f"{task.name}.{s.name}"))
        ]
        if len(rows) > 1:
            found.append(Series(name, title, _ordered(rows)))
    return found


def _ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows sorted by the setting if it is a number; otherwise in the order of the recipe."""
    if any(isinstance(row["setting"], str) for row in rows):
        return rows
    return sorted(rows, key=lambda row: float(row["setting"]))


def _epochs(run: Run) -> list[Series]:
    """The probes of each probed stage; a stage shorter than an epoch has none."""
    folder, stages = run.folder, [s.name for s in run.recipe.stages if s.probe]
    files = {name: f"stages/{name}/{PROBES}" for name in stages}
    probed = {name: folder.read_jsonl(file) for name, file in files.items() if folder.has(file)}
    return [
        Series(name, "epoch", [score_setting(row, row["epoch"], step=row["step"]) for row in rows])
        for name, rows in probed.items()
        if rows
    ]


def _chosen_on(recipe: Recipe) -> Task | None:
    """The task on which settings are chosen; never the first task, which is reported."""
    return next((task for task in recipe.tasks[1:] if task.split == "calibration"), None)


def _average_seeds(results: Results) -> dict[str, Any]:
    values = [float(row["accuracy"]) for name, row in results.items() if name.startswith(SEED)]
    if len(values) < 2:
        return {}
    low, high = mean_interval(values)
    interval = [max(low, 0.0), min(high, 1.0)]
    mean = {"accuracy": sum(values) / len(values), "interval": interval, "n": len(values)}
    return {f"{SEED}*, mean": mean | {"worst": min(values)}}


def _page(
    run: Run,
    series: Sequence[Series],
    results: Results,
    surest: Sequence[Explanation],
    sampled: Sequence[Explanation],
) -> str:
    first = run.recipe.tasks[0].name
    reported = [
        (name, _share(row["accuracy"]), _ends(row["interval"]), str(row["n"]))
        for name, row in results.items()
        if "." not in name  # results of other tasks than the first
    ]
    lines = [
        f"# {run.recipe.name}: what was studied",
        "",
        f"## {first}",
        "",
        *_table(("", "accuracy", "95 % interval", "n"), reported),
        "",
        "The recipe's settings were chosen on IMDB's validation reviews. In each table below one "
        f"setting varies; * marks the setting of {run.recipe.primary}. {_noise(series)}",
        "",
    ]
    for each in series:
        picture = f"![{each.title}]({FIGURES}/{each.name}.svg)"
        lines += [f"## {each.title}", "", *each.to_markdown(), "", picture, ""]
    lines += [
        "## Errors explained",
        "",
        "Each number beside a word is the logit minus the logit without the word. The network "
        "cannot see the order of the words; shuffling shows it. A cause is tested by changing the "
        "text, and explains an error only if the answer flips and moves further than in any of "
        f"{CONTROLS} random changes of as many words.",
        "",
        f"### The {len(surest)} that the model is surest of",
        "",
        *_blocks(surest),
        f"### {len(sampled)} drawn at random, by seed {run.recipe.seed}",
        "",
        *_blocks(sampled),
    ]
    return "\n".join(lines)


def _blocks(errors: Sequence[Explanation]) -> list[str]:
    return [line for each in errors for line in (*(f"    {line}" for line in each.in_words()), "")]


def _noise(series: Sequence[Series]) -> str:
    """A sentence that says how large a difference between two rows must be to matter."""
    widths = [row["interval"][1] - row["interval"][0] for each in series for row in each.rows]
    if not widths:
        return ""
    half = 100 * median(widths) / 2
    return f"Each row is one seed, so differences under about {half:.1f} points are noise."


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ("---",) * len(head), *rows)]


def _share(accuracy: float) -> str:
    return f"{100 * accuracy:.1f} %"


def _ends(interval: Sequence[float]) -> str:
    return "[{:.1f}, {:.1f}]".format(*(100 * end for end in interval))
