"""A small numpy learner for the loop, observers of it, and what is read off its folders."""

import hashlib
import json
import signal
from pathlib import Path

import numpy as np

from wherefrom.core.contracts import State, never
from wherefrom.core.randomness import Stream, draws
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Finished, Training, train
from wherefrom.training.signals import StopSignal

IDENTITY = {"model": {"kind": "tiny", "size": 16}, "seed": 3}
CHUNK = 5


class Tiny:
    """Weights and momentum pushed about by counted randomness: any lost step shows."""

    def __init__(self, bad_step: int | None = None) -> None:
        self.weights = np.zeros(16, np.float32)
        self.momentum = np.zeros(16, np.float32)
        self.taken = 0
        self.bad_step = bad_step

    def advance(self, first_step: int, count: int, stopped=never) -> dict[str, np.ndarray]:
        rows = []
        for step in range(first_step, first_step + count):
            rows.append(self._take(step))
            if stopped():
                break
        loss, targets, finite = zip(*rows, strict=True)
        return {
            "loss": np.array(loss, np.float32),
            "targets": np.array(targets),
            "finite": np.array(finite),
        }

    def _take(self, step: int) -> tuple[float, int, bool]:
        row = np.arange(16)
        noise, targets = draws(2, seed=3, stream=Stream.ORDER, stage=0, step=step, row=row)
        push = (noise / 2**32 - 0.5).astype(np.float32)
        self.momentum = np.float32(0.9) * self.momentum + push
        self.weights = np.float32(0.99) * self.weights + self.momentum * self.momentum
        self.taken += 1
        if step == self.bad_step:
            self.weights[3] = np.nan
        loss = float((self.weights**2).mean())
        return loss, int(targets[0]) % 10, step != self.bad_step

    def state(self) -> State:
        return State({"weights": self.weights, "momentum": self.momentum}, {"taken": self.taken})

    def load(self, state: State) -> None:
        self.weights, self.momentum = state.arrays["weights"], state.arrays["momentum"]
        self.taken = state.values["taken"]

    def digest(self) -> str:
        data = self.weights.tobytes() + self.momentum.tobytes() + str(self.taken).encode()
        return hashlib.sha256(data).hexdigest()


class Scripted(Tiny):
    """Says of its steps, a second each, what it was told to say."""

    now = 100.0

    def __init__(self, loss: list[float], targets: list[int]) -> None:
        super().__init__()
        self.loss, self.targets = loss, targets

    def advance(self, first_step: int, count: int, stopped=never) -> dict[str, np.ndarray]:
        found = super().advance(first_step, count, stopped)
        here = slice(first_step, first_step + len(found["loss"]))
        Scripted.now += len(found["loss"])
        return found | {"loss": np.array(self.loss[here]), "targets": np.array(self.targets[here])}


class Struck(Tiny):
    """A learner that signals strike in the middle of some of its steps."""

    at: tuple[int, ...] = ()

    def _take(self, step: int) -> tuple[float, int, bool]:
        if step + 1 in self.at:
            signal.raise_signal(signal.SIGINT)
        return super()._take(step)


def struck(*at: int) -> Struck:
    learner = Struck()
    learner.at = at
    return learner


class Recorder:
    """An observer that keeps what it is told, and may ask for a stop."""

    def __init__(self, stop: StopSignal | None = None, at: int | None = None) -> None:
        self.calls: list[tuple] = []
        self.stop, self.at = stop, at

    def started(self, name, first_step, steps, skipped) -> None:
        self.calls.append(("started", name, first_step, steps, skipped))

    def advanced(self, name, step, steps, metrics, seconds) -> None:
        self.calls.append(("advanced", name, step, steps, len(metrics["loss"])))
        if self.stop is not None and self.at is not None and step >= self.at:
            self.stop.number = signal.SIGTERM

    def finished(self, name, step, seconds) -> None:
        self.calls.append(("finished", name, step))


def training(folder: Path, learner: Tiny, steps: int, **options) -> Training:
    given = {"checkpoints": Checkpoints(folder / "checkpoints", IDENTITY)}
    given |= {"checkpoint_seconds": 0.0, "metrics_path": folder / "metrics.jsonl"}
    return Training(learner, steps, "tiny", **given | options)


def run(
    folder: Path, steps: int, learner: Tiny | None = None, chunk: int = CHUNK, stop=None, **options
) -> tuple[Tiny, Finished]:
    learner = learner or Tiny()
    return learner, train(training(folder, learner, steps, **options), stop=stop, chunk=chunk)


def straight(steps: int) -> Tiny:
    """The learner after steps that no loop drove."""
    learner = Tiny()
    learner.advance(0, steps)
    return learner


def metrics(folder: Path) -> list[dict]:
    text = (folder / "metrics.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def rows(folder: Path) -> list[dict]:
    """Without their seconds, which no two runs share."""
    return [row | {"seconds": 0} for row in metrics(folder)]


def saved_steps(folder: Path) -> list[int]:
    return sorted(int(p.name.removeprefix("step-")) for p in folder.glob("checkpoints/step-*"))
