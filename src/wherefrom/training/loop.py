"""The training loop: the only one, for every learner.

It owns chunks, metrics, checkpoints, observers and signals; a learner owns the steps. Chunks
end at multiples of their length. A signal may end one after any step: the checkpoint then holds
the metrics of the steps that were taken, and the resumed run completes the chunk. So it writes the
same rows and reaches the same state as a run that was not stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np

from wherefrom.core.contracts import Learner, State
from wherefrom.core.errors import Diverged, Interrupted, Mismatch
from wherefrom.core.row_log import RowLog
from wherefrom.training.checkpoints import Checkpoint, Checkpoints
from wherefrom.training.signals import StopSignal

_TEN = 10  # steps: chunks are multiples of it, but for the last
_FACTOR = "factor"  # on the rate, of a chunk whose rate follows a clock
_CHUNK = "chunk."  # before the names of the metrics of a chunk that a signal ended

# Takes steps of several learners together (stack.py). Given are the place of each, None for one
# that takes no steps, how many steps, and whether to stop; found are the metrics of each.
Advance = Callable[
    [Sequence[int | None], int, Callable[[], bool]], Sequence[dict[str, np.ndarray] | None]
]


class Observer(Protocol):
    """Gets notice of what happens between chunks: progress, probes.

    An observer that adds rows to a file has a `log`, a RowLog: checkpoints keep its rows too.
    """

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        """`first_step` steps are done already; `skipped`: why newer checkpoints were not used."""
        ...

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None: ...

    def finished(self, name: str, step: int, seconds: float) -> None: ...


@dataclass(frozen=True)
class Finished:
    """What training ended with; `seconds` counts every part of a run that was resumed.

    `logs` are the files that rows were added to.
    """

    step: int
    seconds: float
    logs: tuple[RowLog, ...] = ()


def train(training: "Training", *, stop: StopSignal | None = None, chunk: int = 20) -> Finished:
    """Take the learner to its last step, from its newest checkpoint if it has one.

    Raises Diverged at the first step that is not finite, and Interrupted after a signal, with
    the state saved. `stop` is for a caller who already listens to signals.
    """

    def advance(
        places: Sequence[int | None], count: int, stopped: Callable[[], bool]
    ) -> list[dict[str, np.ndarray] | None]:
        (place,) = places
        return [None if place is None else training.learner.advance(place, count, stopped)]

    (found,) = train_several([training], advance, stop=stop, chunk=chunk)
    if isinstance(found, Diverged):
        raise found
    return found


def train_several(
    trainings: Sequence["Training"],
    advance: Advance,
    *,
    stop: StopSignal | None = None,
    chunk: int = 20,
) -> list[Finished | Diverged]:
    """Take learners that step together to their ends, each from its newest checkpoint.

    One that diverges is left behind, and its error is what is returned for it.
    """
    runs = [_Run(training) for training in trainings]
    with nullcontext(stop) if stop else StopSignal() as signals:
        for run in runs:
            run.resume()
        for run in runs:
            run.tell_started()
        stopped = _take_steps(runs, advance, signals, chunk)
        for run in runs:
            run.save()
        if stopped is not None and not all(run.diverged for run in runs):
            raise Interrupted(_farewell(runs), stopped)
    for run in runs:
        run.tell_finished()
    return [run.diverged or run.outcome() for run in runs]


def _take_steps(
    runs: Sequence["_Run"], advance: Advance, signals: StopSignal, chunk: int
) -> int | None:
    """Advance until every run is at its end, or a signal comes, which is returned."""
    clock, stopped = monotonic(), signals.agree()
    while (active := [r for r in runs if r.choose_rate(chunk) and r.goes_on]) and stopped is None:
        count = min(run.end_of_chunk(chunk) - run.step for run in active)
        places = [run.step if run.goes_on else None for run in runs]
        found = advance(places, count, lambda: signals.number is not None)
        now = monotonic()
        for run, metrics in zip(runs, found, strict=True):
            if metrics is not None:  # of the time that a group takes, each has its share
                run.take(metrics, chunk, (now - clock) / len(active))
        clock = now
        for run in active:
            if run.seconds - run.saved_at >= run.between:  # of its own share: a group saves rarely
                run.save()
        stopped = signals.agree()
    return stopped


def _farewell(runs: Sequence["_Run"]) -> str:
    left = [run for run in runs if run.goes_on] or runs
    if len(runs) == 1:
        return left[0].farewell()
    least = min(left, key=lambda run: run.step)
    return f"{len(runs)} models together, the last of them {least.farewell()}"


@dataclass(frozen=True)
class Training:
    """What the loop does with a learner, and where it writes."""

    learner: Learner
    steps: int
    name: str
    checkpoints: Checkpoints | None = None
    checkpoint_seconds: float = 20.0
    metrics_path: Path | None = None
    observers: Sequence[Observer] = ()
    # Told before each chunk how many steps are done, how many the chunk has, and the seconds so
    # far; says about how many there will be in all, and the factor on the rate of the chunk.
    pace: Callable[[int, int, float], tuple[int, float]] | None = None


class _Run:
    """Where the training of one learner stands."""

    def __init__(self, training: Training) -> None:
        self.learner, self.steps, self.name = training.learner, training.steps, training.name
        self.checkpoints, self.between = training.checkpoints, training.checkpoint_seconds
        self.observers, path = training.observers, training.metrics_path
        self.pace, self.factor = training.pace, 0.0
        self.metrics = None if path is None else RowLog(path)
        beside = (getattr(observer, "log", None) for observer in self.observers)
        self.logs = [log for log in (self.metrics, *beside) if isinstance(log, RowLog)]
        self.step = 0
        self.begun: dict[str, np.ndarray] = {}  # the metrics of a chunk that is not complete
        self.saved: int | None = None
        self.skipped: tuple[str, ...] = ()
        self.diverged: Diverged | None = None
        self.seconds = 0.0  # up to the last step that was taken, earlier parts of the run included
        self.saved_at = 0.0  # seconds of training

    @property
    def goes_on(self) -> bool:
        return self.step < self.steps and self.diverged is None

    def end_of_chunk(self, chunk: int) -> int:
        return min((self.step // chunk + 1) * chunk, self.steps)

    def tell_started(self) -> None:
        for observer in self.observers:
            observer.started(self.name, self.step, self.steps, self.skipped)

    def tell_finished(self) -> None:
        for observer in self.observers if self.diverged is None else ():
            observer.finished(self.name, self.step, self.seconds)

    def outcome(self) -> Finished:
        logs = tuple(log for log in self.logs if log.rows)
        return Finished(self.step, self.seconds, logs)

    def resume(self) -> None:
        rows: Mapping[str, list[Any]] = {}
        if self.checkpoints is not None:
            found = self.checkpoints.latest()
            self.skipped = self.checkpoints.skipped
            if found is not None:
                self._continue_from(found)
                rows = found.logs
        for log in self.logs:
            log.resume(rows.get(log.path.name, ()))

    def _continue_from(self, found: Checkpoint) -> None:
        if found.step > self.steps:
            raise Mismatch(
                f"{found.path}: steps: the checkpoint has {found.step}, asked for {self.steps}; "
                "ask for at least as many or name another folder"
            )
        self.learner.load(self._take_chunk(found.state))
        self.step = self.saved = found.step
        self.seconds = self.saved_at = found.seconds

    def choose_rate(self, chunk: int) -> bool:
        """Where the rate follows a clock, ask it before each chunk, unless that is begun."""
        if self.pace is not None and self.goes_on and self.step % chunk == 0:
            self.steps, self.factor = self.pace(self.step, chunk, self.seconds)
        if self.pace is not None:
            self.learner.factor = self.factor
        return True

    def take(self, metrics: dict[str, np.ndarray], chunk: int, seconds: float) -> None:
        """Take note of steps that the learner has taken, unless one is not finite.

        At the end of a chunk, write its row and notify the observers.
        """
        end = self.end_of_chunk(chunk)
        loss, targets = np.asarray(metrics["loss"], np.float64), np.asarray(metrics["targets"])
        good = np.asarray(metrics["finite"], bool) & (np.isfinite(loss) | (targets == 0))
        if not good.all():
            self._diverge(self.step + int(np.argmin(good)), "loss or gradient")
            return
        self.step, self.seconds = self.step + len(loss), self.seconds + seconds
        if self.pace is not None:
            metrics = metrics | {_FACTOR: np.full(len(loss), self.factor)}
        if self.begun:
            metrics = {k: np.concatenate((self.begun[k], metrics[k])) for k in self.begun}
        self.begun = metrics if self.step < end else {}
        if self.step < end:
            return
        if self.metrics is not None:
            self.metrics.append([_row(end, metrics, self.seconds)])
        for observer in self.observers:
            observer.advanced(self.name, self.step, self.steps, metrics, self.seconds)

    def save(self) -> None:
        """Publish the state of this step, once, and never one that is not finite."""
        if self.checkpoints is None or self.saved == self.step or self.diverged is not None:
            return
        state = self.learner.state()
        if broken := _not_finite(state):
            self._diverge(self.step - 1, f"'{broken}' after the update")
            return
        begun = {f"{_CHUNK}{name}": values for name, values in self.begun.items()}
        state = State(state.arrays | begun, state.values)
        logs = {log.path.name: log.rows for log in self.logs}
        self.checkpoints.save(self.step, state, self.seconds, logs)
        self.saved, self.saved_at = self.step, self.seconds

    def _take_chunk(self, state: State) -> State:
        """Take the metrics of a begun chunk out of the state; the rest is the learner's."""
        mine = {k: v for k, v in state.arrays.items() if k.startswith(_CHUNK)}
        self.begun = {name.removeprefix(_CHUNK): values for name, values in mine.items()}
        if _FACTOR in self.begun:
            self.factor = float(self.begun[_FACTOR][-1])
        rest = {name: values for name, values in state.arrays.items() if name not in mine}
        return State(rest, state.values)

    def farewell(self) -> str:
        where = f"{self.name}: stopped at step {self.step} of {self.steps}"
        if self.checkpoints is None:
            return f"{where}; nothing was saved, the same command starts again"
        return f"{where}, which is saved; the same command continues from there"

    def _diverge(self, step: int, what: str) -> None:
        last = "nothing was saved" if self.saved is None else f"step {self.saved} is the last saved"
        self.diverged = Diverged(
            f"{self.name}: step {step} (counted from 0): expected finite numbers, found {what} "
            f"that is not; {last}; try a lower learning rate"
        )


def _row(step: int, metrics: Mapping[str, np.ndarray], seconds: float) -> dict[str, Any]:
    """A chunk's mean loss, and that of each ten of its steps, for a curve."""
    loss, targets = np.asarray(metrics["loss"], np.float64), np.asarray(metrics["targets"])
    tens = (slice(first, first + _TEN) for first in range(0, len(loss), _TEN))
    return {
        "step": step,
        "loss": _mean(loss, targets),
        "targets": targets.sum().item(),
        "seconds": round(seconds, 3),
        **({_FACTOR: float(metrics[_FACTOR][0])} if _FACTOR in metrics else {}),
        "tens": [_mean(loss[t], targets[t]) for t in tens],
    }


def _mean(loss: np.ndarray, targets: np.ndarray) -> float | None:
    """Over the targets of all steps; a step without any may have a loss that is no number."""
    total = targets.sum()
    return float((np.where(targets == 0, 0.0, loss) * targets).sum() / total) if total else None


def _not_finite(state: State) -> str | None:
    for name, array in state.arrays.items():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            return name
    return None
