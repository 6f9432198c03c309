"""The progress of reading a large text: a line on standard error every few seconds."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TextIO

from wherefrom.core.progress import listening
from wherefrom.show.terminal.tables import printable

SECONDS_BETWEEN_LINES = 3.0  # a text that is read in less says nothing


class ReadingProgress:
    """Prints what is being read and how much of it is done, once it takes several seconds."""

    def __init__(self, file: TextIO | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.file, self.clock = file or sys.stderr, clock
        self._told = clock()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = self.clock()
        if now - self._told < SECONDS_BETWEEN_LINES:
            return
        self._told = now
        share = f": {done / total:.0%}" if total else ""
        print(printable(f"{what}{share}"), file=self.file, flush=True)


@contextmanager
def watch_reading(file: TextIO | None = None) -> Generator[None]:
    """Within this context, long reading is reported."""
    with listening(ReadingProgress(file)):
        yield
