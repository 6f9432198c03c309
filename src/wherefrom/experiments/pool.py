"""A pool of processes on this machine, each of which does one task after the other.

A task is a function with its arguments. Tasks and results are pickled: both ends of each pipe
belong to this program, and nothing that comes from a file or a network passes through one. When its
pipe is closed, because this process wants to stop or is gone, a process saves and ends: nothing
goes on unseen, whatever happens here.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import connection
from queue import SimpleQueue
from types import ModuleType
from typing import Any, NamedTuple

from wherefrom.core.environment import prepare_command, silence
from wherefrom.core.errors import WherefromError

_BUG = 70


class Ended(NamedTuple):
    """How a task ended: its value, or the exit code and message of its error.

    A negative code is the signal that killed the process.
    """

    value: Any = None
    code: int = 0
    message: str = ""

    def __str__(self) -> str:
        if self.code < 0:
            return f"was killed (signal {-self.code})"
        return f"ended with code {self.code} ({self.message or 'it said nothing'})"


class Pool:
    """At most `size` processes at a time, of `threads` CPU threads each, started when needed.

    All see the GPUs that this process sees, or one each in turn if there are several `gpus`, or
    none. Those that save nothing are killed in the end.
    """

    def __init__(self, size: int, threads: int, gpus: int = 1, *, saves: bool = True) -> None:
        self.size = size  # a process that dies is not replaced
        self._threads, self._gpus, self._saves = threads, gpus, saves
        self._started = 0
        self._free: list[_Process] = []
        self._busy: dict[Any, _Process] = {}

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        """Have every process end, and wait for it."""
        processes = [*self._free, *self._busy.values()]
        for process in processes:
            process.stop(self._saves)
        for process in processes:
            process.process.join()

    def has_room(self) -> bool:
        return len(self._busy) < self.size

    def give(self, name: Any, function: Callable[..., Any], *arguments: Any) -> None:
        """Have a free process do a task, whose end `wait` tells under its name."""
        task = pickle.dumps((function, arguments))
        process = self._free.pop() if self._free else self._start()
        with suppress(OSError):  # it is gone: `wait` notices
            process.pipe.send_bytes(task)
        self._busy[name] = process

    def wait(self, seconds: float | None = None) -> dict[Any, Ended]:
        """The tasks that have ended, once there is one or the seconds are over."""
        if not self._busy:
            return {}
        busy = list(self._busy.items())
        ready = connection.wait([process.pipe for _, process in busy], seconds)
        return {name: self._collect(name) for name, process in busy if process.pipe in ready}

    def _collect(self, name: Any) -> Ended:
        process = self._busy.pop(name)
        try:
            ended = pickle.loads(process.pipe.recv_bytes())
        except (EOFError, OSError):
            self.size -= 1
            return process.find_end()
        self._free.append(process)
        return ended

    def _start(self) -> "_Process":
        self._started += 1
        settings = {"OMP_NUM_THREADS": str(self._threads)}
        if self._gpus != 1:
            settings["CUDA_VISIBLE_DEVICES"] = choose_gpu(os.environ, self._started, self._gpus)
        return _Process(settings, self._saves)


def choose_gpu(given: Mapping[str, str], number: int, gpus: int) -> str:
    """The GPU of a pool's n-th process, among those that this process sees."""
    if not gpus:
        return ""
    seen = [name for name in given.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    turn = (number - 1) % gpus
    return seen[turn] if seen else str(turn)


class _Process:
    def __init__(self, settings: dict[str, str], saves: bool) -> None:
        spawning = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
        self.pipe, theirs = spawning.Pipe()
        given = (theirs, settings, saves)
        self.process = spawning.Process(target=_serve, args=given, daemon=True)
        with _unseen():
            self.process.start()
        theirs.close()

    def stop(self, saves: bool) -> None:
        self.pipe.close()
        if not saves:
            self.process.kill()

    def find_end(self) -> Ended:
        """How the process ended without a result."""
        self.pipe.close()
        self.process.join()
        return Ended(code=self.process.exitcode or _BUG)


@contextmanager
def _unseen() -> Generator[None, None, None]:
    """Hide the user's program, which a new process would import, and so run again where it has no
    main guard; and hold Ctrl-C back, which would reach a process that is just starting."""
    main = sys.modules["__main__"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Any, settings: dict[str, str], saves: bool) -> None:
    _settle(settings)
    tasks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, tasks, saves), daemon=True).start()
    while True:
        pipe.send_bytes(_do(tasks.get()))


def _settle(settings: dict[str, str]) -> None:
    """This process works alone and silently, whatever its parent is one of."""
    os.setsid()  # Ctrl-C reaches the parent, which tells this process
    silence()
    os.environ.pop("TORCHELASTIC_RUN_ID", None)
    os.environ |= settings
    prepare_command()


def _listen(pipe: Any, tasks: "SimpleQueue[bytes]", saves: bool) -> None:
    """Take tasks until the pipe ends, and this process with it."""
    with suppress(EOFError, OSError):
        while True:
            tasks.put(pipe.recv_bytes())
    if not saves:
        os._exit(0)
    # Training takes the signal for a request to save and end; before and after, it just ends.
    os.kill(os.getpid(), signal.SIGTERM)


def _do(task: bytes) -> bytes:
    try:
        function, arguments = pickle.loads(task)
        return pickle.dumps(Ended(function(*arguments)), protocol=pickle.HIGHEST_PROTOCOL)
    except WherefromError as error:
        ended = Ended(code=error.exit_code, message=str(error))
    except Exception as error:
        ended = Ended(code=_BUG, message=f"{type(error).__name__}: {error}")
    return pickle.dumps(ended)
