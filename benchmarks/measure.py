"""Timing several contestants on the same work, in turns, in one process.

Machines are noisy: contestants take turns (A B A B ...), and what is reported is the ratio
within each turn, its median and its range. Seconds alone are never compared between runs. If the
machine was not idle (`Watch`), the figures say so and there is no ratio.
"""

import argparse
import json
import os
import platform
import resource
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

BUSY = 0.1  # cores that others may use; on a large machine a fiftieth of the cores
SPREAD = 1.5  # the fastest turn of a contestant over its slowest
_IDLE = (3, 4)  # columns of /proc/stat: idle, waiting for a disk
_GUEST = 8  # from here on columns are part of others


class Watch:
    """Whether other work on the machine disturbed a measurement, from here until it is asked.

    It compares the processor time of the whole machine (/proc/stat, where the system has it) with
    that of this process and its children. What remains is other processes' work, and on a virtual
    machine the time that its host took away. All children must have ended when it is asked.
    """

    def __init__(self) -> None:
        self.cores = os.cpu_count() or 1
        self._start = _now()

    def reasons(self, speeds: Mapping[str, Sequence[float]] | None = None) -> list[str]:
        """Why the measurement is not to be trusted, a line each; none if it is."""
        wall, own, busy = (now - then for now, then in zip(_now(), self._start, strict=True))
        others, found = (busy - own) / wall, judge_spread(speeds or {})
        if others > max(BUSY, self.cores / 50):
            found.insert(0, f"other work used {others:.1f} of {self.cores} cores meanwhile")
        return found


def judge_spread(speeds: Mapping[str, Sequence[float]]) -> list[str]:
    """A contestant that is much slower in one turn than in another, whatever the reason."""
    spread = {name: max(values) / min(values) for name, values in speeds.items() if values}
    return [
        f"the turns of '{name}' differ by a factor of {factor:.1f}"
        for name, factor in spread.items()
        if factor > SPREAD
    ]


def _now() -> tuple[float, float, float]:
    """Seconds by the clock; processor seconds of this process and its children; of everybody."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own = sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, who))
    try:
        line = Path("/proc/stat").read_text().split("\n")[0]
    except OSError:
        return perf_counter(), own, own
    columns = [int(column) for column in line.split()[1 : _GUEST + 1]]
    spent = sum(column for i, column in enumerate(columns) if i not in _IDLE)
    return perf_counter(), own, spent / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Ratio:
    """How many times faster one contestant is than its peer: median and range over the turns."""

    name: str
    peer: str
    median: float
    low: float
    high: float
    turns: int


def take_turns(
    contestants: dict[str, Callable[[int], float]], turns: int
) -> dict[str, list[float]]:
    """Work done a second by each contestant in each turn, after one turn that does not count.

    A contestant is called with the turn's number and returns how much work it did.
    """
    speeds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns + 1):
        for name, work in contestants.items():
            start = perf_counter()
            done = work(turn)
            if turn:
                speeds[name].append(done / (perf_counter() - start))
    return speeds


def ratio(speeds: dict[str, list[float]], name: str, peer: str) -> Ratio:
    each = [a / b for a, b in zip(speeds[name], speeds[peer], strict=True)]
    return Ratio(name, peer, statistics.median(each), min(each), max(each), len(each))


def report(
    title: str, unit: str, speeds: dict[str, list[float]], ratios: list[Ratio], watch: Watch
) -> dict:
    """Print the figures and return them; a disturbed measurement gives no ratios."""
    disturbed = watch.reasons(speeds)
    print(title)
    for name, values in speeds.items():
        print(f"  {name:<46} {statistics.median(values):12.4g} {unit}")
    for r in ratios if not disturbed else ():
        print(f"  {r.name} against {r.peer}: {r.median:.2f}x ({r.low:.2f} to {r.high:.2f})")
    return {
        "title": title, "unit": unit, "speeds": speeds,
        "ratios": [] if disturbed else [asdict(r) for r in ratios], "machine": machine(),
    } | tell_disturbed(disturbed)  # fmt: skip


def tell_disturbed(reasons: list[str]) -> dict[str, list[str]]:
    """Print why the figures are not to be trusted, and return it as a field for the JSON."""
    for reason in reasons:
        print(f"  disturbed: {reason}")
    if reasons:
        print("  disturbed: the figures above mean little; measure again on an idle machine")
    return {"disturbed": reasons}


def machine() -> dict[str, Any]:
    there = [p for p in ("torch", "transformers", "numpy") if find_spec(p)]
    packages = {p: version(p) for p in there}
    return {"machine": platform.machine(), "threads": torch.get_num_threads(), **packages}


def parser(doc: str | None) -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    options.add_argument("--json", type=Path, help="write the figures there too")
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--threads", type=int, default=0, help="0: as torch chooses")
    options.add_argument("--tiny", action="store_true", help="small sizes: does it run at all?")
    return options


def finish(options: argparse.Namespace, result: dict) -> dict:
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return result
