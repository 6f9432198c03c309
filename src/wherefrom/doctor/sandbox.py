"""Checks a submission in child processes: a crash or a hang costs one check, not all of them."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import wherefrom
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData
from wherefrom.doctor.findings import Result
from wherefrom.doctor.order import Order
from wherefrom.doctor.years import DEFAULT_YEAR, VARIABLE

_STARTING = 60.0  # seconds to start Python and torch, on top of those for the first check
_LONGEST = 1 << 20  # bytes of a child's answers
_QUIET = {
    "PYTHONDONTWRITEBYTECODE": "1",  # nothing is written into a student's folder
    "CUDA_VISIBLE_DEVICES": "",
}


@dataclass(frozen=True)
class Limits:
    """Seconds for a check and for all of them, megabytes on top of what torch takes, threads."""

    seconds: float = 60.0
    memory_mb: int = 4096
    total: float = 600.0
    threads: int = 1


def examine(
    checks: str,
    names: Sequence[str],
    folder: Path,
    data: Path | None = None,
    limits: Limits | None = None,
    paths: Sequence[Path] = (),
    answers: Path | None = None,
    year: str = DEFAULT_YEAR,
) -> dict[str, Result]:
    """The results of the named checks of `module:DICT` (found on `paths`), in their order.

    They expect what the year's hand-out says; an environment variable tells the submission's code
    which year that is.

    A child that dies or does not answer has failed the check it was at, and another child takes
    the remaining ones. If it died while importing the submission, the next one does not try.
    """
    limits = limits or Limits()
    order = Order(
        checks=checks,
        names=tuple(names),
        folder=str(folder.resolve()),
        data=str(data.resolve()) if data else None,
        answers=str(answers.resolve()) if answers else None,
        paths=tuple(str(path.resolve()) for path in paths),
        year=year,
        seconds=limits.seconds,
        memory_mb=limits.memory_mb,
        threads=limits.threads,
    )
    results: dict[str, Result] = {}
    end_of_all = time.monotonic() + limits.total
    while left := [name for name in names if name not in results]:
        if time.monotonic() > end_of_all:
            results |= dict.fromkeys(left, Result("look", "no time was left for it", "stopped"))
            break
        heard, end = _ask(replace(order, names=tuple(left)), end_of_all)
        results |= {name: heard[name] for name in left if name in heard}
        missing = next((name for name in left if name not in heard), None)
        if missing is None:
            break
        if "" in heard or order.broken:
            results[missing] = Result("look", end, "stopped")
        else:
            order = replace(order, broken=f"the package cannot be imported: {end}")
    return {name: results[name] for name in names}


def _ask(order: Order, end_of_all: float) -> tuple[dict[str, Result], str]:
    """What one child answered before its end, and how it ended."""
    read, write = os.pipe()
    text = json.dumps(to_json(replace(order, pipe=write)))
    package = str(Path(wherefrom.__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    own = {"PYTHONPATH": path, VARIABLE: order.year, "OMP_NUM_THREADS": str(order.threads)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        process = subprocess.Popen(
            [sys.executable, "-m", "wherefrom.doctor.child", text],
            env=os.environ | _QUIET | own,
            cwd=scratch,
            pass_fds=(write,),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        try:
            said, late = _listen(read, process, order.seconds, end_of_all)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if late else 5)
        finally:
            with suppress(ProcessLookupError):  # the group: also the processes that it started
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(read)
    how = f"it gave no answer within {order.seconds:g} s" if late else _in_words(process)
    return _read(said), f"{how} and was given up"


def _listen(
    read: int, process: subprocess.Popen[bytes], seconds: float, end_of_all: float
) -> tuple[bytes, bool]:
    """All that the child writes, and whether it was too late; each answer renews its time."""
    said, deadline = b"", time.monotonic() + _STARTING + seconds
    while time.monotonic() < min(deadline, end_of_all):
        if not select.select([read], [], [], 0.2)[0]:
            # A process that the child left behind may hold the pipe open.
            if process.poll() is not None:
                return said, False
            continue
        part = os.read(read, 1 << 16)
        said += part
        if not part or len(said) > _LONGEST:
            return said, False
        deadline = time.monotonic() + seconds
    return said, True


def _read(text: bytes) -> dict[str, Result]:
    heard: dict[str, Result] = {}
    for line in text.split(b"\n"):
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
