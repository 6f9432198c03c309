"""The texts of many runs, read by several processes at once.

Models that are trained together are trained fast; one process that reads a text for each of them,
one after the other, would then be what takes longest. Each helper (this module as a program) is
given one recipe after the other through a pipe, and gives back the data and the index of the text.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from wherefrom.core.recipe import Recipe
from wherefrom.experiments.tasks import worker_environment
from wherefrom.runs.workshop import Reading, Workshop

_LARGE = 100_000  # documents: so many are kept in files, which each process opens by itself


def read_ahead(recipes: Sequence[Recipe], processes: int) -> Iterator[Workshop]:
    """A workshop for each recipe, in order, its text read by one of so many processes.

    What none of them can read is left to the reader of the workshop, who then says what is wrong.
    """
    helpers = [_Helper() for _ in range(min(processes, len(recipes)))]
    free: SimpleQueue[_Helper] = SimpleQueue()
    for helper in helpers:
        free.put(helper)

    def read(recipe: Recipe) -> Workshop:
        helper = free.get()
        try:
            return Workshop(recipe, reading=helper.read(recipe))
        finally:
            free.put(helper)

    pool = ThreadPoolExecutor(len(helpers))  # each thread waits for one helper
    try:
        yield from pool.map(read, recipes)
    finally:
        for helper in helpers:
            helper.end()
        pool.shutdown(cancel_futures=True)


class _Helper:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=worker_environment(os.environ, threads=1) | {"CUDA_VISIBLE_DEVICES": ""},
            start_new_session=True,  # Ctrl-C reaches the process that waits for it
        )

    def read(self, recipe: Recipe) -> Reading | None:
        """None: it could not, or is gone."""
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None
        assert answering is not None
        try:
            pickle.dump(replace(recipe, device="cpu"), asking)
            asking.flush()
            return pickle.load(answering)
        except (OSError, EOFError, ValueError, pickle.PickleError):
            return None

    def end(self) -> None:
        self._process.kill()  # it has nothing to save
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()


def _serve(asking: Any, answering: Any) -> None:
    while True:
        try:
            recipe = pickle.load(asking)
        except EOFError:
            return
        pickle.dump(_read(recipe), answering, protocol=pickle.HIGHEST_PROTOCOL)
        answering.flush()


def _read(recipe: Recipe) -> Reading | None:
    try:
        workshop = Workshop(recipe)
        if len(workshop.dataset.documents) >= _LARGE:
            return None
        workshop.objective(recipe.stages[0])
        return workshop.reading()
    except Exception:  # whoever asked reads it as well, and fails with a reason
        return None


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may come between the answers
    _serve(sys.stdin.buffer, answers)
