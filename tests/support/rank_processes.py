"""Several processes on one run, started by hand as torchrun starts them; for tests.

Something may happen in the process of a rank when it is about to take a step: a kill (`die`), a
signal (`stop`), or the death of a process that it has started (`lose`). Steps are counted by
number, so a busy machine changes nothing.
"""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def complaints(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("wherefrom: ")]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def start(*commands: Sequence[str], size: int | None = None) -> list[Ended]:
    """Run a program in each process, the first one first, and wait for all of them."""
    port = str(free_port())
    started: list[subprocess.Popen[str]] = []
    for rank, command in enumerate(commands):
        count = str(size or len(commands))
        place = {"RANK": str(rank), "WORLD_SIZE": count, "TORCHELASTIC_RUN_ID": "by hand"}
        place |= {"LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": count}
        place |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        started.append(
            subprocess.Popen(
                [sys.executable, *map(str, command)],
                env=os.environ | place,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    said = [process.communicate() for process in started]
    ends = zip(started, said, strict=True)
    return [Ended(process.returncode, out, err) for process, (out, err) in ends]


def happen(what: str, rank: int, step: int) -> None:
    """Let it happen in this process, if it is the one."""
    from wherefrom.training.torch_learner import TorchLearner

    if int(os.environ.get("RANK", "0")) != rank:
        return
    if os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") != "0":
        return
    take = TorchLearner._step

    def taking(self: TorchLearner, number: int, *rest: Any) -> Any:
        if number == step:
            if what == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            elif what == "stop":
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                (child,) = multiprocessing.active_children()
                child.kill()
        return take(self, number, *rest)

    TorchLearner._step = taking
