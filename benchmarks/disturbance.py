"""Whether other work on the machine disturbed a measurement.

A `Watch` compares, from its start to its end, the processor time that the whole machine spent with
what this process and its children spent. What remains is other processes' work, and on a virtual
machine the time that its host took away. Where the system does not say (/proc/stat), the load
average before the start counts. A contestant that is much slower in one turn than in another is
disturbed too, whatever the reason.
"""

import os
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

BUSY = 0.1  # cores that others may use; on a large machine a fiftieth of the cores
SPREAD = 1.5  # the fastest turn of a contestant over its slowest
_STAT = Path("/proc/stat")
_IDLE = (3, 4)  # columns of /proc/stat: idle, waiting for a disk
_GUEST = 8  # from here on columns are part of others


class Watch:
    """Starts when it is made; `reasons` are asked for when all children have ended."""

    def __init__(self) -> None:
        self.cores = os.cpu_count() or 1
        self.load = os.getloadavg()[0]
        self._start = _now()

    def reasons(self, speeds: Mapping[str, Sequence[float]] | None = None) -> list[str]:
        """Why the measurement is not to be trusted, a line each; none if it is."""
        wall, own, busy = (now - then for now, then in zip(_now(), self._start, strict=True))
        others = (busy - own) / wall if busy else None
        return [
            *judge_others(others, self.load, self.cores),
            *judge_spread(speeds or {}),
        ]


def judge_others(others: float | None, load: float, cores: int) -> list[str]:
    """`others`: cores that other processes used on average; None: only the load is known."""
    most = max(BUSY, cores / 50)
    if others is None:
        others, when = load, "before the start"
    else:
        when = "meanwhile"
    if others <= most:
        return []
    return [f"other work used {others:.1f} of {cores} cores {when}"]


def judge_spread(speeds: Mapping[str, Sequence[float]]) -> list[str]:
    spread = {name: max(values) / min(values) for name, values in speeds.items() if values}
    return [
        f"the turns of '{name}' differ by a factor of {factor:.1f}"
        for name, factor in spread.items()
        if factor > SPREAD
    ]


def _now() -> tuple[float, float, float]:
    """Seconds by the clock; processor seconds of this process and its children; of everybody."""
    own = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        own += used.ru_utime + used.ru_stime
    return perf_counter(), own, _busy()


def _busy() -> float:
    """Processor seconds of all processes since the machine started; 0 if it does not say."""
    try:
        columns = [int(c) for c in _STAT.read_text().split("\n")[0].split()[1:]]
    except OSError:
        return 0.0
    spent = sum(c for i, c in enumerate(columns[:_GUEST]) if i not in _IDLE)
    return spent / os.sysconf("SC_CLK_TCK")
