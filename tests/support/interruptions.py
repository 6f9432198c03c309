"""Interrupts this process at a place in its work, so that a busy machine changes nothing.

For programs that tests start; a test that waited for the clock would hit another place each time.

As a program: `interruptions.py ORDER ARGUMENTS` runs `wherefrom ARGUMENTS`. The order is a JSON
object that may have `signal`, a number that the process sends itself at the `line`-th line of the
package's code (of some `files` of it), or as soon as `stage` has published `saves` checkpoints;
and `file_limit`, the most bytes a file may have.
"""

import json
import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import wherefrom
from wherefrom.training.checkpoints import Checkpoints

_SOURCE = Path(wherefrom.__file__).parent


def at_line(count: int, number: int, files: Sequence[str] = ("",)) -> None:
    """Send the signal before the count-th line of the package's own code that runs from here on.

    Lines are everywhere: between two steps, between two files of a checkpoint, and between
    writing into a file and flushing it. `files` are the parts of the package whose lines count,
    such as core/files.py.
    """
    left, counted = count, tuple(f"{_SOURCE}{os.sep}{file}" for file in files)

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(counted):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), number)
        return trace

    sys.settrace(trace)


def after_saves(count: int, stage: str, number: int) -> None:
    """Send the signal as soon as the stage has published its count-th checkpoint from here on."""
    left, save = count, Checkpoints.save

    def saving(self: Checkpoints, *arguments: Any) -> Path:
        nonlocal left
        path = save(self, *arguments)
        left -= stage in self.folder.parts
        if left == 0:
            os.kill(os.getpid(), number)
        return path

    Checkpoints.save = saving


def obey(order: dict[str, Any]) -> None:
    if limit := order.get("file_limit"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if "line" in order:
        at_line(order["line"], order["signal"], order["files"])
    elif "saves" in order:
        after_saves(order["saves"], order["stage"], order["signal"])


if __name__ == "__main__":
    from wherefrom.cli.main import main

    obey(json.loads(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
