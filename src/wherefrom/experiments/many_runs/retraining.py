"""Training a run's model again on edited text, without some people.

Each retrained model has a run folder of its own under the run's audit/retrained/, so its training
can be stopped and continued like any other. `memorisation/` compares these models with the run's
own.
"""

from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import cannot_write
from wherefrom.core.recipe import ModelEntry, Recipe
from wherefrom.data.edited import EditedConfig
from wherefrom.experiments.clock import replay
from wherefrom.experiments.many_runs.stacked_runs import (
    RunRequest,
    Tell,
    Watch,
    execute_all,
    is_stacked,
)
from wherefrom.experiments.many_runs.workers import Job, Workers
from wherefrom.experiments.resources import share_threads, usual_threads
from wherefrom.memorisation.counterfactual import measured_models
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run

FOLDER = "retrained"
MOST_PAIRS = 8  # pairs of retrained models, unless more are asked for; fewer give rough labels
_HALVES = ("first", "second")
_SHARE_OF_ALONE = 0.5  # of the time alone that a model takes in a group on a GPU, at most
_FIRST_SEED = 2**20  # retraining uses seeds far from those that people choose


def why_not_retrainable(run: Run) -> WherefromError | None:
    """Why no model can be retrained to compare it with the run's own; None if it can.

    If the text has changed, a retrained model would differ for this reason too.
    """
    try:
        run.read_source()
    except WherefromError as error:
        return type(error)(f"no model was retrained: {error}")
    return None


def retrain_pairs(
    run: Run,
    budget_minutes: float | None = None,
    watch: Watch | None = None,
    most: int = MOST_PAIRS,
    processes: int = 1,
    tell: Tell = lambda _: None,
    together: int | None = None,
) -> list[Run]:
    """Train pairs of models: one without the text of half the people, one without the other half.

    Pairs are trained until there are `most`, those of earlier calls included. With a budget, a
    further pair is trained only while the budget lasts, assuming that it takes as long as the
    slowest so far; at least one pair is trained. Several `processes` train as many models at once.
    One process trains models `together` as one step: as many as fit on a GPU, and one on a CPU, if
    `together` does not say otherwise.
    """
    queue = PairQueue(run, budget_minutes, most, processes)
    if processes > 1:
        threads = run.recipe.threads or share_threads(usual_threads(), processes)
        Workers(lambda: queue.next_job(threads), processes, threads, tell).run()
    else:
        stacked = is_stacked(run.workshop, together)
        while names := queue.next_group(most if stacked else 1):
            recipes = {name: _recipe_named(run, name) for name in names}
            retrain(run, recipes, watch, together if stacked else 1, tell)
    folders = [queue.folder(name) for name in queue.pairs[: 2 * queue.begun]]
    return [open_run(folder) for folder in folders if folder.exists()]


class PairQueue:
    """The models of the pairs, in order: which is to be trained next, if any.

    A model that was measured already need not be trained again, even if its folder is gone.
    """

    def __init__(
        self, run: Run, budget_minutes: float | None, most: int, processes: int = 1
    ) -> None:
        self.run, self.budget, self.processes = run, budget_minutes, processes
        self.pairs = [f"without-{pair}-{half}" for pair in range(most) for half in _HALVES]
        self.begun = 0  # pairs that are trained, or are being trained
        self._measured = measured_models(run.folder)
        self._waiting: list[str] = []
        self._began = monotonic()

    def folder(self, name: str) -> Path:
        return self.run.folder.locate(f"audit/{FOLDER}/{name}")

    def next_job(self, threads: int) -> Job | None:
        if (name := self.next_name()) is None:
            return None
        return Job(name, _retrain_named, (self.run.path, name, threads))

    def next_name(self) -> str | None:
        """The next model that is not finished; None if no pair is left, or no time for one."""
        self._waiting = self._waiting or self.next_group(1)
        return self._waiting.pop(0) if self._waiting else None

    def next_group(self, most: int) -> list[str]:
        """The models of the next pairs: at most so many, and as many as the budget has time for."""
        names: list[str] = []
        pairs = min(most, self._pairs_in_time())
        while 2 * self.begun < len(self.pairs) and pairs > 0:
            left = self._begin_pair()
            names += left
            pairs = pairs - 1 if left else min(most, self._pairs_in_time()) - len(names) // 2
        return names

    def _begin_pair(self) -> list[str]:
        """Those models of the next pair that are neither measured nor finished."""
        pair = self.pairs[2 * self.begun : 2 * self.begun + 2]
        self.begun += 1
        left = [name for name in pair if name not in self._measured]
        return [name for name in left if not _finished(self.folder(name))]

    def _pairs_in_time(self) -> int:
        """How many further pairs end within the budget, if each takes as long as the slowest.

        The first pair is trained in any case.
        """
        if self.budget is None:
            return len(self.pairs)
        slowest = max(map(self._seconds, self.pairs[: 2 * self.begun]), default=0.0)
        if not slowest:  # the run itself was trained alone, which takes longer
            slowest = _SHARE_OF_ALONE * float(self.run.status.get("seconds", 0.0))
        pair = max(slowest, 0.1) * (1 if self.processes > 1 else 2)
        left = 60 * self.budget - (monotonic() - self._began)
        return max(int(left / pair), 0 if self.begun else 1)

    def _seconds(self, name: str) -> float:
        """How long a model took to train; 0 if it is not there, or not finished."""
        folder = self.folder(name)
        return float(open_run(folder).status["seconds"]) if _finished(folder) else 0.0


