"""Looks at a submission in child processes: what crashes or hangs costs one look, not all."""

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wherefrom
from wherefrom.doctor.findings import Result
from wherefrom.doctor.years import DEFAULT_YEAR, VARIABLE

_STARTING = 60.0  # seconds for Python and torch, on top of the first look's own
_MOST = 1 << 20  # bytes that a child may answer
_QUIET = {
    "PYTHONDONTWRITEBYTECODE": "1",  # nothing is written into a student's folder
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Limits:
    """Seconds a look and all looks may take, and megabytes on top of what torch takes."""

    seconds: float = 60.0
    memory_mb: int = 4096
    total: float = 600.0


def examine(
    looks: str,
    names: Sequence[str],
    folder: Path,
    data: Path | None = None,
    limits: Limits | None = None,
    paths: Sequence[Path] = (),
    answers: Path | None = None,
    year: str = DEFAULT_YEAR,
) -> dict[str, Result]:
    """The results of the named looks of `module:DICT` (found on `paths`), in their order.

    They expect what the year's hand-out says, and the submission's code is told which it is.

    A child that dies or does not answer has failed the look it was at; another child takes the
    rest. When importing the submission is what it died of, the next one does not try.
    """
    order: dict[str, Any] = {
        "looks": looks,
        "folder": str(folder.resolve()),
        "data": str(data.resolve()) if data else None,
        "answers": str(answers.resolve()) if answers else None,
        "paths": [str(path.resolve()) for path in paths],
        "broken": "",
        "year": year,
        **vars(limits or Limits()),
    }
    results: dict[str, Result] = {}
    end_of_all = time.monotonic() + order["total"]
    while left := [name for name in names if name not in results]:
        if time.monotonic() > end_of_all:
            results |= dict.fromkeys(left, Result("look", "no time was left for it", "stopped"))
            break
        heard, end = _ask(order | {"names": left}, end_of_all)
        results |= {name: heard[name] for name in left if name in heard}
        missing = next((name for name in left if name not in heard), None)
        if missing is None:
            break
        if "" in heard or order["broken"]:
            results[missing] = Result("look", end, "stopped")
        else:
            order["broken"] = f"the package cannot be imported: {end}"
    return {name: results[name] for name in names}


def _ask(order: dict[str, Any], end_of_all: float) -> tuple[dict[str, Result], str]:
    """What one child answered before its end, and how it ended."""
    read, write = os.pipe()
    package = str(Path(wherefrom.__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        process = subprocess.Popen(
            [sys.executable, "-m", "wherefrom.doctor.child", json.dumps(order | {"pipe": write})],
            env=os.environ | _QUIET | {"PYTHONPATH": path, VARIABLE: order["year"]},
            cwd=scratch, pass_fds=(write,), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        try:
            text, late = _listen(read, process, order["seconds"], end_of_all)
            with suppress(subprocess.TimeoutExpired):
                process.wait(0 if late else 5)
        finally:
            with suppress(ProcessLookupError):  # with whatever processes it started
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(read)
    how = f"it gave no answer within {order['seconds']:g} s" if late else _in_words(process)
    return _read(text), f"{how} and was given up"


def _listen(
    read: int, process: subprocess.Popen[bytes], seconds: float, end_of_all: float
) -> tuple[bytes, bool]:
    """All that the child says; each line gives it the same time again."""
    said, deadline = b"", time.monotonic() + _STARTING + seconds
    while time.monotonic() < min(deadline, end_of_all):
        if not select.select([read], [], [], 0.2)[0]:
            if process.poll() is not None:  # a process that it left behind holds the pipe open
                return said, False
            continue
        part = os.read(read, 1 << 16)
        said += part
        if not part or len(said) > _MOST:
            return said, False
        deadline = time.monotonic() + seconds
    return said, True


def _read(text: bytes) -> dict[str, Result]:
    heard: dict[str, Result] = {}
    for line in text.split(b"\n"):
        with suppress(ValueError, KeyError, TypeError):  # a line that was cut off, or not ours
            told = json.loads(line)
            heard[str(told["name"])] = Result(*(str(told[k]) for k in ("state", "text", "mistake")))
    return heard


def _in_words(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    if code is None or code >= 0:
        return f"it ended its process (code {code})"
    if -code == signal.SIGXCPU:
        return "it used up its processor time"
    return f"it was killed ({signal.Signals(-code).name})"
