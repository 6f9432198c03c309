"""Scoring a model during training: on a task once in each epoch, or on a few questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.core.config import to_json
from wherefrom.core.contracts import Question
from wherefrom.core.files import parse_jsonl
from wherefrom.core.inside import read_regular
from wherefrom.core.recipe import Stage
from wherefrom.core.row_log import RowLog
from wherefrom.evaluation.evaluator import evaluate_answers
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.workshop import Workshop
from wherefrom.training.loop import Observer

PROBES = "probes.jsonl"
TIMES = 8  # that a stage's model is asked while it trains


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


class Watch:
    """An observer that asks a few questions now and then, and tells the other observers.

    It asks calibration questions whose answer the text states, and as many that are trained on.
    It draws nothing and changes nothing, so a run that is watched has the same bits.
    """

    def __init__(
        self, workshop: Workshop, stage: Stage, count: int, told: Sequence[Observer], model: Any
    ) -> None:
        self.model, self.workshop, self.steps, self.told = model, workshop, stage.steps, told
        dataset = workshop.dataset
        self.questions = {
            split: _spread(dataset.select(split), count) for split in ("calibration", "asked")
        }
        self.part = 0

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        self.part = first_step * TIMES // steps

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        part = step * TIMES // steps
        if part == self.part or step == steps or not all(self.questions.values()):
            return
        self.part = part
        glance = self.look()
        for observer in self.told:
            if say := getattr(observer, "say", None):
                say(f"{name}: step {step} of {steps}: {glance}")

    def finished(self, name: str, step: int, seconds: float) -> None:
        pass

    def look(self) -> Glance:
        """Ask the questions now, greedily."""
        self.model.eval()
        answerer = self.workshop.predictor(self.model)
        if isinstance(answerer, ModelAnswerer):
            answerer = answerer.searching(1)
        shares = {
            split: evaluate_answers(answerer, questions)[0].value
            for split, questions in self.questions.items()
        }
        return Glance(len(self.questions["calibration"]), shares["asked"], shares["calibration"])


def _spread(questions: Sequence[Question], count: int) -> tuple[Question, ...]:
    """So many of the questions, from all over the list: of every relation, if they take turns."""
    if len(questions) <= count:
        return tuple(questions)
    return tuple(questions[i * len(questions) // count] for i in range(count))


class Probe:
    """An observer of the training loop that scores the model once in each epoch.

    It does so at the end of the epoch's first chunk. A run that continues from a checkpoint drops
    the rows of later steps and makes them again, as it does with the metrics.
    """

    def __init__(self, workshop: Workshop, stage: Stage, path: Path, model: Any) -> None:
        self.log, self.model, self.workshop = RowLog(path), model, workshop
        task = next(task for task in workshop.recipe.tasks if task.name == stage.probe)
        self.questions = workshop.dataset.select(task.split, task.support)
        self.rows_a_step, self.items = stage.batch, workshop.objective(stage).items
        self.epoch = 0

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        # The loop has dropped the rows of later steps.
        path = self.log.path
        kept = parse_jsonl(read_regular(path), str(path)) if path.exists() else []
        # The run may have stopped after the epoch's end, but within the chunk that probes it.
        self.epoch = self._epochs(kept[-1]["step"]) if kept else 0

    def advanced(
        self, name: str, step: int, steps: int, metrics: dict[str, np.ndarray], seconds: float
    ) -> None:
        if self._epochs(step) == self.epoch:
            return
        self.epoch = self._epochs(step)
        self.model.eval()
        score, _ = evaluate_answers(self.workshop.predictor(self.model), self.questions)
        row = {"step": step, "epoch": round(step * self.rows_a_step / self.items, 1)}
        self.log.append([row | to_json(score)], sync=True)

    def finished(self, name: str, step: int, seconds: float) -> None:
        pass

    def _epochs(self, step: int) -> int:
        """How many whole epochs lie before the step."""
        return step * self.rows_a_step // self.items
