"""Scoring a model during training: on a task once in each epoch, or on a few questions.

At the end the same questions say what the model lacks, if anything, and what would help.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.answering.policy import find_policy, open_as_stored
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.recipe import Stage
from wherefrom.core.row_log import RowLog
from wherefrom.evaluation.evaluator import evaluate_answers
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.runs.opened_run import Run
from wherefrom.runs.workshop import Workshop
from wherefrom.training.loop import Observer

PROBES = "probes.jsonl"
TIMES = 8  # that a stage's model is asked while it trains
_WELL = 0.95  # a model that answers this share of the questions lacks nothing
_COUNT = 200  # questions that are asked at the end
_APART = 0.1  # the least difference that says something
_MORE = 2.5  # times the minutes that are advised


@dataclass(frozen=True)
class Glance:
    """How many of a few questions a model answers: those it is trained on, and others."""

    asked: int
    trained: float
    calibration: float

    def __str__(self) -> str:
        return (
            f"calibration questions {self.calibration:.0%}, trained questions {self.trained:.0%} "
            f"({self.asked} of each)"
        )


class Watch(Observer):
    """An observer that asks a few questions now and then, and tells the other observers.

    It asks calibration questions whose answer the text states, and as many that are trained on.
    It draws nothing and changes nothing, so a run that is watched has the same bits. What it sees
    is kept in the file `path`, for the report.
    """

    def __init__(
        self,
        workshop: Workshop,
        stage: Stage,
        count: int,
        told: Sequence[Observer],
        model: Any,
        path: Path,
    ) -> None:
        self.model, self.workshop, self.steps, self.told = model, workshop, stage.steps, told
        self.log = RowLog(path)
        self.questions = choose_questions(workshop.dataset, count)
        self.part = 0

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        # The run may have stopped within a chunk at whose end it would have looked.
        rows = self.log.rows  # those up to the checkpoint
        self.part = rows[-1]["step"] * TIMES // steps if rows else 0

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        part = step * TIMES // steps
        if part == self.part or step == steps or not all(self.questions.values()):
            return
        self.part = part
        glance = self.look()
        self.log.append([{"step": step, **to_json(glance)}])
        for observer in self.told:
            if say := getattr(observer, "say", None):
                say(f"{name}: step {step} of {steps}: {glance}")

    def look(self) -> Glance:
        """Ask the questions now, greedily."""
        self.model.eval()
        return glance(self.workshop.predictor(self.model), self.questions)


def choose_questions(dataset: Dataset, count: int) -> dict[str, tuple[Question, ...]]:
    """Some calibration questions whose answer the text states, and some that are trained on."""
    return {split: _spread(dataset.select(split), count) for split in ("calibration", "asked")}


def glance(answerer: Any, questions: Mapping[str, Sequence[Question]]) -> Glance:
    """How many of these questions are answered right, greedily."""
    if isinstance(answerer, ModelAnswerer):
        answerer = answerer.searching(1)
    shares = {
        split: evaluate_answers(answerer, those)[0].value for split, those in questions.items()
    }
    return Glance(len(questions["calibration"]), shares["asked"], shares["calibration"])


def _spread(questions: Sequence[Question], count: int) -> tuple[Question, ...]:
    """`count` questions, evenly spaced: of every relation, if they take turns."""
    if len(questions) <= count:
        return tuple(questions)
    return tuple(questions[i * len(questions) // count] for i in range(count))


def advise(run: Run, minutes: float | None, enough: float = 0.0) -> str:
    """Compare questions that were trained on with calibration questions; "" if all is well.

    `minutes` is the time that was planned, None if the user set the steps; `enough` is what the
    plan said would be enough, if it said so.
    """
    questions = choose_questions(run.dataset, _COUNT)
    if not all(questions.values()):
        return ""
    answerer = open_as_stored(run, find_policy(run)).answerer  # asked as the results were
    return sentence(glance(answerer, questions), minutes, enough)


def sentence(found: Glance, minutes: float | None, enough: float = 0.0) -> str:
    """What the two shares mean; minutes are named only if the user did not set the steps."""
    trained, others = found.trained, found.calibration
    if others >= _WELL:
        return ""
    shares = f"trained questions {trained:.0%}, calibration questions {others:.0%}"
    longer = enough or round(max((minutes or 0) * _MORE, 1))
    more = "more steps" if minutes is None else f"--minutes {longer:g}"
    if trained < _WELL:  # it does not know the questions that it was taught, let alone others
        return f"{shares}: it has not finished learning; more reading will help: {more}"
    if trained - others > _APART:
        return f"{shares}: it has learnt the questions by heart; more reading will help: {more}"
    return f"{shares}: more reading may help: {more}"


class Probe(Observer):
    """An observer of the training loop that scores the model once in each epoch.

    It does so at the end of the epoch's first chunk. A run that continues from a checkpoint drops
    the rows of later steps and makes them again, as it does with the metrics.
    """

    def __init__(self, workshop: Workshop, stage: Stage, path: Path, model: Any) -> None:
        self.log, self.model, self.workshop = RowLog(path), model, workshop
        task = next(task for task in workshop.recipe.tasks if task.name == stage.probe)
        self.questions = workshop.dataset.scored(task.split, task.support)
        self.rows_a_step, self.items = stage.batch, workshop.objective(stage).items
        self.epoch = 0

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        # The run may have stopped after the epoch's end, but within the chunk that probes it.
        rows = self.log.rows  # those up to the checkpoint
        self.epoch = self._epochs(rows[-1]["step"]) if rows else 0

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        if self._epochs(step) == self.epoch:
            return
        self.epoch = self._epochs(step)
        self.model.eval()
        score, _ = evaluate_answers(self.workshop.predictor(self.model), self.questions)
        row = {"step": step, "epoch": round(step * self.rows_a_step / self.items, 1)}
        self.log.append([row | to_json(score)])

    def _epochs(self, step: int) -> int:
        """How many whole epochs lie before the step."""
        return step * self.rows_a_step // self.items
