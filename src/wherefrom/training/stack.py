"""Several learners whose models have one shape, taking their steps as one.

The stacked model computes the losses of all models at once; their sum is differentiated, so that
no gradient mixes. Clipping, the flag of what is not finite, moments, rates and draws are each
model's own. A model need not be at the same step as the others; one that is done or has diverged is
passed over.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from torch import nn

from wherefrom.core.contracts import never
from wherefrom.training.captured import CapturedSteps, Places
from wherefrom.training.stacked_weights import StackedWeights
from wherefrom.training.torch_learner import TorchLearner, read_metrics

Metrics = dict[str, np.ndarray]


class Stack:
    """Takes the steps of K learners, which keep their models and states as parts of the stack.

    `model` is their models stacked (models/stacked.py).
    """

    def __init__(self, model: nn.Module, learners: Sequence[TorchLearner]) -> None:
        self.model, self.learners, stage = model, learners, learners[0].stage
        objectives: list[Any] = [each.objective for each in learners]
        self.captured = CapturedSteps(
            model,
            objectives,
            StackedWeights(model, learners),
            clip=stage.clip,
            arithmetic=stage.arithmetic,
            steps=stage.steps,
        )

    def prepare(self, count: int) -> None:
        """Make ready for chunks of `count` steps, so that the first is as fast as any."""
        self.model.train()
        self.captured.prepare(count)

    def advance(
        self, places: Places, count: int, stopped: Callable[[], bool] = never
    ) -> list[Metrics | None]:
        """Take `count` steps of each model from its own place on; metrics as a learner's.

        The place of a model that is passed over is None, and so are its metrics.
        """
        self.model.train()
        # One that is passed over has the factors and seeds of its first steps, in vain.
        paces = [own.pace(p or 0, count) for own, p in zip(self.learners, places, strict=True)]
        factors, seeds = (list(zip(*part, strict=True)) for part in zip(*paces, strict=True))
        found = self.captured.run(places, count, factors, seeds).cpu()
        return [
            None if place is None else read_metrics(rows)
            for place, rows in zip(places, found.unbind(1), strict=True)
        ]
