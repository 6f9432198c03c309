"""Several learners whose models have one shape, taking their steps as one.

The stacked model computes the losses of all models at once; their sum is differentiated, so that
no gradient mixes. Clipping, the flag of what is not finite, moments, rates and draws are each
model's own. A model need not be at the same step as the others; one that is done or has diverged is
passed over.

Shapes: K models, B rows of each, T characters, N characters of each, C width.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.contracts import Batch, never
from wherefrom.training.captured import find_dropouts, products
from wherefrom.training.captured_stack import CapturedStack, Places, find_losses
from wherefrom.training.stacked_weights import StackedWeights
from wherefrom.training.torch_learner import TorchLearner, read_metrics

Metrics = dict[str, np.ndarray]


class Stack:
    """Takes the steps of K learners, which keep their models and states as parts of the stack."""

    def __init__(self, model: Any, learners: Sequence[TorchLearner]) -> None:
        self.model, self.learners, self.stage = model, learners, learners[0].stage
        self.weights = StackedWeights(
            model, [each.model for each in learners], [each.optimisers for each in learners]
        )
        self.dropouts = find_dropouts(model)
        self.generators = [torch.Generator() for _ in learners]
        self.captured: CapturedStack | None = None
        captured = [each.captured for each in learners if each.captured is not None]
        if captured:
            self.captured = CapturedStack(
                model,
                [each.objective for each in captured],
                self.weights,
                clip=self.stage.clip,
                arithmetic=self.stage.arithmetic,
                steps=self.stage.steps,
            )

    def prepare(self, count: int) -> None:
        """Make ready for chunks of `count` steps, so that the first is as fast as any."""
        if self.captured is not None:
            self.model.train()
            self.captured.prepare(count)

    def advance(
        self, places: Places, count: int, stopped: Callable[[], bool] = never
    ) -> list[Metrics | None]:
        """Take `count` steps of each model from its own place on; metrics as a learner's.

        The place of a model that is passed over is None, and so are its metrics.
        """
        self.model.train()
        found = self._replay(places, count) if self.captured else self._walk(places, count, stopped)
        return [
            None if place is None else read_metrics(rows)
            for place, rows in zip(places, found.unbind(1), strict=True)
        ]

    def _replay(self, places: Places, count: int) -> Tensor:
        assert self.captured is not None
        each = zip(self.learners, _first_steps(places), strict=True)
        paces = [own.pace(first, count) for own, first in each]
        factors, seeds = (list(zip(*part, strict=True)) for part in zip(*paces, strict=True))
        return self.captured.run_all(places, count, factors, seeds).cpu()

    def _walk(self, places: Places, count: int, stopped: Callable[[], bool]) -> Tensor:
        """Step by step, on a device that captures nothing."""
        own, firsts = [each.objective for each in self.learners], _first_steps(places)
        plans = [each.plan(first, count) for each, first in zip(own, firsts, strict=True)]
        device = self.learners[0].device
        passed_K = torch.tensor([float(place is None) for place in places], device=device)
        rows: list[Tensor] = []
        with products(self.stage.arithmetic) if device.type == "cuda" else nullcontext():
            for i in range(count):
                batches = [each.render(plan, i) for each, plan in zip(own, plans, strict=True)]
                rows.append(self._step([first + i for first in firsts], batches, passed_K))
                if stopped():
                    break
        return torch.stack(rows).cpu()

    def _step(self, steps: Sequence[int], batches: Sequence[Batch], passed_K: Tensor) -> Tensor:
        """One update of each model, (K, 3): loss, targets and the flag of what is not finite."""
        self.weights.drop_gradients()
        batch = lay_side_by_side(batches)
        paces = [own.pace(step, 1) for own, step in zip(self.learners, steps, strict=True)]
        self._reseed([seeds[0] for _, seeds in paces], batches)
        losses_K = find_losses(self.model, batch, self._count_slots(batch))
        losses_K.sum().backward()
        losses_K = losses_K.detach()
        factors_K = losses_K.new_tensor([factors[0] for factors, _ in paces])
        bad_K = self.weights.update(losses_K, factors_K, self.stage.clip, passed_K)
        targets_K = (batch.weights > 0).flatten(1).sum(1)
        return torch.stack((losses_K, targets_K.to(losses_K), bad_K.to(losses_K)), 1)

    def _reseed(self, seeds: Sequence[int], batches: Sequence[Batch]) -> None:
        """Give the dropout layers each model's generator, and the shapes that it alone has."""
        drawing: list[tuple[torch.Generator, tuple[int, ...], int]] = []
        for generator, seed, batch in zip(self.generators, seeds, batches, strict=True):
            packed = max(1, int(batch.lengths.sum())) if self._packed else 0
            drawing.append((generator.manual_seed(seed), tuple(batch.inputs.shape), packed))
        for layer in self.dropouts:
            layer.drawing = drawing

    @property
    def _packed(self) -> bool:
        return self.stage.packed and self.model.packable

    def _count_slots(self, batch: Batch) -> int:
        """Of a packing of each model; 0 if nothing is packed."""
        return max(1, int(batch.lengths.sum(1).max())) if self._packed else 0


def _first_steps(places: Places) -> list[int]:
    """Where each model goes on; one that is passed over sees its first rows again, in vain."""
    return [place or 0 for place in places]


def lay_side_by_side(batches: Sequence[Batch]) -> Batch:
    """The models' rows, (K, B, T), padded to one shape."""
    rows = max(batch.inputs.shape[0] for batch in batches)
    width = max(batch.inputs.shape[1] for batch in batches)
    like, models = batches[0], len(batches)
    inputs, targets, weights = (
        x.new_zeros((models, rows, width)) for x in (like.inputs, like.targets, like.weights)
    )
    lengths = like.lengths.new_zeros((models, rows))
    for k, batch in enumerate(batches):
        here = (k, slice(batch.inputs.shape[0]), slice(batch.inputs.shape[1]))
        inputs[here], targets[here], weights[here] = batch.inputs, batch.targets, batch.weights
        lengths[here[:2]] = batch.lengths
    return Batch(inputs, targets, weights, lengths)
