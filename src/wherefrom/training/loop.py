"""The training loop: the only one, for every learner.

It owns chunks, metrics, checkpoints, observers and signals; a learner owns the steps. Chunks
end at multiples of their length. A signal may end one after any step: the checkpoint then holds
the metrics of the steps that were taken, and the resumed run completes the chunk. So it writes the
same rows and reaches the same state as a run that was not stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np

from wherefrom.core.contracts import Learner, State
from wherefrom.core.errors import Damaged, Diverged, Interrupted, Mismatch
from wherefrom.core.row_log import RowLog
from wherefrom.core.seal import Entry
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.signals import StopSignal

_TEN = 10  # steps: chunks are multiples of it, but for the last
_CHUNK = "chunk."  # before the names of the metrics of a chunk that a signal ended


class Observer(Protocol):
    """Told what happens, between chunks: progress, probes.

    An observer that adds rows to a file has a `log`, a RowLog: checkpoints keep its hash too.
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

    `logs` has the size and hash of each file that rows were added to, by its name.
    """

    step: int
    seconds: float
    resumed_from: int | None = None
    skipped: tuple[str, ...] = ()
    logs: Mapping[str, Entry] = field(default_factory=dict[str, Entry])


def train(
    learner: Learner,
    steps: int,
    *,
    name: str,
    checkpoints: Checkpoints | None = None,
    checkpoint_seconds: float = 20.0,
    metrics_path: Path | None = None,
    observers: Sequence[Observer] = (),
    stop: StopSignal | None = None,
    chunk: int = 20,
) -> Finished:
    """Take the learner to `steps`, from its newest checkpoint if it has one.

    Raises Diverged at the first step that is not finite, and Interrupted after a signal, with
    the state saved. `stop` is for a caller who already listens to signals.
    """
    beside = [log for o in observers if isinstance(log := getattr(o, "log", None), RowLog)]
    run = _Run(learner, steps, name, checkpoints, metrics_path, beside)
    with nullcontext(stop) if stop else StopSignal() as signals:
        run.resume()
        for observer in observers:
            observer.started(name, run.step, steps, run.skipped)
        while run.step < steps and signals.number is None:
            end = min((run.step // chunk + 1) * chunk, steps)
            metrics = run.advance(end, lambda: signals.number is not None)
            if metrics is None:
                break
            for observer in observers:
                observer.advanced(name, run.step, steps, metrics, run.seconds)
            if monotonic() - run.saved_at >= checkpoint_seconds:
                run.save()
        run.save()
        if signals.number is not None:
            raise Interrupted(run.farewell(), signals.number)
    for observer in observers:
        observer.finished(name, run.step, run.seconds)
    return Finished(run.step, run.seconds, run.resumed_from, run.skipped, run.sealed_logs())


class _Run:
    """Where one call of `train` stands."""

    def __init__(
        self,
        learner: Learner,
        steps: int,
        name: str,
        checkpoints: Checkpoints | None,
        metrics_path: Path | None,
        beside: Sequence[RowLog] = (),
    ) -> None:
        self.learner, self.steps, self.name = learner, steps, name
        self.checkpoints = checkpoints
        self.metrics = None if metrics_path is None else RowLog(metrics_path)
        self.logs = [*([self.metrics] if self.metrics else []), *beside]
        self.step = 0
        self.begun: dict[str, np.ndarray] = {}  # the metrics of a chunk that is not complete
        self.saved: int | None = None
        self.resumed_from: int | None = None
        self.skipped: tuple[str, ...] = ()
        self.seconds = 0.0  # up to the end of the last chunk, earlier parts of the run included
        self.saved_at = self._start = monotonic()

    def resume(self) -> None:
        kept: Mapping[str, Entry] | None = None
        if self.checkpoints is not None:
            found = self.checkpoints.latest()
            self.skipped = self.checkpoints.skipped
            if found is not None:
                if found.step > self.steps:
                    raise Mismatch(
                        f"{found.path}: steps: the checkpoint has {found.step}, asked for "
                        f"{self.steps}; ask for at least as many or name another folder"
                    )
                self.learner.load(self._take_chunk(found.state))
                self.step = self.saved = self.resumed_from = found.step
                self.seconds = found.seconds
                self._start = monotonic() - found.seconds
                kept = found.logs
        for log in self.logs:
            none = Entry.of([]) if kept is not None else None
            log.resume((kept or {}).get(log.path.name, none), partial(self._is_past, log.path))

    def advance(self, end: int, stopped: Callable[[], bool]) -> dict[str, np.ndarray] | None:
        """Take the steps up to `end`, the end of a chunk, unless one is not finite.

        Writes the chunk's row and returns its metrics; None if the learner stopped before the end.
        """
        metrics = self.learner.advance(self.step, end - self.step, stopped)
        loss, targets = np.asarray(metrics["loss"], np.float64), np.asarray(metrics["targets"])
        good = np.asarray(metrics["finite"], bool) & (np.isfinite(loss) | (targets == 0))
        if not good.all():
            raise self._diverged(self.step + int(np.argmin(good)), "loss or gradient")
        self.step, self.seconds = self.step + len(loss), monotonic() - self._start
        if self.begun:
            metrics = {k: np.concatenate((self.begun[k], metrics[k])) for k in self.begun}
        if self.step < end:
            self.begun = metrics
            return None
        self.begun = {}
        if self.metrics is not None:
            self.metrics.append([_row(end, metrics, self.seconds)])
        return metrics

    def save(self) -> None:
        """Publish the state of this step, once, and never one that is not finite."""
        if self.checkpoints is None or self.saved == self.step:
            return
        state = self.learner.state()
        broken = _not_finite(state)
        if broken:
            raise self._diverged(self.step - 1, f"'{broken}' after the update")
        for log in self.logs:  # their rows reach the disk before what follows them
            log.append((), sync=True)
        begun = {f"{_CHUNK}{name}": values for name, values in self.begun.items()}
        state = State(state.arrays | begun, state.values)
        logs = {log.path.name: log.entry for log in self.logs}
        self.checkpoints.save(self.step, state, self.seconds, logs)
        self.saved, self.saved_at = self.step, monotonic()

    def _take_chunk(self, state: State) -> State:
        """Take the metrics of a begun chunk out of the state; the rest is the learner's."""
        mine = {k: v for k, v in state.arrays.items() if k.startswith(_CHUNK)}
        self.begun = {name.removeprefix(_CHUNK): values for name, values in mine.items()}
        rest = {name: values for name, values in state.arrays.items() if name not in mine}
        return State(rest, state.values)

    def farewell(self) -> str:
        where = f"{self.name}: stopped at step {self.step} of {self.steps}"
        if self.checkpoints is None:
            return f"{where}; nothing was saved, the same command starts again"
        return f"{where}, which is saved; the same command continues from there"

    def _diverged(self, step: int, what: str) -> Diverged:
        last = "nothing was saved" if self.saved is None else f"step {self.saved} is the last saved"
        return Diverged(
            f"{self.name}: step {step} (counted from 0): expected finite numbers, found {what} "
            f"that is not; {last}; try a lower learning rate"
        )

    def _is_past(self, path: Path, row: Any) -> bool:
        """Whether a row is about steps that the checkpoint has: later ones are taken again."""
        try:
            return row["step"] <= self.step
        except (KeyError, TypeError):
            raise Damaged(f"{path}: expected a step in every row; move the file away") from None

    def sealed_logs(self) -> dict[str, Entry]:
        return {log.path.name: log.entry for log in self.logs if log.entry.size}


def _row(step: int, metrics: Mapping[str, np.ndarray], seconds: float) -> dict[str, Any]:
    """A chunk's mean loss, and that of each ten of its steps, for a curve."""
    loss, targets = np.asarray(metrics["loss"], np.float64), np.asarray(metrics["targets"])
    tens = (slice(first, first + _TEN) for first in range(0, len(loss), _TEN))
    return {
        "step": step,
        "loss": _mean(loss, targets),
        "targets": targets.sum().item(),
        "seconds": round(seconds, 3),
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
