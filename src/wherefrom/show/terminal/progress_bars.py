"""Progress on standard error: of training, and of reading a large text.

Training is a bar on a terminal, and a line every few seconds anywhere else; both are observers of
the training loop.
"""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from time import monotonic
from typing import Any, Self, TextIO

import numpy as np

from wherefrom.core.durations import duration
from wherefrom.core.progress import listening
from wherefrom.show.terminal.messages import printable

SECONDS_BETWEEN_LINES = 10.0
SECONDS_OF_READING = 3.0  # a text that is read in less says nothing


class PlainProgress:
    """One line when a stage starts, every few seconds, and when it ends.

    `stages` are the names of all stages that will run: after the last, the models are evaluated.
    """

    def __init__(
        self,
        stages: Sequence[str],
        file: TextIO | None = None,
        label: str = "",
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.last_stage = stages[-1] if stages else ""
        self.file, self.label, self.clock = file or sys.stderr, label, clock
        self._pace, self._told = Pace(0, 0.0), 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, text: str) -> None:
        print(printable(f"{self.label}{text}"), file=self.file, flush=True)

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        self._pace, self._told = Pace(first_step, self.clock()), self.clock()
        for reason in skipped:
            self.say(f"{name}: checkpoint skipped: {reason}")
        if first_step >= steps:
            self.say(f"{name}: trained already, {steps} steps (checksum verified)")
        elif first_step:
            self.say(f"{name}: continuing from step {first_step} (checksum verified)")
        elif skipped:
            self.say(f"{name}: no checkpoint left, starting from step 0")
        else:
            self.say(f"{name}: {steps} steps")

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, Any], seconds: float
    ) -> None:
        now = self.clock()
        if now - self._told < SECONDS_BETWEEN_LINES:
            return
        self._told = now
        rate, left = self._pace.at(step, steps, now)
        self.say(
            f"{name}: step {step} of {steps}, loss {mean_loss(metrics)}, {rate:.3g} steps/s, "
            f"about {duration(left)} left"
        )

    def finished(self, name: str, step: int, seconds: float) -> None:
        if step > self._pace.first:
            self.say(f"{name}: done in {duration(seconds)}")
        if name == self.last_stage:
            self.say("evaluating")


class BarProgress(PlainProgress):
    """The same on a terminal, with a bar instead of a line every few seconds."""

    def __init__(self, stages: Sequence[str], file: TextIO | None = None, label: str = "") -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        super().__init__(stages, file, label)
        self._console = Console(file=self.file)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed}/{task.total} steps"),
            TextColumn("loss {task.fields[loss]}"),
            TextColumn("{task.fields[rate]:.3g} steps/s"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=self._console,
            transient=True,
        )
        self._task: Any = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def say(self, text: str) -> None:
        line = printable(f"{self.label}{text}")
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        super().started(name, first_step, steps, skipped)
        if first_step < steps:
            self._task = self._bar.add_task(
                printable(f"{self.label}{name}"),
                total=steps,
                completed=first_step,
                loss="...",
                rate=0.0,
            )

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, Any], seconds: float
    ) -> None:
        rate, _ = self._pace.at(step, steps, self.clock())
        loss = mean_loss(metrics)
        self._bar.update(self._task, completed=step, total=steps, loss=loss, rate=rate)

    def finished(self, name: str, step: int, seconds: float) -> None:
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._bar.refresh()
            self._task = None
        super().finished(name, step, seconds)


class Pace:
    """The speed of this process; steps of an interrupted process do not count."""

    def __init__(self, first: int, start: float) -> None:
        self.first, self.start = first, start

    def at(self, step: int, steps: int, now: float) -> tuple[float, float]:
        """Steps per second, and the seconds that the remaining steps would take."""
        rate = (step - self.first) / max(now - self.start, 1e-9)
        return rate, (steps - step) / max(rate, 1e-9)


def watch(stages: Sequence[str], label: str = "", file: TextIO | None = None) -> PlainProgress:
    """A bar if standard error is a terminal and rich is installed, else plain lines."""
    stream = file or sys.stderr
    bar = stream.isatty() and find_spec("rich") is not None
    return (BarProgress if bar else PlainProgress)(stages, stream, label)


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