def retrain(
    run: Run,
    recipes: Mapping[str, Recipe],
    watch: Watch | None = None,
    most: int | None = 1,
    tell: Tell = lambda _: None,
) -> list[Run]:
    """Train recipes into the run's folder of retrained models, by their names there.

    Finished runs are only opened. At `most` so many are trained together: see `execute_all`.
    """
    requests: list[RunRequest] = []
    for name, recipe in recipes.items():
        path = run.folder.locate(f"audit/{FOLDER}/{name}")
        with cannot_write(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        requests.append(RunRequest(recipe, path, f"{name}, "))
    if not all(_finished(request.path) for request in requests):
        run.read_source()  # raises if the text has changed: see `why_not_retrainable`
    execute_all(requests, most, watch, tell)
    return [open_run(request.path) for request in requests]


def _retrain_named(path: Path, name: str, threads: int) -> None:
    """Train the model of a pair by its name ("without-3-first"), with this number of threads."""
    run = open_run(path)
    retrain(run, {name: replace(_recipe_named(run, name), threads=threads)})


def find_retrained(run: Run) -> list[Run]:
    """The retrained models of a run; only complete pairs count."""
    place = run.folder.locate(f"audit/{FOLDER}")
    numbers = (folder.name.split("-")[1] for folder in place.glob("without-*-first/"))
    pairs = sorted(int(number) for number in numbers if number.isdecimal())
    folders = [[place / f"without-{pair}-{half}" for half in _HALVES] for pair in pairs]
    own = (pair for pair in folders if not any(folder.is_symlink() for folder in pair))
    return [open_run(folder) for pair in own if all(map(_finished, pair)) for folder in pair]


def leave_out_half(recipe: Recipe, pair: int, half: str) -> Recipe:
    """The recipe without the text of half the calibration and held-out people."""
    number = 2 * pair + (half == "second")
    edited = EditedConfig(recipe.data, world=recipe.seed, pair=pair, half=half)
    return _on_edited_text(recipe, edited, number)


def _recipe_named(run: Run, name: str) -> Recipe:
    _, pair, half = name.split("-")
    return leave_out_half(replay(run.folder, run.recipe), int(pair), half)


def _on_edited_text(recipe: Recipe, data: EditedConfig, number: int = 0) -> Recipe:
    """The recipe on edited text: only stages that lead to the primary model, and no tasks."""
    stages = recipe.chain()
    return replace(
        recipe,
        data=data,
        stages=tuple(s for s in recipe.stages if s in stages),
        models=(ModelEntry(recipe.primary, stages[-1].name),),
        tasks=(),
        abstain=False,
        seed=(recipe.seed + _FIRST_SEED + number) % 2**32,
    )


def _finished(folder: Path) -> bool:
    return RunFolder(folder).exists() and open_run(folder).finished
