"""Several seeds of one recipe: which ones, and what they come to together."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wherefrom.core.errors import UsageError
from wherefrom.core.measures import UNITS, is_share, measured
from wherefrom.evaluation.intervals import mean_interval
from wherefrom.experiments.execute import Outcome

_MOST = 1000


@dataclass(frozen=True)
class SeedsOutcome:
    """What the runs of several seeds came to.

    `runs` are their folders in the order of the seeds, `seconds` their wall-clock time together.
    `results` has for each result of the recipe its mean over the seeds: see `aggregate`.
    `outcomes` are those of the single runs.
    """

    recipe: str
    runs: tuple[str, ...]
    seconds: float
    results: dict[str, dict[str, Any]]
    outcomes: tuple[Outcome, ...] = ()

    @classmethod
    def of(cls, recipe: str, outcomes: Sequence[Outcome]) -> "SeedsOutcome":
        return cls(
            recipe=recipe,
            runs=tuple(outcome.run for outcome in outcomes),
            seconds=round(sum(outcome.seconds for outcome in outcomes), 2),
            results=aggregate([outcome.results for outcome in outcomes]),
            outcomes=tuple(outcomes),
        )

    def require_checks(self) -> None:
        """Raise BadData, naming the first, if a check of a demonstration did not hold."""
        for outcome in self.outcomes:
            outcome.require_checks()


def parse_seeds(text: str) -> list[int]:
    """The seeds of `0-4`, `0,2,5` or a mixture, each once, in the order given."""
    seeds: dict[int, None] = {}
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds else (1, 0)
        if last < first:
            raise UsageError(f"--seeds: expected numbers such as 0-4 or 0,2,5, found '{text}'")
        # One more than allowed is enough to be refused below; a range of billions never ends.
        seeds |= dict.fromkeys(range(first, min(last, first + _MOST) + 1))
    if len(seeds) > _MOST:
        raise UsageError(f"--seeds: expected at most {_MOST} seeds, found more in '{text}'")
    return list(seeds)


def aggregate(runs: Sequence[Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Each result's mean over the runs that have it, its interval, and the worst run's value."""
    names = dict.fromkeys(name for results in runs for name in results)
    return {name: _average([r[name] for r in runs if name in r]) for name in names}


def _average(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean, Student's interval (None for a single run), the worst, and every value.

    The method behind the interval knows no bounds: a share's interval is cut at 0 and 1.
    """
    measure, _ = measured(results[0])
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
        # What the perplexity is per: tables put words and characters into different rows.
        **{field: results[0][field] for field in UNITS if field in results[0]},
    }
