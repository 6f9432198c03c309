"""Running several recipes whose models have one shape: trained together, as one step on a device.

Every run has its own folder, which holds what it would hold had the run been trained alone.
Runs that are finished are only read; those that are further along than others go on beside them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from msgspec import structs

from wherefrom.core.artifact import lock_folder
from wherefrom.core.environment import release_memory
from wherefrom.core.errors import Diverged, Interrupted, UsageError
from wherefrom.core.memory import allocating
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.experiments.many_runs.stack_plan import (
    count_fitting,
    shape_of,
    why_one_by_one,
)
from wherefrom.experiments.one_run.execute import (
    Execution,
    check_predictors,
    execute,
    find_stored,
)
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.one_run.stage_training import CHUNKS, build_learner
from wherefrom.experiments.plan import Planned
from wherefrom.experiments.pool import Pool
from wherefrom.experiments.resources import usual_threads
from wherefrom.models.stacked import stack_models
from wherefrom.objectives.corpus import LARGE
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.workshop import LoadedText, Workshop
from wherefrom.training.loop import Finished, Observer, Training, train_several
from wherefrom.training.signals import StopSignal
from wherefrom.training.stack import Stack

# Makes an observer of the training loop from the names of the stages and a label.
Watch = Callable[[Sequence[str], str], AbstractContextManager[Observer]]
Tell = Callable[[str], None]  # receives a line that the user should read
MOST_MODELS = 1000
_WORTH_A_PROCESS = 5.0  # seconds of reading: a process that helps takes some to start


@dataclass(frozen=True)
class RunRequest:
    """A recipe to run into a folder; the label stands before what is said of it alone."""

    recipe: Recipe
    path: Path
    label: str = ""
    planned: Planned | None = None


def execute_all(
    requests: Sequence[RunRequest],
    most: int | None = None,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> list[Outcome]:
    """Run recipes, several at a time where that is faster; outcomes in the order of the requests.

    `most` is how many are trained together at most: None is as many as fit on a GPU. Elsewhere, and
    with 1, one is trained after the other. If some diverge, the others are finished first.
    """
    return _Queue(requests, most, watch, tell).run()


def check_most(most: int | None) -> None:
    if most is not None and not 1 <= most <= MOST_MODELS:
        raise UsageError(f"together: expected 1 to {MOST_MODELS:,} models, found {most}")


def check_apart(most: int | None, processes: int | None) -> None:
    """Models are trained as one step, or each by a process of its own."""
    check_most(most)
    if most not in (None, 1) and processes not in (None, 1):
        raise UsageError(
            "--together: expected no --processes beside it, which train each model in a process "
            f"of its own, found {processes}; leave one of them out"
        )


def is_stacked(workshop: Workshop, most: int | None) -> bool:
    """Whether models of a recipe are trained together, if `most` of them are asked for."""
    return most != 1 and why_one_by_one(workshop) is None


class _Queue:
    def __init__(
        self, requests: Sequence[RunRequest], most: int | None, watch: Watch | None, tell: Tell
    ) -> None:
        self.requests, self.most, self.watch, self.tell = requests, most, watch, tell
        self.outcomes: dict[Path, Outcome] = {}
        self.diverged: list[Diverged] = []

    def run(self) -> list[Outcome]:
        left = [request for request in self.requests if not self._is_stored(request)]
        while left:
            left = self._run_some(left)
        if self.diverged:
            others = f" ({len(self.diverged)} models diverged)" if len(self.diverged) > 1 else ""
            raise Diverged(f"{self.diverged[0]}{others}")
        return [self.outcomes[request.path] for request in self.requests]

    def _is_stored(self, request: RunRequest) -> bool:
        check_predictors(request.recipe)
        if (found := find_stored(RunFolder(request.path), request.recipe)) is None:
            return False
        self.outcomes[request.path] = found
        return True

    def _run_some(self, left: Sequence[RunRequest]) -> list[RunRequest]:
        """Run the first of the requests, with as many of the others as go together with it."""
        group = self._find_group(left)
        if not group:
            self._run_alone(left[0])
            return list(left[1:])
        self._run_group(left[: len(group)], group)
        rest = list(left[len(group) :])
        del group
        release_memory()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return rest

    def _find_group(self, left: Sequence[RunRequest]) -> list[Execution]:
        """The first of the requests and those that go together with it; none if it goes alone."""
        if len(left) == 1 or self.most == 1:
            return []
        planned = left[0].planned
        workshop = (planned and planned.workshop) or Workshop(left[0].recipe)
        if (count := self._count(workshop, len(left))) == 1:
            return []
        group = [first := self._open(left[0], workshop)]
        for other in self._open_all(left[1:count]):
            if shape_of(other.workshop) != shape_of(first.workshop):
                break  # the first of the next group
            group.append(other)
        return group if len(group) > 1 else []

    def _open(self, request: RunRequest, read: Workshop | None = None) -> Execution:
        planned = request.planned
        if read is not None:
            planned = replace(planned or Planned(request.recipe, None), workshop=read)
        return Execution(RunFolder(request.path), request.recipe, (), planned)

    def _open_all(self, requests: Sequence[RunRequest]) -> Iterator[Execution]:
        """Open them one by one; several processes read the texts of all but the first if that is
        worth it, by the seconds that the first takes."""
        began = monotonic()
        opened = self._open(requests[0])
        yield opened
        others, documents = requests[1:], len(opened.workshop.dataset.documents)
        seconds = (monotonic() - began) * len(others)
        processes = min(usual_threads(), int(seconds / _WORTH_A_PROCESS))
        found: Iterable[Workshop | None] = repeat(None)
        read = any(r.planned and r.planned.workshop for r in others)
        if processes > 1 and documents < LARGE and not read:
            found = read_ahead([request.recipe for request in others], processes)
        yield from map(self._open, others, found)

    def _count(self, workshop: Workshop, asked: int) -> int:
        """How many of the `asked` models are trained together; the workshop is the first's."""
        if reason := why_one_by_one(workshop):
            if self.most is not None:
                self.tell(f"one model after the other: {reason}")
            self.most = 1
            return 1
        fitting = count_fitting(workshop)
        count = min(asked, self.most or asked, fitting)
        if fitting < min(asked, self.most or asked):
            self.tell(f"memory has room for {fitting} of {asked} models: {fitting} at a time")
        return count

    def _run_alone(self, request: RunRequest) -> None:
        names = [stage.name for stage in request.recipe.stages]
        with self.watch(names, request.label) if self.watch else nullcontext() as observer:
            observers = [observer] if observer else []
            try:
                found = execute(request.recipe, request.path, observers, request.planned)
            except Interrupted as stopped:  # of several runs, say which one
                message, number = f"{request.label}{stopped}", stopped.exit_code - 128
                raise Interrupted(message, number) from stopped
            self.outcomes[request.path] = found

    def _run_group(self, requests: Sequence[RunRequest], group: Sequence[Execution]) -> None:
        names = [stage.name for stage in requests[0].recipe.stages]
        label = f"{len(group)} models together, "
        with ExitStack() as held:
            observer = held.enter_context(self.watch(names, label)) if self.watch else None
            for request in requests:
                held.enter_context(lock_folder(request.path))
            # Another process may have finished some of them in the meantime.
            open_ = [
                pair for pair in zip(requests, group, strict=True) if not self._is_stored(pair[0])
            ]
            trained = _Group([execution for _, execution in open_], observer).train()
            for (request, _), found in zip(open_, trained, strict=True):
                if isinstance(found, Diverged):
                    self.diverged.append(Diverged(f"{request.path}: {found}"))
                else:
                    self.outcomes[request.path] = found


