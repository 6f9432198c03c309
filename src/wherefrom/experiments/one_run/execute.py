"""Running a recipe into a folder: train each stage, keep the models, score them on the tasks.

Nothing is done twice: the same call continues an unfinished run and only reads a finished one.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import structs

from wherefrom.core.artifact import lock_folder
from wherefrom.core.config import to_json
from wherefrom.core.environment import release_memory
from wherefrom.core.errors import (
    Damaged,
    Interrupted,
    MissingInput,
    UsageError,
    nearest,
)
from wherefrom.core.recipe import Experiment, Recipe, Stage
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.evaluation.baselines import BASELINES, OPEN_BOOK
from wherefrom.experiments.clock import Pace
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.experiments.one_run.probing import PROBES, Probe, Watch, advise
from wherefrom.experiments.one_run.run_evaluation import evaluate
from wherefrom.experiments.one_run.stage_training import train_stage
from wherefrom.experiments.plan import Planned, time_answers, time_following
from wherefrom.experiments.resources import require_threads, use_threads, usual_threads
from wherefrom.runs.families import data_identity, recipe_identity
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.kept_extractors import keep_extractors
from wherefrom.runs.layout import DATA, GLANCES, METRICS, NOTES, REPORT, RUN, STATUS
from wherefrom.runs.opened_run import Run, count_parameters, open_run
from wherefrom.runs.verification import find_spoilt
from wherefrom.runs.workshop import Workshop, model_identity
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Finished, Observer
from wherefrom.training.rank_group import current_ranks
from wherefrom.training.signals import StopSignal
from wherefrom.training.weights import copy_weights


def execute(
    recipe: Recipe,
    path: Path,
    observers: Sequence[Observer] = (),
    planned: Planned | None = None,
) -> Outcome:
    """Run a recipe into a folder; `planned` is the plan that the recipe comes from, if any."""
    check_predictors(recipe)
    folder = RunFolder(path)
    if outcome := find_stored(folder, recipe):
        return outcome
    # This reads the data; if they are missing or bad, no folder is created.
    execution = Execution(folder, recipe, observers, planned)
    with lock_folder(path):  # another process may have finished the run in the meantime
        found = find_stored(folder, recipe)
        if ranks := current_ranks():
            advice = "run the same command again"
            ranks.compare({"finished": found is not None}, "its copy of the run", advice)
        return found or execution.finish()


def check_predictors(recipe: Recipe) -> None:
    """Find a misspelt predictor before anything is trained."""
    known = [*BASELINES, OPEN_BOOK, *(m.name for m in recipe.models)]
    for name in (name for task in recipe.tasks for name in task.predictors):
        if name not in known:
            raise UsageError(
                f"predictor '{name}': no such model or baseline; {nearest(name, known)}"
            )


def evaluate_run(path: Path, threads: int | None = None) -> Outcome:
    """Score a finished run's models again, and store the new results.

    Predictions, policy and data that are damaged are made again; models are not.
    """
    run = open_run(path)
    if run.folder.is_sound(STATUS):
        run.require_finished()
    use_threads(threads, run.recipe.threads)
    with lock_folder(path):
        run.folder.clean_up()
        before = _stored_status(run.folder, run.recipe)
        if not all(run.folder.is_sound(name) for name in DATA if run.folder.has(name)):
            dataset = load_dataset(run.recipe.data, run.recipe.seed)
            run.folder.keep_data(dataset, Workshop(run.recipe, lambda: dataset).vocabulary)
        with run.folder.transaction():  # scores, predictions and policy are all of one evaluation
            results = evaluate(run)
            run.folder.write_status(before | {"results": results})
    changed = find_changed(before["results"], results)
    return Outcome(run.recipe.name, str(path), before["seconds"], results, True, changed)


def _stored_status(folder: RunFolder, recipe: Recipe) -> dict[str, Any]:
    """The status of a finished run, or what the rest of the folder says if it is damaged."""
    try:
        return folder.read_status()
    except Damaged:
        rows = [folder.read_metrics(stage.name) for stage in recipe.stages]
        seconds = sum(each[-1]["seconds"] for each in rows if each)
        return {"state": "finished", "seconds": round(seconds, 2), "results": {}}


def find_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of stored results that a new evaluation does not confirm."""
    return tuple(name for name in before if after.get(name) != before[name])


