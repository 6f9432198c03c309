"""Runs side by side: their results, their costs, and paired differences on the same questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from os import PathLike
from typing import Any

import numpy as np
from msgspec.structs import replace

from wherefrom.core.errors import Mismatch, UsageError
from wherefrom.core.recipe import Demonstrations
from wherefrom.evaluation.intervals import Interval
from wherefrom.evaluation.paired_comparison import Comparison, bits_per_character, compare_relations
from wherefrom.evaluation.paired_comparison import compare as compare_predictions
from wherefrom.evaluation.two_levels import difference_over_seeds
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import AnyRun, Run, open_run, run_path

_Asked = tuple[str, str | None]  # a question and its right answer


@dataclass(frozen=True)
class ComparedRun:
    """A run's results, with bits per character of its language models, and what it cost.

    `parameters` (only trained ones) and `seconds` (of training) are those of the primary model.
    """

    run: str
    recipe: str
    primary: str
    parameters: int
    seconds: float
    results: dict[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class PairedRuns(Comparison):
    """The primary model of `run` (a) against that of `reference` (b) on the same questions.

    `by_relation` has the same for each relation; it is empty if there is only one.
    """

    run: str
    reference: str
    task: str
    model: str
    reference_model: str
    by_relation: Mapping[str, Comparison] = field(default_factory=dict[str, Comparison])


@dataclass(frozen=True)
class ComparedSeeds:
    """Runs of one recipe with several seeds against those of the first run's recipe.

    `difference` is the mean accuracy of `runs` minus that of `reference`, on the same `questions`.
    Its interval counts seeds and questions; that of a single pair of runs counts questions alone.
    """

    runs: tuple[str, ...]
    reference: tuple[str, ...]
    task: str
    questions: int
    difference: float
    interval: Interval


@dataclass(frozen=True)
class RunComparison:
    """The runs, and a pair of each other run with the first if both answered the same questions.

    `seeds` compares recipes instead of runs, where there are several seeds of both.
    `notes` say which runs could not be paired and why, which runs were left out, and what the bits
    per character of word models include.
    """

    runs: tuple[ComparedRun, ...]
    paired: tuple[PairedRuns, ...]
    notes: tuple[str, ...]
    seeds: tuple[ComparedSeeds, ...] = ()


def compare(runs: AnyRun | Sequence[AnyRun]) -> RunComparison:
    """Put finished runs side by side, and pair each with the first, question by question.

    A paired difference has a narrower interval than two separate scores. Runs that were asked
    different questions are not paired. Demonstrations have no scores and are left out.
    """
    if isinstance(runs, str | PathLike | Run):  # text is a sequence too, of letters
        runs = [runs]
    if len(runs) < 2:
        found = f"only {run_path(runs[0])}" if runs else "none"
        raise UsageError(f"compare: expected at least two runs, found {found}; name another run")
    trained = [run for run in runs if not _demonstrates(run)]
    opened = [open_run(run) for run in (trained or runs)]  # raises if all are demonstrations
    for run in opened:
        run.require_finished()
    paired, notes = _pair(opened)
    notes += _note_words(opened)
    notes += [
        f"{run_path(run)}: left out: demonstrations have no scores"
        for run in runs
        if run not in trained
    ]
    seeds = tuple(compare_seeds(opened))
    notes += [_say_seeds(found) for found in seeds]
    return RunComparison(tuple(map(_describe, opened)), tuple(paired), tuple(notes), seeds)


def _demonstrates(run: AnyRun) -> bool:
    if isinstance(run, Run):
        return False
    return isinstance(RunFolder(run_path(run)).read_recipe(), Demonstrations)


def _describe(run: Run) -> ComparedRun:
    return ComparedRun(
        run=str(run.path),
        recipe=run.recipe.name,
        primary=run.recipe.primary,
        results=run.results | bits_per_character(run.results),
        **run.cost(),
    )


def _pair(runs: Sequence[Run]) -> tuple[list[PairedRuns], list[str]]:
    """The paired differences to the first run, and a note for each run that cannot be paired."""
    first, *others = runs
    pairs: list[PairedRuns] = []
    notes: list[str] = []
    for run in others:
        shared = _shared_tasks(run, first)
        if not shared:
            notes.append(f"{run.path}: not paired with {first.path}: they share no answered task")
        for task in shared:
            try:
                pairs.append(_pair_task(run, first, task))
            except Mismatch as error:
                notes.append(f"{run.path}: {task} not paired with {first.path}: {error}")
    return pairs, notes


def _pair_task(run: Run, reference: Run, task: str) -> PairedRuns:
    model, reference_model = run.recipe.primary, reference.recipe.primary
    own = run.predictions(model, task)
    others = reference.predictions(reference_model, task)
    return PairedRuns(
        **asdict(compare_predictions(own, others)),
        by_relation=compare_relations(own, others),
        run=str(run.path),
        reference=str(reference.path),
        task=task,
        model=model,
        reference_model=reference_model,
    )


def compare_seeds(runs: Sequence[Run]) -> Iterator[ComparedSeeds]:
    """Each other recipe against the first, where at least two seeds of both were given."""
    groups: dict[Any, list[Run]] = {}
    for run in runs:
        groups.setdefault(str(replace(run.recipe, seed=0, threads=0)), []).append(run)
    several = [group for group in groups.values() if len(group) > 1]
    first, others = several[:1], several[1:]
    for reference, group in product(first, others):
        for task in _shared_tasks(reference[0], group[0]):
            right = [_right_answers(each, task) for each in (group, reference)]
            if (found := _difference(right)) is not None:
                yield ComparedSeeds(
                    tuple(str(run.path) for run in group),
                    tuple(str(run.path) for run in reference),
                    task,
                    *found,
                )


def _shared_tasks(run: Run, other: Run) -> list[str]:
    return [task for task in _answered_tasks(run) if task in _answered_tasks(other)]


def _right_answers(runs: Sequence[Run], task: str) -> list[dict[_Asked, bool]]:
    found = [run.predictions(run.recipe.primary, task) for run in runs]
    return [{(p.question.text, p.question.answer): p.correct for p in table} for table in found]


def _difference(
    right: Sequence[Sequence[Mapping[_Asked, bool]]],
) -> tuple[int, float, Interval] | None:
    """None if the runs were not asked the same questions."""
    asked = [*right[0][0]]
    if len(asked) < 2 or any(set(run) != set(asked) for group in right for run in group):
        return None
    one, other = (np.array([[run[key] for key in asked] for run in group]) for group in right)
    return len(asked), *difference_over_seeds(one, other)


def _say_seeds(found: ComparedSeeds) -> str:
    low, high = found.interval
    return (
        f"{found.task}: the {len(found.runs)} seeds {', '.join(found.runs)} are on average "
        f"{100 * found.difference:+.1f} points [{100 * low:.1f}, {100 * high:.1f}] from the "
        f"{len(found.reference)} seeds {', '.join(found.reference)}; this interval counts seeds "
        "and questions, those of single pairs count questions alone"
    )


def _answered_tasks(run: Run) -> list[str]:
    """The tasks for which the primary model's answers are in the folder."""
    primary = run.recipe.primary
    return [
        task.name
        for task in run.recipe.tasks
        if task.measure == "accuracy" and primary in task.predictors
    ]


def _note_words(runs: Sequence[Run]) -> list[str]:
    """What the bits per character of word models include, and how to measure one text instead."""
    words = [run for run in runs if any(r.get("unsaid_nats") for r in run.results.values())]
    if not words:
        return []
    scored = [*words, *(run for run in runs if bits_per_character(run.results))]
    paths = " ".join(dict.fromkeys(str(run.path) for run in scored))
    return [
        "bits per character are measured on each run's own held-out text; for a word model they "
        "include its unknown words, spelt by bytes (the interval treats this cost as fixed), but "
        "not the capitals that it loses: "
        f"'wherefrom perplexity {paths} --text FILE' measures the same text with all of them"
    ]
