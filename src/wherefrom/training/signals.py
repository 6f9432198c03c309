"""Ctrl-C, termination and a lost terminal as something to notice at a good moment.

They would otherwise end the process wherever they strike it.
"""

import os
import signal
import threading
from contextlib import suppress
from time import monotonic
from types import FrameType
from typing import Any

from wherefrom.training.rank_group import current_ranks

# Seconds within which the same signal is the same request; a hand may press Ctrl-C twice in one.
_ECHO = {signal.SIGINT: 0.1, signal.SIGTERM: 1.0, getattr(signal, "SIGHUP", None): 1.0}
RECEIVED = "stopping after this step, and saving; a second signal (Ctrl-C again) stops at once"


class StopSignal:
    """While entered, the first signal that asks to stop is noted in `number` and acknowledged.

    These are SIGINT, SIGTERM and SIGHUP, which a terminal sends when it is closed. A SIGHUP that is
    ignored stays so: with `nohup` the user asked that the run outlives the terminal. A second one
    means it: the default is back and the process ends there. What was published stays whole either
    way. But `timeout` sends its signal twice, to the process and to its group, and so may a
    terminal that closes: the same signal again at once is one request. Outside the main thread,
    where Python has no signals, it notes none.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._received = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "StopSignal":
        if threading.current_thread() is threading.main_thread():
            for number in _stopping():
                self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before.clear()

    def agree(self) -> int | None:
        """The signal that this or another rank got; all ranks ask at the same places."""
        ranks = current_ranks()
        if ranks is None:
            return self.number
        return max(number or 0 for number in ranks.gather(self.number)) or None

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if number == self.number and monotonic() - self._received < _ECHO[signal.Signals(number)]:
            return
        if self.number is not None:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self.number, self._received = number, monotonic()
        _acknowledge()


def _stopping() -> list[signal.Signals]:
    stopping = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    if hangup is not None and signal.getsignal(hangup) != signal.SIG_IGN:
        stopping.append(hangup)
    return stopping


def _acknowledge() -> None:
    """Say at once that the signal was received: a step may take seconds.

    Written past Python's buffers, which whatever the signal interrupted may be in the middle of.
    """
    start = b"\n" if os.isatty(2) else b""  # a bar may stand in the line
    with suppress(OSError):  # standard error may be closed
        os.write(2, start + RECEIVED.encode() + b"\n")
