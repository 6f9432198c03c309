"""The processes that the first one starts itself, on its own machine (`--processes`)."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from wherefrom.experiments.tasks import Child, worker_environment
from wherefrom.runs.crew import Crew
from wherefrom.runs.threads import usual_threads
from wherefrom.training.meeting import Place, meet, open_file
from wherefrom.training.processes import Processes

_FOLLOWER = "wherefrom.experiments.follower"
_HERE = "127.0.0.1"
_INTERFACE = "GLOO_SOCKET_IFNAME"
_GRACE = 10.0  # seconds in which a process that was started here may end by itself


@contextmanager
def start_companions(
    size: int, wait: float, hello: Mapping[str, Any]
) -> Generator[Crew, None, None]:
    """Processes of one machine meet in a folder of their own, and speak on its own interface."""
    with (
        tempfile.TemporaryDirectory(prefix="wherefrom-") as folder,
        _loopback(),
        _children(Path(folder) / "meeting", size, wait, hello) as crew,
    ):
        yield crew


@contextmanager
def _children(
    meeting: Path, size: int, wait: float, hello: Mapping[str, Any]
) -> Generator[Crew, None, None]:
    place = Place(0, size, _HERE, 0, 0, size)
    store = open_file(meeting, size)
    children = [
        _Child(replace(place, rank=r, local_rank=r), meeting, wait, hello) for r in range(1, size)
    ]

    def find_lost() -> str | None:
        return next(filter(None, (child.find_end() for child in children)), None)

    try:
        meet(place, store, hello, wait, find_lost)
        processes = Processes(place, store, wait, gpu=hello["device"] == "cuda")
        processes.find_lost = find_lost
        yield Crew(processes)
    finally:
        for child in children:
            child.end()


class _Child(Child):
    """A process that this one has started, and that ends with it."""

    def __init__(self, place: Place, meeting: Path, wait: float, hello: Mapping[str, Any]) -> None:
        self.place = place
        arguments = [str(meeting), str(wait), str(hello["device"])]
        super().__init__(_FOLLOWER, arguments, child_environment(os.environ, place))

    def find_end(self) -> str | None:
        """How the process ended, if it has."""
        if (code := self.poll()) is None:
            return None
        if code < 0:
            return f"process {self.place.rank} was killed (signal {-code})"
        return f"process {self.place.rank} ended with code {code} ({self.last_line()})"

    def end(self) -> None:
        self.ask_to_end()
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:  # it hangs
            self.process.kill()
            self.process.wait()
        self.close()


@contextmanager
def _loopback() -> Generator[None, None, None]:
    """Nobody outside this machine can reach the processes, whatever name it has in a network."""
    names = {"linux": "lo", "darwin": "lo0"}
    known = sys.platform in names and _INTERFACE not in os.environ
    if known:
        os.environ[_INTERFACE] = names[sys.platform]
    try:
        yield
    finally:
        if known:
            del os.environ[_INTERFACE]


def child_environment(given: Mapping[str, str], place: Place) -> dict[str, str]:
    """What a process finds the package and its place with."""
    return {
        **worker_environment(given, usual_threads()),
        "RANK": str(place.rank),
        "WORLD_SIZE": str(place.size),
        "LOCAL_RANK": str(place.local_rank),
        "LOCAL_WORLD_SIZE": str(place.local_size),
        "MASTER_ADDR": place.address,
        "MASTER_PORT": str(place.port),
    }
