"""A training in a process of its own: on this machine, or beside another process of the crew.

Either way it is a worker (`worker.py`) that holds the end of a pipe, and saves and ends when the
pipe is closed. The first process asks another one for a worker through the place where they met,
and learns there how it ended: it must not wait for one while others are done.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import sleep
from typing import Any, Protocol

from wherefrom.runs.crew import Crew
from wherefrom.training.meeting import LOCAL_VARIABLES, VARIABLES
from wherefrom.training.processes import Processes

POLL = 0.1  # seconds
_WORKER = "wherefrom.experiments.worker"


class Task(Protocol):
    """A training that goes on elsewhere."""

    def poll(self) -> int | None:
        """Its exit code if it has ended; negative: the signal that killed it."""
        ...

    def last_line(self) -> str:
        """What it complained of last."""
        ...

    def ask_to_end(self) -> None:
        """Have it save and end."""
        ...

    def wait(self) -> None: ...

    def close(self) -> None: ...


Hire = Callable[[Sequence[str], int], Task]  # starts a worker: its arguments, its CPU threads


class Child:
    """A module that runs in a process on this machine, and ends when its standard input does."""

    def __init__(self, module: str, arguments: Sequence[str], environment: dict[str, str]) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed when the process has ended)
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            env=environment,
            start_new_session=True,  # Ctrl-C reaches this process, which tells the others
        )

    def poll(self) -> int | None:
        return self.process.poll()

    def last_line(self) -> str:
        self.errors.seek(0)
        lines: Sequence[str] = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "its process said nothing"

    def ask_to_end(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()

    def wait(self) -> None:
        self.process.wait()

    def close(self) -> None:
        self.ask_to_end()
        self.errors.close()


def start_here(arguments: Sequence[str], threads: int, gpu: int | None = None) -> Child:
    """A worker on this machine; `gpu` is the number of the one that it uses, if there are many."""
    environment = worker_environment(os.environ, threads, gpu)
    return Child(_WORKER, [*arguments, str(threads)], environment)


class FarTask:
    """A worker beside another process, the `number`-th there."""

    def __init__(
        self, store: Any, rank: int, number: int, arguments: Sequence[str], threads: int
    ) -> None:
        self.store, self.key = store, _key(rank, number)
        self._end: tuple[int, str] | None = None
        store.set(self.key, json.dumps({"arguments": list(arguments), "threads": threads}))

    def poll(self) -> int | None:
        if self._end is None and self.store.check([f"{self.key}/end"]):
            code, said = json.loads(self.store.get(f"{self.key}/end"))
            self._end = int(code), str(said)
        return None if self._end is None else self._end[0]

    def last_line(self) -> str:
        return self._end[1] if self._end else ""

    def ask_to_end(self) -> None:
        self.store.set(f"{self.key}/stop", "1")

    def wait(self) -> None:
        while self.poll() is None:
            sleep(POLL)

    def close(self) -> None:
        pass


class FarHands:
    """The other processes as places where workers can be started, one at a time in each."""

    def __init__(self, crew: Crew) -> None:
        self.crew, self.processes = crew, crew.processes
        self.numbers = dict.fromkeys(range(1, crew.processes.size), crew.tasks)

    def hires(self) -> list[Hire]:
        def hire(rank: int, arguments: Sequence[str], threads: int) -> Task:
            self.numbers[rank] += 1
            store = self.processes.store
            return FarTask(store, rank, self.numbers[rank] - 1, arguments, threads)

        return [lambda a, t, rank=rank: hire(rank, a, t) for rank in self.numbers]

    def begin(self) -> None:
        """Have the others wait for tasks."""
        self.processes.tell({"do": "work", "first": self.crew.tasks})

    def end(self) -> None:
        for rank, number in self.numbers.items():
            self.processes.store.set(_key(rank, number), "null")
        self.crew.tasks = max(self.numbers.values(), default=0) + 1


def serve(
    processes: Processes,
    first: int,
    stopped: Callable[[], bool],
    start: Callable[..., Task] = start_here,
) -> None:
    """Start a worker for each task that the first process has for this one, until it says no more.

    A signal that this process gets ends its worker, which saves.
    """
    store, number = processes.store, first
    while True:
        key = _key(processes.rank, number)
        while not store.check([key]):
            sleep(POLL)
        if (given := json.loads(store.get(key))) is None:
            return
        gpu = processes.place.local_rank if processes.device.type == "cuda" else None
        task = start(given["arguments"], given["threads"], gpu)
        while (code := task.poll()) is None:
            if stopped() or store.check([f"{key}/stop"]):
                task.ask_to_end()
            sleep(POLL)
        store.set(f"{key}/end", json.dumps([code, task.last_line()]))
        task.close()
        number += 1


def worker_environment(
    given: Mapping[str, str], threads: int, gpu: int | None = None
) -> dict[str, str]:
    """What a worker finds the package with, also where this process runs from a source tree.

    A worker trains alone, whatever this process is one of.
    """
    source = str(Path(__file__).parents[2])
    paths = [source, *filter(None, [given.get("PYTHONPATH")])]
    own = {k: v for k, v in given.items() if k not in (*VARIABLES, *LOCAL_VARIABLES)}
    own |= {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": str(threads)}
    if gpu is not None:
        seen = [name for name in given.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
        own["CUDA_VISIBLE_DEVICES"] = seen[gpu % len(seen)] if seen else str(gpu)
    return own


def _key(rank: int, number: int) -> str:
    return f"task/{rank}/{number}"
