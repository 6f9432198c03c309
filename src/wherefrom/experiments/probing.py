"""Scoring a model on a task during training: one row per epoch."""

from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.core.config import to_json
from wherefrom.core.files import append_jsonl, read_jsonl, write_jsonl
from wherefrom.core.recipe import Stage
from wherefrom.evaluation.evaluator import evaluate_answers
from wherefrom.runs.workshop import Workshop

PROBES = "probes.jsonl"


class Probe:
    """An observer of the training loop that scores the model once in each epoch.

    It does so at the end of the epoch's first chunk. A run that continues from a checkpoint drops
    the rows of later steps and makes them again, as it does with the metrics.
    """

    def __init__(self, workshop: Workshop, stage: Stage, path: Path, model: Any) -> None:
        self.path, self.model, self.workshop = path, model, workshop
        task = next(task for task in workshop.recipe.tasks if task.name == stage.probe)
        self.questions = workshop.dataset.select(task.split, task.support)
        self.rows_a_step, self.items = stage.batch, workshop.objective(stage).items
        self.epoch = 0

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        rows = read_jsonl(self.path) if self.path.exists() else []
        kept = [row for row in rows if row["step"] <= first_step]
        if len(kept) < len(rows):
            write_jsonl(self.path, kept)
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
        append_jsonl(self.path, [row | to_json(score)], sync=True)

    def finished(self, name: str, step: int, seconds: float) -> None:
        pass

    def _epochs(self, step: int) -> int:
        """How many whole epochs lie before the step."""
        return step * self.rows_a_step // self.items