def find_stored(folder: RunFolder, recipe: Experiment) -> Outcome | None:
    """The outcome of a finished run; raises if the folder has another recipe or other data.

    The data are compared too, since a recipe only names files, and a file may have a new content.
    None if there is something to train, or to make again because it is damaged.
    """
    folder.refresh()
    if not folder.exists():
        return None
    folder.check_recipe(recipe)
    if find_spoilt(folder) - {REPORT}:
        return None
    status = folder.read_status()
    if status["state"] != "finished":
        return None
    if isinstance(recipe, Recipe):
        _check_data(folder, recipe)
    advice = str(status.get("advice", ""))
    seconds, results = status["seconds"], status["results"]
    return Outcome(recipe.name, str(folder.path), seconds, results, True, advice=advice)


def _check_data(folder: RunFolder, recipe: Recipe) -> None:
    """Compare the data with the run's; missing files are no mismatch if the settings agree."""
    try:
        folder.check_data(load_dataset(recipe.data, recipe.seed))
    except MissingInput:
        made = folder.read_recipe()
        if not isinstance(made, Recipe) or made.data != recipe.data:
            raise


class Execution:
    def __init__(
        self,
        folder: RunFolder,
        recipe: Recipe,
        observers: Sequence[Observer],
        planned: Planned | None = None,
    ) -> None:
        self.folder, self.recipe, self.observers = folder, recipe, observers
        self.plan = planned.plan if planned else None
        self.clock = planned.clock if planned else None
        began = self.clock.began if self.clock else monotonic()  # reading for the plan counts
        self.before, self.started = 0.0, began
        self.trained: frozenset[str] = frozenset()
        self.was_finished = False
        self.threads = 0
        self.models: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        require_threads(recipe.threads)
        self.workshop = (planned and planned.workshop) or Workshop(recipe)
        if recipe.notes and folder.is_sound(NOTES):
            self.workshop.material.bring(folder.read_notes())
        elif planned and planned.notes is not None:
            self.workshop.material.bring(planned.notes)
        elif recipe.notes:
            self.workshop.share_notes()
        # All raise before the folder is created if the data or word vectors do not fit the model.
        self.workshop.check_questions()
        self.workshop.objective(recipe.stages[0])
        self.workshop.new_model(recipe.stages[0])

    @property
    def seconds(self) -> float:
        """Wall-clock seconds of this call and of the interrupted calls before it."""
        return round(self.before + monotonic() - self.started, 2)

    def count_seconds(self, seconds: float) -> None:
        """Say how many seconds of this call are this run's own, where several share them."""
        self.started = monotonic() - seconds

    def finish(self) -> Outcome:
        """Train every stage, one after the other, and evaluate; needs the folder's lock."""
        self.begin()
        with StopSignal() as stop:
            for stage in self.stages_to_train():
                try:
                    self.train(stage, stop)
                finally:
                    release_memory()
                    self.write_unfinished()
            if (number := stop.agree()) is not None:
                raise self.stopped_after_training(number)
        return self.conclude()

    def begin(self) -> None:
        """Write what is known before anything is trained."""
        self.folder.clean_up()
        self.threads = use_threads(self.recipe.threads or self._earlier_threads())
        if self.folder.exists():
            made = self.folder.read_recipe()
            assert isinstance(made, Recipe)
            status = _stored_status(self.folder, made)
            self.was_finished = status["state"] == "finished"
            self.trained = self._find_trained(made) if self.was_finished else frozenset()
            self.before = 0.0 if self.clock else status.get("seconds", 0.0)  # the clock counts them
        self.write_unfinished()
        self.folder.keep_data(self.workshop.dataset, self.workshop.vocabulary)
        if self.recipe.notes and not self.folder.is_sound(NOTES):
            self.folder.write_notes(self.workshop.material.notes)
        if learnt := self.workshop.material.extractors:
            keep_extractors(self.folder, self.workshop.dataset, learnt)

    def stages_to_train(self) -> list[Stage]:
        """With a clock the primary model comes last, and has what is left of the time."""
        stages = [stage for stage in self.recipe.stages if stage.name not in self.trained]
        chain = self.recipe.chain() if self.clock else ()
        return sorted(stages, key=lambda stage: stage in chain)

    def stopped_after_training(self, number: int) -> Interrupted:
        return Interrupted(
            f"{self.folder.path}: stopped after training; run the same command again to "
            "evaluate it",
            number,
        )

    def conclude(self) -> Outcome:
        """Evaluate what was trained; the run is then finished."""
        run = Run(self.folder, self.recipe, self.workshop)
        with self.folder.transaction():  # a run is finished with all its results or not at all
            for name, (arrays, facts) in self.models.items():
                self.folder.write_model(name, arrays, facts)
            results = evaluate(run)
            release_memory()
            advice = self._advise(run)
            seconds = self.seconds
            status = {"state": "finished", "seconds": seconds, "results": results}
            self.folder.write_status(status | ({"advice": advice} if advice else {}))
        self._drop_checkpoints()
        return Outcome(self.recipe.name, str(self.folder.path), seconds, results, advice=advice)

    def _advise(self, run: Run) -> str:
        if self.plan is None:
            return ""
        return advise(run, self.plan.minutes, self.plan.enough or 0.0)

    def write_unfinished(self) -> None:
        """Say that the run is being made, and for how long.

        A finished run in which something was damaged can be asked until it is finished again.
        """
        if self.was_finished:
            return
        with self.folder.transaction():
            if not self.folder.has(RUN):
                self._write_recipe()
            self.folder.write_status({"state": "unfinished", "seconds": self.seconds})

    def _write_recipe(self) -> None:
        ranks = current_ranks()
        self.folder.write_recipe(
            self.recipe,
            self.threads,
            to_json(self.plan) if self.plan else None,
            ranks.size if ranks else 1,
        )

    def _find_trained(self, made: Recipe) -> frozenset[str]:
        """The stages of a finished run that need not be trained: nothing of them is damaged.

        A stage is trained again if one that starts from its weights is, and it has no checkpoint.
        """
        folder, spoilt = self.folder, find_spoilt(self.folder)
        again = {m.stage for m in made.models if any(f"models/{m.name}/" in n for n in spoilt)}
        again |= {name.split("/")[1] for name in spoilt if name.startswith("stages/")}
        again |= {m.stage for m in made.models if not folder.has_model(m.name)}
        again |= {s.name for s in made.stages if not folder.has(f"stages/{s.name}/{METRICS}")}
        for stage in reversed(made.stages):
            before = stage.start_from if stage.name in again else None
            if before and self._checkpoints(made.stage(before)).latest() is None:
                again.add(before)
        return frozenset(stage.name for stage in made.stages) - again

    def _drop_checkpoints(self) -> None:
        """Remove the checkpoints that a finished run has no use for.

        A checkpoint is three times as large as its model, which has its own folder. Only the
        primary model's last stage keeps its checkpoints.
        """
        kept = self.recipe.chain()[-1].name
        for stage in self.recipe.stages:
            if stage.name != kept:
                self._checkpoints(stage).remove_all()

    def _earlier_threads(self) -> int:
        """The number that an interrupted run began with, if there are as many here: sums are
        taken in its order, and a run that is resumed must end with the same bits."""
        return min(self.folder.read_threads(), usual_threads())

    def train(self, stage: Stage, stop: StopSignal) -> None:
        start, probe, loop = self.prepare(stage)
        pace = partial(self._pace, stage) if self.clock and not stage.rates else None
        trained = train_stage(self.workshop, stage, start, probe, pace=pace, stop=stop, **loop)
        self.keep(stage, trained.model, trained.finished)
        if pace:
            self._settle(structs.replace(stage, steps=trained.finished.step))

    def _pace(self, stage: Stage, model: Any) -> Pace:
        assert self.clock is not None
        workshop = self.workshop

        def follow() -> float:
            return time_following(workshop, time_answers(workshop, model))

        return self.clock.pace(stage, self.recipe, follow)

    def _settle(self, stage: Stage) -> None:
        """Write how many steps a stage took that followed the clock."""
        stages = (stage if s.name == stage.name else s for s in self.recipe.stages)
        self.recipe = structs.replace(self.recipe, stages=tuple(stages))
        self.workshop = self.workshop.refit(self.recipe)
        self._write_recipe()

    def prepare(self, stage: Stage) -> tuple[dict[str, Any] | None, Any, dict[str, Any]]:
        """The weights that a stage starts from, its probe, and options of the training loop."""
        workshop, place = self.workshop, f"stages/{stage.name}"
        start = self._final_weights(stage.start_from) if stage.start_from else None
        probe = None
        if stage.probe:
            probe = partial(Probe, workshop, stage, self.folder.locate(f"{place}/{PROBES}"))
        elif self.recipe.watch and stage in self.recipe.chain():
            path = self.folder.locate(f"{place}/{GLANCES}")
            probe = partial(Watch, workshop, stage, self.recipe.watch, self.observers, path=path)
        self.folder.unlist(f"{place}/")  # listed again at its end
        ranks = current_ranks()  # others save only the end of a stage, to start the next one from
        first = ranks is None or ranks.rank == 0
        loop = {
            "checkpoints": self._checkpoints(stage),
            "checkpoint_seconds": stage.checkpoint_seconds if first else inf,
            "metrics_path": self.folder.locate(f"{place}/{METRICS}"),
            "observers": self.observers,
        }
        return start, probe, loop

    def keep(self, stage: Stage, model: Any, finished: Finished) -> None:
        """Hold the model after a stage: it is written with all that is made with it."""
        workshop = self.workshop
        facts = {
            "identity": model_identity(workshop.config_of(stage), workshop.vocabulary),
            "stage": stage.name,
            "recipe": self.recipe.name,
            "parameters": count_parameters(model),
        }
        arrays = copy_weights(workshop.family.weights(model))
        held = {m.name: (arrays, facts) for m in self.recipe.models if m.stage == stage.name}
        self.models |= held
        with self.folder.transaction():
            for log in finished.logs:
                self.folder.write_text(f"stages/{stage.name}/{log.path.name}", log.text)

    def steps_left(self, stage: Stage) -> int:
        """Steps that the stage's newest checkpoint has not yet taken."""
        return stage.steps - self._checkpoints(stage).last_step()

    def _checkpoints(self, stage: Stage) -> Checkpoints:
        workshop = self.workshop
        identity = {
            "recipe": self.recipe.name,
            "seed": self.recipe.seed,
            "data": data_identity(self.recipe.data),
            "stage": recipe_identity(structs.replace(stage, steps=1, rates=())),
            **model_identity(workshop.config_of(stage), workshop.vocabulary),
        }
        return Checkpoints(self.folder.locate(f"stages/{stage.name}/checkpoints"), identity)

    def _final_weights(self, stage_name: str) -> dict[str, Any]:
        found = self._checkpoints(self.recipe.stage(stage_name)).latest()
        assert found is not None, f"stage {stage_name} comes first and leaves a checkpoint"
        names = {k: v for k, v in found.state.arrays.items() if k.startswith("model.")}
        return {k.removeprefix("model."): v for k, v in names.items()}