class _Group:
    """Runs that are trained together; each has its share of the time that they take."""

    def __init__(self, executions: Sequence[Execution], observer: Observer | None) -> None:
        self.executions, self.observer = executions, observer
        self.diverged: dict[int, Diverged] = {}
        self.began = min((e.started for e in executions), default=monotonic())

    def train(self) -> list[Outcome | Diverged]:
        """Train every stage of all runs, then evaluate them one by one."""
        for execution in self.executions:
            execution.begin()
        with StopSignal() as stop:
            for stage in self.executions[0].recipe.stages if self.executions else ():
                try:
                    self._train_stage(stage, stop)
                finally:
                    release_memory()
                    self._share_time()
                    for execution in self.executions:
                        execution.write_unfinished()
            if stop.number is not None:
                raise self.executions[0].stopped_after_training(stop.number)
        seconds = (monotonic() - self.began) / max(1, len(self.executions))
        found: list[Outcome | Diverged] = []
        for k, execution in enumerate(self.executions):
            execution.count_seconds(seconds)
            found.append(self.diverged[k] if k in self.diverged else execution.conclude())
        return found

    def _share_time(self) -> None:
        for execution in self.executions:
            execution.count_seconds((monotonic() - self.began) / len(self.executions))

    def _train_stage(self, stage: Stage, stop: StopSignal) -> None:
        together = self._find_untrained(stage, stop)
        if not together:
            return
        size = f"stages.{stage.name}, with {len(together)} models of batch={stage.batch}"
        with allocating(size, f"train fewer at a time (--together {max(1, len(together) // 2)})"):
            found = self._train_models(stage, together, stop)
        for k, (model, finished) in zip(together, found, strict=True):
            if isinstance(finished, Diverged):
                self.diverged[k] = finished
            else:
                self.executions[k].keep(stage, model, finished)

    def _find_untrained(self, stage: Stage, stop: StopSignal) -> list[int]:
        """The executions that have steps of a stage to take."""
        found: list[int] = []
        for k, execution in enumerate(self.executions):
            if k in self.diverged or stage.name in execution.trained:
                continue
            if execution.steps_left(stage) > 0:
                found.append(k)
            else:  # it was trained before a stop; its last checkpoint is read
                execution.train(stage, stop)
        return found

    def _train_models(
        self, stage: Stage, members: Sequence[int], stop: StopSignal
    ) -> list[tuple[Any, Finished | Diverged]]:
        models: list[Any] = []
        trainings: list[Training] = []
        for k in members:
            execution = self.executions[k]
            own = execution.recipe.stage(stage.name)
            if self.observer is not None and k == members[0]:
                execution.observers = [GroupObserver(self.observer, len(members))]
            start, probe, loop = execution.prepare(own)
            execution.observers = ()
            model, learner = build_learner(execution.workshop, own, start)
            if probe is not None:
                loop["observers"] = [*loop["observers"], probe(model)]
            models.append(model)
            trainings.append(Training(learner, own.steps, own.name, **loop))
        chunk = CHUNKS[self.executions[members[0]].workshop.device.type]
        learners: list[Any] = [training.learner for training in trainings]
        stack = Stack(stack_models(models), learners)
        stack.prepare(min(chunk, stage.steps))
        found = train_several(trainings, stack.advance, stop=stop, chunk=chunk)
        return list(zip(models, found, strict=True))


