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
from threading import Lock
from typing import Any

from wherefrom.core.recipe import Recipe
from wherefrom.experiments.tasks import worker_environment
from wherefrom.runs.workshop import Reading, Workshop


def read_ahead(recipes: Sequence[Recipe], processes: int) -> Iterator[Workshop]:
    """A workshop for each recipe, in order, its text read by one of so many processes.

    What none of them can read is left to the reader of the workshop, who then says what is wrong.
    """
    helpers = _start_helpers(min(processes, len(recipes)))
    if not helpers:
        yield from map(Workshop, recipes)
        return
    free = _Free(helpers)

    def read(recipe: Recipe) -> Workshop:
        while (helper := free.take()) is not None:
            try:
                reading = helper.read(recipe)
            except _Gone:
                free.lose()
                continue  # another may read it
            free.give_back(helper)
            return Workshop(recipe, reading=reading)
        return Workshop(recipe)

    pool = ThreadPoolExecutor(len(helpers))  # each thread waits for one helper
    try:
        yield from pool.map(read, recipes)
    finally:
        for helper in helpers:
            helper.end()
        pool.shutdown(cancel_futures=True)


def _start_helpers(count: int) -> "list[_Helper]":
    """As many as the system allows."""
    helpers: list[_Helper] = []
    with suppress(OSError):
        for _ in range(count):
            helpers.append(_Helper())
    return helpers


class _Gone(Exception):
    """The helper has ended, or does not speak plainly any more."""


class _Free:
    """The helpers that read nothing now."""

    def __init__(self, helpers: "Sequence[_Helper]") -> None:
        self._queue: SimpleQueue[_Helper | None] = SimpleQueue()
        self._left, self._lock = len(helpers), Lock()
        for helper in helpers:
            self._queue.put(helper)

    def take(self) -> "_Helper | None":
        """The next one, once there is one; None if all are gone."""
        helper = self._queue.get()
        if helper is None:
            self._queue.put(None)  # whoever else waits must know as well
        return helper

    def give_back(self, helper: "_Helper") -> None:
        self._queue.put(helper)

    def lose(self) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._queue.put(None)


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
        """None: it could not."""
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None
        assert answering is not None
        try:
            asked = pickle.dumps(replace(recipe, device="cpu"))
        except Exception:  # a user's own class may have no name to be found by
            return None
        try:
            asking.write(asked)
            asking.flush()
            return pickle.load(answering)
        except Exception as error:
            raise _Gone from error

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
        workshop.objective(recipe.stages[0])
        return workshop.reading()
    except Exception:  # whoever asked reads it as well, and fails with a reason
        return None


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may come between the answers
    _serve(sys.stdin.buffer, answers)
