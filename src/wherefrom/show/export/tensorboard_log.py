"""`--log tensorboard`: a run's curves, held-out probes and results as tensorboard reads them.

Everything comes from the files of the run itself, and is written anew when a run goes on or is
read again: what tensorboard shows is what the run folder has.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from wherefrom.core.config import encode
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.core.files import cannot_write, read_jsonl
from wherefrom.core.measures import measured
from wherefrom.core.recipe import Recipe
from wherefrom.show.page.making import flatten
from wherefrom.training.loop import Observer

FOLDER = "tensorboard"
SECONDS = 5.0  # between two looks at what training has written


def check_log(kind: str | None) -> None:
    """Refuse what cannot be logged before anything is trained."""
    if kind not in (None, FOLDER):
        raise UsageError(f"--log: expected tensorboard, found '{kind}'")
    if kind and find_spec("tensorboard") is None:
        raise MissingInput(
            "--log tensorboard: expected the package tensorboard, found none; install it with "
            "\"pip install 'wherefrom[tensorboard]'\", or leave --log out"
        )


class TensorBoardLog(Observer):
    """An observer that hands on rows which were added to the logs of the run's stages."""

    def __init__(self, run: Path, clock: Callable[[], float] = monotonic) -> None:
        self.run, self.clock, self.told = run, clock, -SECONDS
        self.rows: dict[Path, int] = {}  # that were handed on, by file
        self.writer: Any = None

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        """Rows of an earlier part of the run are handed on with the first new ones."""

    def finished(self, name: str, step: int, seconds: float) -> None:
        self.hand_on()

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        if self.clock() - self.told >= SECONDS:
            self.told = self.clock()
            self.hand_on()

    def hand_on(self) -> None:
        """Write the rows that are new: each number under its name, at its step."""
        self.writer = self.writer or self._open()
        for path in sorted(self.run.glob("stages/*/*.jsonl")):
            rows = read_jsonl(path)
            for row in rows[self.rows.get(path, 0) :]:
                step = row.pop("step")
                for name, value in _find_numbers(row):
                    self.writer.add_scalar(f"{path.parent.name}/{name}", value, step)
            self.rows[path] = len(rows)
        self.writer.flush()

    def _open(self) -> Any:
        from torch.utils.tensorboard import SummaryWriter  # pyright: ignore

        with cannot_write(self.run / FOLDER):
            shutil.rmtree(self.run / FOLDER, ignore_errors=True)
            return SummaryWriter(str(self.run / FOLDER))

    def conclude(self, recipe: Recipe, results: Mapping[str, Mapping[str, Any]]) -> None:
        """Write what is left, and the results beside the settings that they were reached with."""
        self.hand_on()
        found = {f"results/{name}": measured(result)[1] for name, result in results.items()}
        self.writer.add_hparams(dict(_find_numbers(encode(recipe))), found, run_name=".")
        self.writer.close()


def _find_numbers(table: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers in nested tables by their dotted names; lists and texts are left out."""
    return ((name, each) for name, each in flatten(table) if isinstance(each, int | float))
