"""Training a run's model again on text that was changed: without people, or with other values.

Each such training is a run folder of its own under the run's audit/retrained/, so it can be
stopped and goes on like any other.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from wherefrom.core.files import cannot_write
from wherefrom.core.recipe import ModelEntry, Recipe
from wherefrom.data.edited import EditedConfig
from wherefrom.experiments.execute import execute
from wherefrom.runs.run import Run, open_run

FOLDER = "retrained"
Watch = Callable[[Sequence[str], str], AbstractContextManager[Any]]  # stages, label: an observer
_SEEDS = 2**20  # retrainings draw far from the seeds that people choose


def without_half(recipe: Recipe, pair: int, half: str) -> Recipe:
    """The recipe without the text of half the people it is judged on."""
    number = 2 * pair + (half == "second")
    return _again(recipe, number, pair=pair, half=half)


def swapped(recipe: Recipe, count: int) -> Recipe:
    """The recipe with another answer in the text of so many held-out people."""
    return _again(recipe, swap=count)


def unchanged(recipe: Recipe) -> Recipe:
    """The recipe on the same text with a fresh seed: what changes by chance alone."""
    return _again(recipe)


def train_pairs(
    run: Run, pairs: int, seconds: float = 1e9, watch: Watch | None = None
) -> list[Run]:
    """Pairs of models, as many as were asked for or as the seconds allow, at least one.

    Pairs that are there from an earlier call count, and cost nothing.
    """
    began, slowest = monotonic(), 0.0
    found: list[Run] = []
    for pair in range(pairs):
        spent = monotonic() - began
        if pair and spent + slowest > seconds:
            break
        for half in ("first", "second"):
            recipe = without_half(run.recipe, pair, half)
            found.append(train_again(run, recipe, f"without-{pair}-{half}", watch))
        slowest = max(slowest, monotonic() - began - spent)
    return found


def train_again(run: Run, recipe: Recipe, name: str, watch: Watch | None = None) -> Run:
    path = run.path / "audit" / FOLDER / name
    with cannot_write(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    if not _finished(path):
        run.read_source()  # a model trained on other text could not be compared with the run's
    stages = [stage.name for stage in recipe.stages]
    with watch(stages, f"{name}, ") if watch else nullcontext() as observer:
        execute(recipe, path, [observer] if observer else [])
    return open_run(path)


def retrained(run: Run) -> list[Run]:
    """The finished pairs beside a run."""
    folders = sorted((run.path / "audit" / FOLDER).glob("without-*-*/"))
    names = {folder.name for folder in folders if _finished(folder)}
    whole = [f for f in folders if {f.name, _other(f.name)} <= names]
    return [open_run(folder) for folder in whole]


def _finished(folder: Path) -> bool:
    return (folder / "run.json").exists() and open_run(folder).finished


def _other(name: str) -> str:
    stem, _, half = name.rpartition("-")
    return f"{stem}-{'second' if half == 'first' else 'first'}"


def _again(recipe: Recipe, number: int = 0, **edits: Any) -> Recipe:
    """Only what the primary model needs is trained, and nothing is reported of it here."""
    stages = recipe.chain()
    return replace(
        recipe,
        data=EditedConfig(recipe.data, world=recipe.seed, **edits),
        stages=tuple(s for s in recipe.stages if s in stages),
        models=(ModelEntry(recipe.primary, stages[-1].name),),
        tasks=(),
        abstain=False,
        seed=(recipe.seed + _SEEDS + number) % 2**32,
    )
