"""Several seeds of one recipe: which ones, and what they come to together."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wherefrom.core.errors import UsageError
from wherefrom.evaluation.intervals import mean_interval
from wherefrom.report.tables import UNITS, is_share, measured

_MOST = 1000


def parse_seeds(text: str) -> list[int]:
    """The seeds of `0-4`, `0,2,5` or a mixture, each once, in the order given."""
    seeds: dict[int, None] = {}
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds else (1, 0)
        if last < first:
            raise UsageError(f"--seeds: expected numbers such as 0-4 or 0,2,5, found '{text}'")
        seeds |= dict.fromkeys(range(first, min(last, first + _MOST) + 1))
    if len(seeds) > _MOST:
        raise UsageError(f"--seeds: expected at most {_MOST} seeds, found more in '{text}'")
    return list(seeds)


def aggregate(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Each result's mean over the runs that have it, its interval, and the worst run's."""
    names = dict.fromkeys(name for results in runs for name in results)
    return {name: _together([r[name] for r in runs if name in r]) for name in names}


def _together(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean, Student's interval (none for a single run) and worst.

    A share's interval is cut at 0 and 1, where the method, which knows no bounds, passes them.
    """
    measure = measured(results[0])[0]
    share = is_share(measure)
    values = [float(result[measure]) for result in results]
    interval = None
    if len(values) > 1:
        low, high = mean_interval(values)
        interval = [max(low, 0.0), min(high, 1.0)] if share else [low, high]
    return {
        measure: sum(values) / len(values),
        "interval": interval,
        "worst": min(values) if share else max(values),
        "n": len(values),
        "values": values,
        **{told: results[0][told] for told in UNITS if told in results[0]},
    }
