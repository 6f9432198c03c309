"""Running a recipe into a folder: train each stage, keep the models, put them to the tasks.

Whatever is already there is not done again: the same call continues an unfinished folder and
only reads a finished one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from wherefrom.audit.asking import Asker, learn_doubt, report_doubt, write_doubt
from wherefrom.core.artifact import lock_folder, sweep
from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import Interrupted, UsageError, nearest
from wherefrom.core.recipe import Recipe, Stage, Task
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.evaluator import Prediction, Score, evaluate_answers, evaluate_text
from wherefrom.evaluation.mistakes import sort_mistakes
from wherefrom.evaluation.places import PlaceMatch, place_aware_accuracy
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.objectives.spans import SpanCorruptionConfig
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.kinds import data_identity, recipe_identity
from wherefrom.runs.run import Run, copy_weights, load_weights, model_identity, open_run
from wherefrom.runs.workshop import Workshop, use_threads
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Finished, Observer, train
from wherefrom.training.signals import StopSignal

PLACE_AWARE = ", place-aware"
CHUNKS = {"cpu": 20, "cuda": 100}  # steps between two looks at what the learner did


@dataclass(frozen=True)
class Outcome:
    """What a run came to, as `--json` prints it."""

    recipe: str
    run: str
    seconds: float
    results: dict[str, Any]
    reused: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "recipe": self.recipe, "run": self.run,
            "seconds": self.seconds, "results": self.results,
        }  # fmt: skip


def execute(recipe: Recipe, path: Path, observers: Sequence[Observer] = ()) -> Outcome:
    _check_predictors(recipe)
    folder = RunFolder(path)
    if outcome := _stored(folder, recipe):
        return outcome
    folder.create()
    with lock_folder(path):  # another process may have finished it meanwhile
        return _stored(folder, recipe) or _Execution(folder, recipe, observers).finish()


def _check_predictors(recipe: Recipe) -> None:
    """Before anything is trained: a misspelt predictor should not cost the training."""
    known = [*BASELINES, *(m.name for m in recipe.models)]
    for name in (name for task in recipe.tasks for name in task.predictors):
        if name not in known:
            raise UsageError(
                f"predictor '{name}': no such model or baseline; {nearest(name, known)}"
            )


def evaluate_run(path: Path) -> Outcome:
    """Score a finished run's models again; what it says of them is written anew."""
    run = open_run(path)
    run.require_finished()
    use_threads(run.recipe.threads)
    with lock_folder(path):
        results = evaluate(run)
        run.folder.write_status(run.status | {"results": results})
    return Outcome(run.recipe.name, str(path), run.status["seconds"], results, True)


def _stored(folder: RunFolder, recipe: Recipe) -> Outcome | None:
    """The outcome of a folder that is finished; raises if it holds another recipe."""
    if not folder.exists():
        return None
    folder.check_recipe(recipe)
    status = folder.read_status()
    if status["state"] != "finished":
        return None
    return Outcome(recipe.name, str(folder.path), status["seconds"], status["results"], True)


class _Execution:
    def __init__(self, folder: RunFolder, recipe: Recipe, observers: Sequence[Observer]) -> None:
        self.folder, self.recipe, self.observers = folder, recipe, observers
        self.workshop = Workshop(recipe)
        self.before = float(folder.read_status().get("seconds", 0.0))
        self.started = monotonic()

    @property
    def seconds(self) -> float:
        """Wall-clock seconds of this call and the interrupted ones before it."""
        return round(self.before + monotonic() - self.started, 2)

    def finish(self) -> Outcome:
        use_threads(self.recipe.threads)
        home = self.folder.path
        for folder in (home, *home.glob("*/"), *home.glob("stages/*/")):
            sweep(folder)
        if not self.folder.exists():
            self.folder.write_recipe(self.recipe)
        self.folder.keep_data(self.workshop.dataset, self.workshop.vocabulary)
        with StopSignal() as stop:
            for stage in self.recipe.stages:
                try:
                    self._train(stage, stop)
                finally:
                    self.folder.write_status({"state": "unfinished", "seconds": self.seconds})
            if stop.number is not None:  # it came after the last step
                raise Interrupted(
                    f"{self.folder.path}: stopped after training; the same command evaluates it",
                    stop.number,
                )
        run = Run(self.folder, self.recipe)
        run.workshop = self.workshop
        results = evaluate(run)
        status = {"state": "finished", "seconds": self.seconds, "results": results}
        self.folder.write_status(status)
        return Outcome(self.recipe.name, str(self.folder.path), status["seconds"], results)

    def _train(self, stage: Stage, stop: StopSignal) -> None:
        workshop = self.workshop
        start = self._final_weights(stage.start_from) if stage.start_from else None
        trained = train_stage(
            workshop,
            stage,
            start,
            checkpoints=self._checkpoints(stage),
            checkpoint_seconds=stage.checkpoint_seconds,
            metrics_path=self.folder.stage(stage.name) / "metrics.jsonl",
            observers=self.observers,
            stop=stop,
        )
        identity = model_identity(workshop.model_config, workshop.vocabulary)
        arrays = copy_weights(workshop.family.weights(trained.model))
        for entry in self.recipe.models:
            if entry.stage == stage.name:
                facts = {"identity": identity, "stage": stage.name, "recipe": self.recipe.name}
                self.folder.write_model(entry.name, arrays, facts)

    def _checkpoints(self, stage: Stage) -> Checkpoints:
        workshop = self.workshop
        identity = {
            "recipe": self.recipe.name, "seed": self.recipe.seed,
            "data": data_identity(self.recipe.data), "stage": recipe_identity(stage),
            **model_identity(workshop.model_config, workshop.vocabulary),
        }  # fmt: skip
        return Checkpoints(self.folder.stage(stage.name) / "checkpoints", identity)

    def _final_weights(self, stage_name: str) -> dict[str, Any]:
        found = self._checkpoints(self.recipe.stage(stage_name)).latest()
        assert found is not None, f"stage {stage_name} comes first and leaves a checkpoint"
        names = {k: v for k, v in found.state.arrays.items() if k.startswith("model.")}
        return {k.removeprefix("model."): v for k, v in names.items()}


