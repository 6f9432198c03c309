"""Several trainings at once, each in a process of its own.

The seeds of a recipe, and the models that are retrained for one run, do not depend on each other.
On a CPU, processes of one thread each use the cores better than one process with several threads;
on a GPU, the small models of several processes share the device.
"""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from wherefrom.core.durations import duration
from wherefrom.core.errors import Interrupted, error_of
from wherefrom.experiments.pool import Ended, Pool
from wherefrom.runs.workshop import count_gpus
from wherefrom.training.signals import StopSignal

_POLL = 0.1  # seconds


@dataclass
class Job:
    """A training: the function that does it, and what it is given."""

    name: str
    function: Callable[..., object]
    arguments: tuple[Any, ...]
    began: float = 0.0


class Workers:
    """At most `processes` jobs at a time, each trained with `threads` CPU threads.

    `next_job` gives the next one, or None if there is none now; it is asked again whenever a job is
    done. `done` models of `total`, if that is known, were trained before; progress counts both.
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
        self.next_job, self.tell = next_job, tell
        self.pool = Pool(processes, threads, count_gpus())
        self.running: dict[str, Job] = {}
        self.again: list[Job] = []  # of processes that were killed
        self.done, self.total = done, total

    def run(self) -> None:
        """Work until no job is left. Raises Interrupted after a signal, with everything saved."""
        with StopSignal() as stop, self.pool:
            while stop.number is None:
                while self.pool.has_room() and (job := self._take()):
                    self._start(job)
                if not self.running:
                    return
                for name, ended in self.pool.wait(_POLL).items():
                    self._collect(self.running.pop(name), ended)
        raise Interrupted(
            f"stopped while training {', '.join(self.running) or 'nothing'}; what is trained is "
            "saved, and the same command continues from there",
            stop.number,
        )

    def _take(self) -> Job | None:
        return self.again.pop(0) if self.again else self.next_job()

    def _start(self, job: Job) -> None:
        job.began = monotonic()
        self.pool.give(job.name, job.function, *job.arguments)
        self.running[job.name] = job
        self.tell(f"{job.name}: training ({len(self.running)} at once)")

    def _collect(self, job: Job, ended: Ended) -> None:
        """Take note of a job that has ended, and of how."""
        if ended.code == 0:
            self.done += 1
            among = "" if self.total is None else f" of {self.total}"
            taken = duration(monotonic() - job.began)
            self.tell(f"{job.name}: done in {taken}; {self.done}{among} trained")
        elif ended.code < 0:
            self._try_again(job, ended)
        else:
            error = error_of(ended.code, f"{job.name}: {ended.message or ended}")
            raise error if error.exit_code != 70 else RuntimeError(str(error))  # a bug of ours

    def _try_again(self, job: Job, ended: Ended) -> None:
        """Train on with a process fewer: a system short of memory kills the largest."""
        killed = f"{job.name}: its process {ended}"
        if not self.pool.size:
            raise Interrupted(
                f"{killed}, and no other is left; what is trained is saved, and the same command "
                "continues from there, perhaps with fewer processes",
                -ended.code,
            )
        self.again.append(job)
        self.tell(f"{killed}; going on with {self.pool.size} at once")
