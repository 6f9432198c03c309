"""Several trainings at once, each in a process of its own.

The models that are retrained for one run do not depend on each other. On a CPU, processes of one
thread each use the cores better than one process with several threads; on a GPU, the small models
of several processes share the device.

A worker (`worker.py`) trains one model into its run folder. It holds the other end of a pipe: when
the pipe is closed, because this process wants to stop or is gone, the worker saves and ends. So
nothing goes on unseen, whatever happens here.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from wherefrom.core.durations import duration
from wherefrom.core.errors import Damaged, Interrupted, MissingInput, WherefromError
from wherefrom.core.files import parse_jsonl
from wherefrom.core.inside import read_regular
from wherefrom.training.signals import StopSignal

SECONDS_BETWEEN_LINES = 10.0
_POLL = 0.1  # seconds
_WORKER = "wherefrom.experiments.worker"


@dataclass(frozen=True)
class Job:
    """A training: the arguments of the worker, the folder it writes, and its number of steps."""

    name: str
    arguments: tuple[str, ...]
    folder: Path
    steps: int

    def share_done(self) -> float:
        """The share of the steps that are done, as the folder's metrics have it."""
        done = 0
        for path in self.folder.glob("stages/*/metrics.jsonl"):
            try:
                rows = parse_jsonl(read_regular(path), str(path))
                done += int(rows[-1]["step"]) if rows else 0
            except (Damaged, MissingInput, LookupError, TypeError, ValueError):
                continue  # it is being written; who trains says what is wrong with it
        return min(done / max(self.steps, 1), 1.0)


@dataclass
class _Worker:
    job: Job
    process: "subprocess.Popen[bytes]"
    errors: IO[bytes]
    began: float = field(default_factory=monotonic)
    share_at_start: float = 0.0


class Workers:
    """At most `processes` workers at a time, which are given one job after the other.

    `next_job` gives the next one, or None if there is none now; it is asked again whenever a job
    is done. `threads` is the number of CPU threads of each worker.
    """

    def __init__(
        self,
        next_job: Callable[[], Job | None],
        processes: int,
        threads: int,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.next_job, self.processes, self.threads, self.tell = next_job, processes, threads, tell
        self.running: list[_Worker] = []
        self.again: list[Job] = []  # of workers that were killed
        self.done, self._told = 0, monotonic()

    def run(self) -> None:
        """Work until no job is left. Raises Interrupted after a signal, with everything saved."""
        try:
            with StopSignal() as stop:
                while stop.number is None:
                    while len(self.running) < self.processes and (job := self._take()):
                        self._start(job)
                    if not self.running:
                        break
                    self._collect()
                    self._report()
                    sleep(_POLL)
                if stop.number is not None:
                    names = ", ".join(worker.job.name for worker in self.running)
                    self._stop()
                    raise Interrupted(
                        f"stopped while training {names or 'nothing'}; what is trained is saved, "
                        "and the same command continues from there",
                        stop.number,
                    )
        finally:
            self._stop()

    def _take(self) -> Job | None:
        return self.again.pop(0) if self.again else self.next_job()

    def _start(self, job: Job) -> None:
        errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the worker has ended)
        process = subprocess.Popen(
            [sys.executable, "-m", _WORKER, *job.arguments, str(self.threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=_environment(os.environ, self.threads),
            start_new_session=True,  # Ctrl-C reaches this process, which then closes the pipes
        )
        worker = _Worker(job, process, errors, share_at_start=job.share_done())
        self.running.append(worker)
        self.tell(f"{job.name}: training ({len(self.running)} at once)")

    def _collect(self) -> None:
        """Take note of workers that have ended, and of how."""
        for worker in [w for w in self.running if w.process.poll() is not None]:
            self.running.remove(worker)
            code, said = worker.process.returncode, _last_line(worker.errors)
            _close(worker)
            if code == 0:
                self.done += 1
                spent = duration(monotonic() - worker.began)
                self.tell(f"{worker.job.name}: done in {spent}")
            elif code < 0:
                self._replace_killed(worker.job, -code)
            else:
                raise _error_of(code, f"{worker.job.name}: {said}")

    def _replace_killed(self, job: Job, number: int) -> None:
        """Train on with a process fewer: a system short of memory kills the largest."""
        self.processes -= 1
        killed = f"{job.name}: its process was killed (signal {number})"
        if not self.processes:
            raise Interrupted(
                f"{killed}, and no other is left; what is trained is saved, and the same command "
                "continues from there, perhaps with fewer processes",
                number,
            )
        self.again.append(job)
        self.tell(f"{killed}; going on with {self.processes} at once")

    def _report(self) -> None:
        now = monotonic()
        if now - self._told < SECONDS_BETWEEN_LINES or not self.running:
            return
        self._told = now
        shares = [worker.job.share_done() for worker in self.running]
        each = ", ".join(f"{100 * share:.0f}" for share in shares)
        left = [
            (now - worker.began) * (1 - share) / (share - worker.share_at_start)
            for worker, share in zip(self.running, shares, strict=True)
            if share > worker.share_at_start
        ]
        rest = f"; about {duration(max(left))} left for these" if left else ""
        self.tell(f"{self.done} trained, {len(shares)} in training ({each} %){rest}")

    def _stop(self) -> None:
        """Have every worker save and end, and wait for it."""
        for worker in self.running:
            _close_pipe(worker)
        for worker in self.running:
            worker.process.wait()
            _close(worker)
        self.running.clear()


def _environment(given: Mapping[str, str], threads: int) -> dict[str, str]:
    """What a worker finds the package with, also where this process runs from a source tree."""
    source = str(Path(__file__).parents[2])
    paths = [source, *filter(None, [given.get("PYTHONPATH")])]
    return {**given, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": str(threads)}


def _close_pipe(worker: _Worker) -> None:
    if worker.process.stdin is not None:
        worker.process.stdin.close()


def _close(worker: _Worker) -> None:
    _close_pipe(worker)
    worker.errors.close()


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines: Sequence[str] = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "its process said nothing"


def _error_of(code: int, message: str) -> Exception:
    """The user's error that a worker ended with; any other is a bug of ours."""
    for kind in WherefromError.__subclasses__():
        if kind.exit_code == code and kind is not Interrupted:
            return kind(message)
    if code > 128:
        return Interrupted(message, code - 128)
    return RuntimeError(message)
