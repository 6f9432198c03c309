"""Ctrl-C and termination as something to notice at a good moment, not wherever they strike."""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

RECEIVED = "stopping after this step, and saving; a second signal (Ctrl-C again) stops at once"


class StopSignal:
    """While entered, the first SIGINT or SIGTERM is noted in `number` and acknowledged in a line.

    A second one means it: the default is back and the process ends there. What was published
    stays whole either way. Outside the main thread, where Python has no signals, it notes none.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "StopSignal":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if self.number is not None:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self.number = number
        _acknowledge()


def _acknowledge() -> None:
    """Say at once that the signal was received: a step may take seconds.

    Written past Python's buffers, which whatever the signal interrupted may be in the middle of.
    """
    start = b"\n" if os.isatty(2) else b""  # a bar may stand in the line
    with suppress(OSError):  # standard error may be closed
        os.write(2, start + RECEIVED.encode() + b"\n")
