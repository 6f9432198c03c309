"""Interrupts this process at a place in its work, so that a busy machine changes nothing.

For programs that tests start; a test that waited for the clock would hit another place each time.
"""

import os
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
