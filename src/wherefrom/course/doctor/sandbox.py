"""Checks a submission in child processes: a crash or a hang costs one check, not all of them."""

import importlib.util
import json
import os
import pickle
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import wherefrom
from wherefrom.core.config import from_json
from wherefrom.core.errors import BadData
from wherefrom.course.doctor import scratch, warden
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.order import Limits, Order
from wherefrom.course.doctor.years import VARIABLE

_STARTING = 60.0  # seconds to start Python and torch, on top of those for the first check
_LONGEST = 1 << 20  # bytes of a child's answers
_MARK = "SANDBOX"  # a variable that the processes of one child have in common
_WARDEN = (sys.executable, "-I", "-S", warden.__file__)


def examine(order: Order) -> dict[str, Result]:
    """The results of an order's checks, in their order.

    A child that dies or does not answer has failed the check it was at, and another child takes
    the remaining ones. If it died while importing the submission, the next one does not try.
    """
    code, names, results = order.code, order.names, dict[str, Result]()
    assert not (code and order.answers), "the answers are not for a process that runs a submission"
    end_of_all = time.monotonic() + order.limits.total
    while left := [name for name in names if name not in results]:
        if time.monotonic() > end_of_all:
            results |= dict.fromkeys(left, Result("look", "no time was left for it", "stopped"))
            break
        heard, end = _ask(replace(order, names=tuple(left)), end_of_all)
        results |= {name: heard[name] for name in left if name in heard}
        missing = next((name for name in left if name not in heard), None)
        if missing is None:
            break
        if "" in heard or order.broken or not code:
            results[missing] = Result("look", end, "stopped")
        else:
            order = replace(order, broken=f"the package cannot be imported: {end}")
    return {name: results[name] for name in names}


def _ask(order: Order, end_of_all: float) -> tuple[dict[str, Result], str]:
    """What one child answered before its end, and how it ended."""
    read, write = os.pipe()
    limits, token, mark = order.limits, secrets.token_hex(8), secrets.token_hex(8)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        place = Path(name)
        (place / "home").mkdir()
        (place / "work").mkdir()
        order = replace(_resolved(order), pipe=write, token=token)
        if order.code:
            order = _copied(order, place)
        own = {VARIABLE: order.year, "OMP_NUM_THREADS": str(limits.threads), _MARK: mark}
        process = subprocess.Popen(
            [*_WARDEN, sys.executable, "-m", "wherefrom.course.doctor.child"],
            env=scratch.environment(place / "home", _packages(), **own),
            cwd=place / "work",
            pass_fds=(write,),
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        most = scratch.size(place) + (limits.disk_mb << 20)
        try:
            _send(process, pickle.dumps(order))
            said, why = _listen(
                read, process, limits, end_of_all, lambda: scratch.size(place) > most
            )
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if why else 5)
        finally:
            _end(process, mark)
            os.close(read)
    return _read(said, token), f"{why or _in_words(process)} and was given up"


def _resolved(order: Order) -> Order:
    """The child runs in another folder: its paths must not depend on this one."""
    named = {name: getattr(order, name) for name in ("folder", "data", "answers")}
    whole = {name: path.resolve() for name, path in named.items() if path is not None}
    return replace(order, **whole, paths=tuple(path.resolve() for path in order.paths))


def _copied(order: Order, place: Path) -> Order:
    """The order with a copy of the submission, and with the given files for its data."""
    folder = scratch.copy_submission(order.folder, place / "submission", order.whole)
    if order.given:
        (place / "given").mkdir()
        order = replace(order, data=place / "given")
    for path in order.given:
        shutil.copyfile(path, place / "given" / path.name)
    return replace(order, folder=folder.resolve())


def _packages() -> list[str]:
    """Where Python finds this package and torch, wherever they were installed."""
    torch = importlib.util.find_spec("torch")
    homes = [Path(wherefrom.__file__).resolve().parents[1]]
    homes += [Path(torch.origin).resolve().parents[1]] if torch and torch.origin else []
    return [str(home) for home in homes]


def _send(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it has ended already: its code says how
        process.stdin.write(text)
        process.stdin.close()


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End the warden, its child, and every process that they started.

    The warden ends what left its group; if the submission killed the warden, what it left behind
    is known by the variable in its environment.
    """
    if process.poll() is None:
        _kill(warden.children_of(process.pid))
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _kill(warden.marked(f"{_MARK}={mark}".encode()))


def _kill(processes: Iterable[int]) -> None:
    for pid in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _listen(
    read: int,
    process: subprocess.Popen[bytes],
    limits: Limits,
    end_of_all: float,
    full: Callable[[], bool],
) -> tuple[bytes, str]:
    """All that the child writes, and why it has to end, if so; each answer renews its time."""
    said, deadline = b"", time.monotonic() + _STARTING + limits.seconds
    while time.monotonic() < min(deadline, end_of_all):
        if not select.select([read], [], [], 0.2)[0]:
            # A process that the child left behind may hold the pipe open.
            if process.poll() is not None:
                return said, ""
            if full():
                return said, f"it wrote more than {limits.disk_mb} MB of files"
            continue
        part = os.read(read, 1 << 16)
        said += part
        if not part or len(said) > _LONGEST:
            return said, ""
        deadline = time.monotonic() + limits.seconds
    return said, f"it gave no answer within {limits.seconds:g} s"


def _read(text: bytes, token: str) -> dict[str, Result]:
    heard: dict[str, Result] = {}
    for line in text.split(b"\n"):
        start, _, line = line.partition(b" ")
        if start != token.encode():
            continue
        # A line that was cut off, or that the submission's code wrote.
        with suppress(ValueError, KeyError, TypeError, AttributeError, BadData):
            told = json.loads(line)
            name = str(told.pop("name"))
            heard[name] = from_json(Result, told, "result")
    return heard


def _in_words(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code is None or code >= 0:
        return f"it ended its process (code {code})"
    if -code == signal.SIGXCPU:
        return "it used up its processor time"
    return f"it was killed ({signal.Signals(-code).name})"
