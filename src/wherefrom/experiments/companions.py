"""The processes that the first one starts itself, on its own machine (`--processes`)."""

import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from wherefrom.core.environment import setting
from wherefrom.experiments.follower import Follower
from wherefrom.experiments.pool import Pool
from wherefrom.runs.crew import Crew
from wherefrom.runs.threads import usual_threads
from wherefrom.training.meeting import Place, meet, open_file
from wherefrom.training.processes import Processes

_HERE = "127.0.0.1"
_LOOPBACK = {"linux": "lo", "darwin": "lo0"}  # by platform


@contextmanager
def start_companions(
    size: int, wait: float, hello: Mapping[str, Any]
) -> Generator[Crew, None, None]:
    """Processes of one machine meet in a folder of their own, and speak on its own interface:
    nobody outside this machine can reach them, whatever name it has in a network."""
    gpu, place = hello["device"] == "cuda", Place(0, size, _HERE, 0, 0, size)
    lost: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="wherefrom-") as folder,
        setting("GLOO_SOCKET_IFNAME", _LOOPBACK.get(sys.platform)),
        Pool(size - 1, usual_threads(), saves=False) as pool,
    ):
        meeting = Path(folder) / "meeting"
        store = open_file(meeting, size)
        for rank in range(1, size):
            theirs = replace(place, rank=rank, local_rank=rank)
            pool.give(rank, _follow, theirs, meeting, wait, gpu)

        def find_lost() -> str | None:
            lost.extend(f"process {rank} {ended}" for rank, ended in pool.wait(0).items())
            return lost[0] if lost else None

        meet(place, store, hello, wait, find_lost)
        processes = Processes(place, store, wait, gpu)
        processes.find_lost = find_lost
        yield Crew(processes)


def _follow(place: Place, meeting: Path, wait: float, gpu: bool) -> None:
    """What a process does that was started here; all that must agree came from the first."""
    store = open_file(meeting, place.size)
    meet(place, store, {}, wait)
    Follower(Processes(place, store, wait, gpu)).follow()
