"""The commands of `course/a5/run.sh`, given as a student gives them, from nothing on."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disturbance import Watch

ROOT = Path(__file__).resolve().parent.parent
A5 = ROOT / "course" / "a5"
SEED = 42  # run.sh's own
_SCORE = re.compile(r"Correct: ([\d.]+) out of ([\d.]+)")


def names() -> list[str]:
    """The commands in an order in which each finds the files that it needs."""
    sys.path.insert(0, str(A5))
    try:
        from commands import COMMANDS
    finally:
        sys.path.remove(str(A5))
    return list(COMMANDS)


def give(name: str, data: str, out: Path, options: Sequence[str] = ()) -> dict[str, Any]:
    """Wall-clock seconds of a command, process and all, and its score where it has one."""
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    watch, began = Watch(), time.monotonic()
    done = subprocess.run(
        ["bash", str(A5 / "run.sh"), name, "--data", data, "--out", str(out), *options],
        env=os.environ | {"PYTHON": sys.executable, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        last = (done.stderr.strip() or "no word").splitlines()[-1]
        raise RuntimeError(f"{name}: ended with code {done.returncode}: {last}")
    found: dict[str, Any] = {"seconds": round(time.monotonic() - began, 1)}
    found["disturbed"] = watch.reasons()
    if score := _SCORE.search(done.stdout):
        right, total = map(float, score.groups())
        found |= {"accuracy": right / total, "n": int(total)}
    return found
