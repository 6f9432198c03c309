"""Several trainings at once, each in a process of its own.

The seeds of a recipe, and the models that are retrained for one run, do not depend on each other.
On a CPU, processes of one thread each use the cores better than one process with several threads;
on a GPU, the small models of several processes share the device.

A worker (`worker.py`) trains one model into its run folder. It holds the other end of a pipe: when
the pipe is closed, because this process wants to stop or is gone, the worker saves and ends. So
nothing goes on unseen, whatever happens here. Under torchrun, each process has one worker
(`tasks.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from wherefrom.core.durations import duration
from wherefrom.core.errors import Damaged, Interrupted, MissingInput, error_of
from wherefrom.core.files import parse_jsonl
from wherefrom.core.inside import read_regular
from wherefrom.experiments.tasks import POLL, FarHands, Hire, Task, start_here
from wherefrom.runs.crew import helping_crew
from wherefrom.runs.workshop import count_gpus
from wherefrom.training.signals import StopSignal

SECONDS_BETWEEN_LINES = 10.0


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
    task: Task
    hire: Hire  # what it was started with
    began: float = field(default_factory=monotonic)
    share_at_start: float = 0.0


class Workers:
    """At most `processes` workers at a time, which are given one job after the other.

    `next_job` gives the next one, or None if there is none now; it is asked again whenever a job
    is done. `threads` is the number of CPU threads of each worker. If
    there is a helping crew, each of its processes has a worker, and `processes` does not count.
    `done` models of `total`, if that is known, were trained before; both are told.
    """

    def __init__(
        self,
        next_job: Callable[[], Job | None],
        processes: int,
        threads: int,
        tell: Callable[[str], None] = lambda _: None,
        *,
        done: int = 0,
        total: int | None = None,
    ) -> None:
        self.next_job, self.threads, self.tell = next_job, threads, tell
        crew = helping_crew()
        self.far = None if crew is None else FarHands(crew)
        self.free = [*here(1 if crew else processes), *(self.far.hires() if self.far else ())]
        self.running: list[_Worker] = []
        self.again: list[Job] = []  # of workers that were killed
        self.done, self.total, self._told = done, total, monotonic()

    def run(self) -> None:
        """Work until no job is left. Raises Interrupted after a signal, with everything saved."""
        if self.far is not None:
            self.far.begin()
        try:
            with StopSignal() as stop:
                while stop.number is None:
                    while self.free and (job := self._take()):
                        self._start(job)
                    if not self.running:
                        break
                    self._collect()
                    self._report()
                    sleep(POLL)
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
            if self.far is not None:
                self.far.end()

    def _take(self) -> Job | None:
        return self.again.pop(0) if self.again else self.next_job()

    def _start(self, job: Job) -> None:
        hire = self.free.pop(0)
        task = hire(job.arguments, self.threads)
        worker = _Worker(job, task, hire, share_at_start=job.share_done())
        self.running.append(worker)
        self.tell(f"{job.name}: training ({len(self.running)} at once)")

    def _collect(self) -> None:
        """Take note of workers that have ended, and of how."""
        for worker in list(self.running):
            if (code := worker.task.poll()) is None:
                continue
            self.running.remove(worker)
            said = worker.task.last_line()
            worker.task.close()
            if code == 0:
                self.free.append(worker.hire)
                self.done += 1
                spent = duration(monotonic() - worker.began)
                self.tell(f"{worker.job.name}: done in {spent}")
            elif code < 0:
                self._replace_killed(worker.job, -code)
            else:
                raise _error_of(code, f"{worker.job.name}: {said}")

    def _replace_killed(self, job: Job, number: int) -> None:
        """Train on with a process fewer: a system short of memory kills the largest."""
        left = len(self.running) + len(self.free)
        killed = f"{job.name}: its process was killed (signal {number})"
        if not left:
            raise Interrupted(
                f"{killed}, and no other is left; what is trained is saved, and the same command "
                "continues from there, perhaps with fewer processes",
                number,
            )
        self.again.append(job)
        self.tell(f"{killed}; going on with {left} at once")

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
        done = f"{self.done}" if self.total is None else f"{self.done} of {self.total}"
        self.tell(f"{done} trained, {len(shares)} in training ({each} %){rest}")

    def _stop(self) -> None:
        """Have every worker save and end, and wait for it."""
        for worker in self.running:
            worker.task.ask_to_end()
        for worker in self.running:
            worker.task.wait()
            worker.task.close()
        self.running.clear()


def here(count: int) -> list[Hire]:
    """Places for workers on this machine; if it has several GPUs, they take turns."""
    gpus = count_gpus()
    return [partial(start_here, gpu=i % gpus if gpus > 1 else None) for i in range(count)]


def _error_of(code: int, message: str) -> Exception:
    """The user's error that a worker ended with; any other is a bug of ours."""
    error = error_of(code, message)
    return error if error.exit_code != 70 else RuntimeError(message)