class GroupObserver:
    """Reports the training of a group as that of one model: the time is that of all models."""

    def __init__(self, observer: Observer, models: int) -> None:
        self.observer, self.models = observer, models

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        self.observer.started(name, first_step, steps, skipped)

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        self.observer.advanced(name, step, steps, metrics, seconds * self.models)

    def finished(self, name: str, step: int, seconds: float) -> None:
        self.observer.finished(name, step, seconds * self.models)

    def say(self, text: str) -> None:
        if (say := getattr(self.observer, "say", None)) is not None:
            say(text)


def read_ahead(recipes: Sequence[Recipe], processes: int) -> Iterator[Workshop]:
    """A workshop for each recipe, in order, its text read by one of several processes.

    Models that are trained together are trained fast; one process that reads a text for each of
    them, one after the other, would then be what takes longest.
    What they cannot read is left to the reader of the workshop, who then says what is wrong.
    """
    waiting = list(enumerate(recipes))
    found: dict[int, LoadedText | None] = {}
    with Pool(min(processes, len(recipes)), threads=1, gpus=0, saves=False) as pool:
        for i, recipe in enumerate(recipes):
            while i not in found:
                while waiting and pool.has_room():
                    number, other = waiting.pop(0)
                    pool.give(number, _read, structs.replace(other, device="cpu"))
                if not (ended := pool.wait()):
                    break  # all processes are gone
                found |= {number: each.value for number, each in ended.items()}
            yield Workshop(recipe, reading=found.pop(i, None))


def _read(recipe: Recipe) -> LoadedText:
    workshop = Workshop(recipe)
    workshop.objective(recipe.stages[0])
    if recipe.notes:
        _ = workshop.material.notes  # the reader of the workshop does not take them again
    return workshop.reading()
