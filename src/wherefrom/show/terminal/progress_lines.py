"""Progress on standard error: of training, and of reading a large text.

Training has a line every few seconds. On a terminal, each such line has a bar and replaces the one
before it.
"""

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from time import monotonic
from typing import Any, Self, TextIO

import numpy as np

from wherefrom.core.durations import duration
from wherefrom.core.plurals import plural
from wherefrom.core.progress import listening
from wherefrom.show.terminal.messages import printable

SECONDS_BETWEEN_LINES = 10.0
SECONDS_ON_A_TERMINAL = 0.2
SECONDS_OF_READING = 3.0  # a text that is read in less says nothing
_ERASE = "\r\x1b[K"  # the line in which the cursor stands
_BAR = 24  # characters of a bar


class TrainingProgress:
    """One line when a stage starts, every few seconds, and when it ends; it observes the loop.

    `stages` are the names of all stages that will run: after the last, the models are evaluated.
    """

    def __init__(
        self,
        stages: Sequence[str],
        label: str = "",
        file: TextIO | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.last_stage = stages[-1] if stages else ""
        self.file, self.label, self.clock = file or sys.stderr, label, clock
        self._first, self._start, self._told = 0, 0.0, 0.0
        self._replaces = self.file.isatty() and os.environ.get("TERM") != "dumb"
        self._between = SECONDS_ON_A_TERMINAL if self._replaces else SECONDS_BETWEEN_LINES
        self._left = ""  # what is to be replaced

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.write(self._left)
        self._left = ""

    def say(self, text: str, passing: bool = False) -> None:
        """A line; one that is only `passing` stands on a terminal until the next comes."""
        line, end = printable(f"{self.label}{text}"), "\n"
        if passing and self._replaces:
            line, end = line[: get_terminal_size().columns - 1], ""
        print(f"{self._left}{line}", file=self.file, end=end, flush=True)
        self._left = "" if end else _ERASE

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        self._first, self._start = first_step, self.clock()
        self._told = self._start
        for reason in skipped:
            self.say(f"{name}: checkpoint skipped: {reason}")
        if first_step >= steps:
            self.say(
                f"{name}: trained already, {steps} {plural('step', steps)} (checksum verified)"
            )
        elif first_step:
            self.say(f"{name}: continuing from step {first_step} (checksum verified)")
        elif skipped:
            self.say(f"{name}: no checkpoint left, starting from step 0")
        else:
            self.say(f"{name}: {steps} {plural('step', steps)}")

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, Any], seconds: float
    ) -> None:
        now = self.clock()
        if now - self._told < self._between:
            return
        self._told = now
        # The speed of this process: steps of an interrupted one do not count.
        rate = (step - self._first) / max(now - self._start, 1e-9)
        left = (steps - step) / max(rate, 1e-9)
        bar = f"[{'#' * (_BAR * step // steps):-<{_BAR}}] " if self._replaces else ""
        self.say(
            f"{name}: {bar}step {step} of {steps}, loss {mean_loss(metrics)}, {rate:.3g} steps/s, "
            f"about {duration(left)} left",
            passing=True,
        )

    def finished(self, name: str, step: int, seconds: float) -> None:
        if step > self._first:
            self.say(f"{name}: done in {duration(seconds)}")
        if name == self.last_stage:
            self.say("evaluating")


def mean_loss(metrics: dict[str, Any]) -> str:
    """The mean loss of a chunk's targets; steps without a target do not count."""
    targets = np.asarray(metrics["targets"], dtype=np.float64)
    if not targets.sum():
        return "none"
    loss = np.where(targets > 0, metrics["loss"], 0.0)
    return f"{(loss * targets).sum() / targets.sum():.2f}"


class ReadingProgress:
    """Prints what is being read and how much of it is done, once it takes several seconds."""

    def __init__(self, file: TextIO | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.file, self.clock = file or sys.stderr, clock
        self._told = clock()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = self.clock()
        if now - self._told < SECONDS_OF_READING:
            return
        self._told = now
        share = f": {done / total:.0%}" if total else ""
        print(printable(f"{what}{share}"), file=self.file, flush=True)


@contextmanager
def watch_reading() -> Generator[None]:
    """Within this context, long reading is reported."""
    with listening(ReadingProgress()):
        yield