@dataclass(frozen=True)
class Trained:
    """A stage's model, the seconds of its steps, and those of making ready for them."""

    model: Any
    finished: Finished
    preparing: float


def train_stage(
    workshop: Workshop, stage: Stage, start: dict[str, Any] | None = None, **loop: Any
) -> Trained:
    """Train one stage from weights or from nothing; `loop` goes to the training loop."""
    model = workshop.new_model(stage)
    if start is not None:
        load_weights(workshop.family.weights(model), start)
    learner, began = workshop.learner(stage, model), monotonic()
    prepare = getattr(learner, "prepare", None)
    chunk = CHUNKS.get(workshop.device.type, CHUNKS["cpu"])
    if prepare is not None:
        prepare(min(chunk, stage.steps))
    preparing = monotonic() - began
    finished = train(learner, stage.steps, name=stage.name, chunk=chunk, **loop)
    return Trained(model, finished, preparing)


def evaluate(run: Run) -> dict[str, Any]:
    """Every predictor's score on every task, and what the threshold does, by name."""
    results: dict[str, Any] = {}
    for i, task in enumerate(run.recipe.tasks):
        for name in task.predictors:
            key = name if i == 0 else f"{task.name}.{name}"
            results |= evaluate_task(run, task, name, key)
    if run.recipe.abstain:
        results |= set_threshold(run)
    return results


def evaluate_task(run: Run, task: Task, name: str, key: str) -> dict[str, Any]:
    """One predictor's scores on one task; its predictions go into the run folder."""
    predictor = _predictor(run, name)
    if task.measure == "perplexity":
        text = run.workshop.family.held_out_text
        assert text is not None, f"{run.recipe.model.kind} has no text to be scored on"
        return {key: evaluate_text(predictor, text(run.dataset, run.vocabulary)).as_json()}
    put = put_task(task, predictor, run.dataset, reach(run.recipe.model))
    if put.predictions:
        run.folder.write_predictions(name, task.name, put.predictions)
    run.folder.write_answers(name, task.name, put.answers)
    return {f"{key}{suffix}": score.as_json() for suffix, score in put.scores.items()}


@dataclass(frozen=True)
class Put:
    """What a predictor said to a task's questions; scores by what their name ends in."""

    answers: list[str]
    predictions: list[Prediction]
    scores: dict[str, Score]


def put_task(task: Task, predictor: Any, dataset: Dataset, reach: int) -> Put:
    """Ask a task's questions; those whose answer nobody here knows are not scored."""
    questions = dataset.select(task.split, task.support)
    if isinstance(predictor, ModelAnswerer):
        predictor = predictor.searching(task.beams)
    if task.measure == "predictions":
        answers = predictor.answer([q.text for q in questions])
        return Put([a.text for a in answers], [], {})
    score, predictions = evaluate_answers(predictor, questions)
    scores = {"": score}
    if task.place_aware:
        mistakes = sort_mistakes(predictions, dataset, reach).as_json()
        scores[""] = replace(score, details=score.details | {"mistakes": mistakes})
        scores[PLACE_AWARE] = place_aware_accuracy(predictions, PlaceMatch(dataset))
    return Put([p.answer.text for p in predictions], predictions, scores)


def reach(model: Any) -> int:
    """Characters of a line that a row of the course's form can show."""
    return int(getattr(model, "block_size", 0) * SpanCorruptionConfig.longest)


def set_threshold(run: Run) -> dict[str, Any]:
    """Learn on calibration people when to answer; what that does to held-out people."""
    dataset: Dataset = run.dataset
    every = ("stated", "omitted", "none")
    asker = Asker(run.predictor(), dataset.documents, dataset.asked)
    doubt = learn_doubt(asker, dataset.select("calibration", every), run.recipe.precision)
    write_doubt(run.path, doubt)
    groups = {support: dataset.select("held-out", (support,)) for support in every}
    return {k: v.as_json() for k, v in report_doubt(asker, doubt, groups).items()}


def _predictor(run: Run, name: str) -> Any:
    if name in {m.name for m in run.recipe.models}:
        return run.predictor(name)
    return BASELINES[name](run.dataset, run.vocabulary)
