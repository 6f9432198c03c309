"""Lists of the recipes, and of the run folders in a folder."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, get_recipe
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import RUN, RUNS, list_folders

FINISHED, UNFINISHED, UNREADABLE = "finished", "unfinished", "cannot be read"


@dataclass(frozen=True)
class RecipeEntry:
    """A recipe's name and what it does, in one line."""

    name: str
    summary: str


@dataclass(frozen=True)
class RunEntry:
    """A run folder: its recipe and seed, and whether it is finished.

    A folder that cannot be read has neither recipe nor seed.
    """

    run: str
    recipe: str
    seed: int | None
    state: str


def list_recipes() -> tuple[RecipeEntry, ...]:
    """Every recipe that `run` knows by name."""
    return tuple(RecipeEntry(name, get_recipe(name).summary) for name in RECIPES)


def list_runs(folder: str | PathLike[str] = RUNS) -> tuple[RunEntry, ...]:
    """The run folders in a folder, and those of several seeds one level below."""
    return tuple(_describe(path) for path in list_folders(Path(folder)))


def newest_run() -> str | None:
    """The finished run in the folder `runs` that was begun last; None if there is none."""
    finished = [Path(entry.run) for entry in list_runs() if entry.state == FINISHED]
    newest = max(finished, key=lambda path: (path / RUN).stat().st_mtime_ns, default=None)
    return None if newest is None else str(newest)


def _describe(path: Path) -> RunEntry:
    folder = RunFolder(path)
    try:
        recipe, status = folder.read_recipe(), folder.read_status()
    except WherefromError:  # one damaged folder should not hide the others
        return RunEntry(str(path), "", None, UNREADABLE)
    state = FINISHED if status["state"] == "finished" else UNFINISHED
    return RunEntry(str(path), recipe.name, recipe.seed, state)
