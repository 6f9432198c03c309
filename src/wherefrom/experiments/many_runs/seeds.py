"""Several seeds of one recipe: parsing a list of seeds, and averaging the results."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from msgspec import structs

from wherefrom.core.errors import UsageError
from wherefrom.core.measures import BY_RELATION, UNITS, UNVERIFIED, WHY_NOT, is_share, measured
from wherefrom.core.recipe import Recipe
from wherefrom.evaluation.intervals import mean_interval
from wherefrom.evaluation.two_levels import mean_over_seeds
from wherefrom.experiments.clock import replay
from wherefrom.experiments.many_runs.stacked_runs import RunRequest
from wherefrom.experiments.many_runs.workers import Job, Workers
from wherefrom.experiments.one_run.execute import execute
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.plan import Planned
from wherefrom.experiments.resources import share_threads, usual_threads
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run

_MOST = 1000


@dataclass(frozen=True)
class SeedsOutcome:
    """The results of several seeds.

    `runs` are the run folders in the order of the seeds, `seconds` is their total wall-clock time.
    `results` has the mean of each result over the seeds: see `aggregate`. `outcomes` are the
    outcomes of the single runs.
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
            results=aggregate(
                [outcome.results for outcome in outcomes],
                read_shared([Path(outcome.run) for outcome in outcomes]),
            ),
            outcomes=tuple(outcomes),
        )

    def require_checks(self) -> None:
        """Raise BadData, which names the first failure, if a demonstration's check did not hold."""
        for outcome in self.outcomes:
            outcome.require_checks()


def choose_seeds(seeds: str | Iterable[int]) -> list[int]:
    """Seeds as numbers, or as `parse_seeds` reads them: at least one, and each once."""
    numbers = parse_seeds(seeds) if isinstance(seeds, str) else list(seeds)
    if not numbers:
        raise UsageError("seeds: expected at least one, found none")
    if twice := [seed for seed in numbers if numbers.count(seed) > 1]:
        raise UsageError(f"seeds: expected each seed once, found {twice[0]} twice; leave one out")
    return numbers


def parse_seeds(text: str) -> list[int]:
    """The seeds of `0-4`, `0,2,5` or a mixture of both, in the given order."""
    seeds: list[int] = []
    for part in text.split(","):
        bounds = re.fullmatch(r"\s*([0-9]{1,10})(?:-([0-9]{1,10}))?\s*", part)
        first, last = (int(bounds[1]), int(bounds[2] or bounds[1])) if bounds else (1, 0)
        if last < first:
            raise UsageError(f"--seeds: expected numbers such as 0-4 or 0,2,5, found '{text}'")
        # One seed more than allowed is enough to fail below; a range of billions takes forever.
        seeds += range(first, min(last, first + _MOST) + 1)
    if len(seeds) > _MOST:
        raise UsageError(f"--seeds: expected at most {_MOST} seeds, found more in '{text}'")
    return seeds


def prepare_seeds(
    built: Recipe, folders: Mapping[int, Path], first: Run | None = None
) -> Iterator[RunRequest]:
    """What is to be run for each seed; those after a `first` run that followed a clock take its
    steps, with its factors on the rate."""
    recipe = built if first is None else replay(first.folder, first.recipe)
    notes = None if first is None else first.notes or None
    for seed, folder in folders.items():
        chosen = structs.replace(recipe, seed=seed)
        yield RunRequest(chosen, folder, f"seed {seed}, ", Planned(chosen, notes=notes))


def train_at_once(
    seeds: Sequence[RunRequest], processes: int, tell: Callable[[str], None] = lambda _: None
) -> None:
    """Train the seeds in processes of their own, as many at a time as there are (`Workers`).

    Those that are finished are left alone. The run folders are then as any others.
    """
    waiting = [seed for seed in seeds if not _finished(seed)]
    at_once = min(processes, max(len(waiting), 1))
    threads = next((seed.recipe.threads for seed in seeds), 0)
    threads = threads or share_threads(usual_threads(), at_once)

    def next_job() -> Job | None:
        return _job(waiting.pop(0), threads) if waiting else None

    done = len(seeds) - len(waiting)
    Workers(next_job, at_once, threads, tell, done=done, total=len(seeds)).run()


def _finished(seed: RunRequest) -> bool:
    folder = RunFolder(seed.path)
    return folder.exists() and folder.read_status()["state"] == "finished"


def _job(seed: RunRequest, threads: int) -> Job:
    recipe = structs.replace(seed.recipe, threads=threads)
    planned = seed.planned and replace(seed.planned, recipe=recipe, workshop=None)
    return Job(f"seed {recipe.seed}", execute, (recipe, seed.path, (), planned))


def read_shared(runs: Sequence[Path]) -> dict[str, np.ndarray]:
    """Which answers are right, a row for each run, where all runs answered the same questions."""
    if len(runs) < 2:
        return {}
    folders = [RunFolder(path) for path in runs]
    recipes = [folder.read_recipe() for folder in folders]
    if not all(isinstance(recipe, Recipe) for recipe in recipes):
        return {}
    found: dict[str, np.ndarray] = {}
    for i, task in enumerate(cast(Recipe, recipes[0]).tasks):
        for name in task.predictors if task.measure == "accuracy" else ():
            each = [folder.read_predictions(name, task.name) for folder in folders]
            asked = [[(q.text, q.answer) for q in predictions.known] for predictions in each]
            if len(each[0]) > 1 and all(questions == asked[0] for questions in asked):
                right = np.array([predictions.right for predictions in each])
                found[name if i == 0 else f"{task.name}.{name}"] = right
    return found


def aggregate(
    runs: Sequence[Mapping[str, Mapping[str, Any]]],
    shared: Mapping[str, np.ndarray] | None = None,
) -> dict[str, dict[str, Any]]:
    """Each result's mean over the runs that have it, its interval, and the worst run's value.

    `shared` has the right answers of results whose questions are the same in all runs: their
    intervals count the questions beside the seeds, and `questions` says how many there are.
    """
    names = dict.fromkeys(name for results in runs for name in results)
    found = {name: _average([r[name] for r in runs if name in r]) for name in names}
    for name, right in (shared or {}).items():
        if found.get(name, {}).get("n") == len(right):
            _, interval = mean_over_seeds(right)
            found[name] |= {"interval": list(interval), "questions": right.shape[1]}
    return found


def _average(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean, Student's interval (None for a single run), the worst value, and every value.

    Student's interval may leave the range of a share, so it is cut at 0 and 1. Where every seed
    has its own questions, the seeds' values differ by the luck of these too, so it counts them.
    """
    measure, _ = measured(results[0])
    parts = [result[BY_RELATION] for result in results if BY_RELATION in result]
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
        **({BY_RELATION: aggregate(parts)} if parts else {}),
        **_count_reasons(results),
        # The unit of a perplexity: tables put words and characters into different rows.
        **{field: results[0][field] for field in UNITS if field in results[0]},
    }


def _count_reasons(results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Why nothing is answered or verified, in the first of the runs where that is so."""
    found: dict[str, str] = {}
    for name in (WHY_NOT, UNVERIFIED):
        if reasons := [result[name] for result in results if name in result]:
            among = "" if len(results) == 1 else f"with {len(reasons)} of {len(results)} seeds, as "
            found[name] = among + reasons[0]
    return found
