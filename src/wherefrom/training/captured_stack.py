"""Captured steps of several models of one shape: one graph takes a step of each.

Shapes: S steps of a chunk, K models, B rows of each, T characters, N slots of a packing of each.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.contracts import Batch, StaticObjective
from wherefrom.training.captured import CapturedSteps
from wherefrom.training.captured_rows import choose_room, count_characters, render_rows, round_up
from wherefrom.training.muon import has_bf16
from wherefrom.training.shared_gradient import NOTHING
from wherefrom.training.stacked_weights import StackedWeights

Places = Sequence[int | None]  # the next step of each model; None for one that is passed over


class CapturedStack(CapturedSteps):
    def __init__(
        self,
        model: nn.Module,
        objectives: Sequence[StaticObjective],
        weights: StackedWeights,
        *,
        clip: float,
        arithmetic: str,
        steps: int,
    ) -> None:
        super().__init__(model, objectives[0], [], clip=clip, arithmetic=arithmetic, steps=steps)
        self.objectives, self.weights = objectives, weights
        self._places: Places | None = None  # the first step of each model whose rows are there

    def run_all(
        self,
        places: Places,
        count: int,
        factors: Sequence[Sequence[float]],
        seeds: Sequence[Sequence[int]],
    ) -> Tensor:
        """`count` steps of every model, (S, K, 3): loss, targets and the flag of a bad step.

        `factors` and `seeds` have a row for each step and a column for each model.
        """
        if count > self._room:
            self.prepare(count)
        first = self._find(places, count)
        if first is None:
            self._load(places)
            first = 0
        self._passed.copy_(torch.tensor([float(place is None) for place in places]))
        self._factors[first : first + count].copy_(torch.tensor(factors))
        self._cursor.fill_(first)
        self._set_seeds(seeds, first)
        self._replay([step[0] for step in seeds])
        return self._metrics[first : first + count]

    def prepare(self, count: int) -> None:
        """Rows of many steps, and the graph that reads them."""
        models = len(self.objectives)
        objective = max(self.objectives, key=lambda each: each.width)
        one = objective.render_all(objective.plan(0, 1))
        self._room = count = choose_room(one, models, count, self.steps)

        def room(like: Tensor) -> Tensor:
            return like.new_zeros((count, models, *like.shape[1:]))

        self._inputs, self._targets = room(one.inputs), room(one.targets)
        self._weights, self._lengths = room(one.weights), room(one.lengths)
        self._factors = torch.zeros(count, models, device=self.device)
        self._metrics = torch.zeros(count, models, 3, device=self.device)
        self._cursor = torch.zeros(1, dtype=torch.long, device=self.device)
        self._hold = torch.ones(models, device=self.device)  # 1: no update is applied
        self._passed = torch.zeros(models, device=self.device)  # 1: the model takes no step
        self._give_seeds(count, models)
        self._load([0] * models)  # rows to compile and warm up with, and mostly the first ones
        self._choose_capacity(one.inputs[0].numel())
        self._make_graph()

    def _find(self, places: Places, count: int) -> int | None:
        """Where the rows of these steps are, if they are there."""
        if self._places is None:
            return None
        found: set[int] = set()
        for place, first in zip(places, self._places, strict=True):
            if place is not None:
                found.add(-1 if first is None else place - first)
        (at, *others) = found or {-1}
        return at if not others and 0 <= at <= self._room - count else None

    def _load(self, places: Places) -> None:
        """Render the rows of every model, from its place on."""
        for k, first in enumerate(places):
            if first is None:
                self._weights[:, k].zero_()
                continue
            last = min(first + self._room, self.steps)
            for here, batch in render_rows(self.objectives[k], first, last):
                width = batch.inputs.shape[-1]  # places behind narrower rows stay empty
                self._inputs[here, k, :, :width].copy_(batch.inputs)
                self._targets[here, k, :, :width].copy_(batch.targets)
                self._weights[here, k, :, :width].copy_(batch.weights)
                self._lengths[here, k].copy_(batch.lengths)
        self._places = list(places)

    def _find_capacity(self) -> tuple[int, int]:
        """Slots of each model that are enough for all steps: some model is always in a full one."""
        if self._room >= self.steps:  # all rows are there
            most = int(self._lengths.sum(-1).max())
        else:
            each = (count_characters(own, self.steps) for own in self.objectives)
            most = max(int(characters.max()) for characters in each)
        return round_up(most), round_up(most)

    @property
    def _updaters(self) -> Sequence[Any]:
        return self.weights.optimisers

    def _step(self) -> None:
        inputs, targets, weights, lengths = self._pick_rows()
        losses_K = self._loss(inputs, targets, weights, lengths)
        losses_K.sum().backward()
        losses_K = losses_K.detach()
        factors_K = self._factors.index_select(0, self._cursor)[0]
        hold_K = self._hold.maximum(self._passed)
        bad_K = self.weights.update(losses_K, factors_K, self.clip, hold_K)
        targets_K = (weights > 0).flatten(1).sum(1).float()
        row = torch.stack((losses_K, targets_K, bad_K), 1)
        self._metrics.index_copy_(0, self._cursor, row[None])
        self._cursor.add_(1).remainder_(self._room)

    def _plain_loss(
        self, inputs_BT: Tensor, targets_BT: Tensor, weights_BT: Tensor, lengths_B: Tensor
    ) -> Tensor:
        half = self.arithmetic == "bf16" and has_bf16(self.device)
        with torch.autocast("cuda", torch.bfloat16) if half else nullcontext():
            batch = Batch(inputs_BT, targets_BT, weights_BT, lengths_B)
            return find_losses(self.model, batch, self._capacity, torch.float32)


def find_losses(
    model: Any, batch: Batch, capacity: int, dtype: torch.dtype | None = None
) -> Tensor:
    """The weighted mean of each model's losses; the models are a first dimension of the batch.

    With a `capacity`, the characters of each model's rows are packed into as many slots. Losses
    have this `dtype`, or that of the weights.
    """
    models, rows_KB = len(batch.inputs), batch.inputs.flatten(0, 1)
    targets, weights = batch.targets.flatten(), batch.weights.flatten()
    if capacity:
        packing = model.packing(batch.lengths.flatten(), rows_KB.shape[1], capacity)
        features = model.features(rows_KB, packing=packing)
        targets = packing.pack(batch.targets.flatten(0, 1))
        weights = packing.pack(batch.weights.flatten(0, 1))
    else:
        features = model.features(rows_KB)
    logits = model.head(features).flatten(0, -2)
    losses = F.cross_entropy(logits.to(dtype or logits.dtype), targets, reduction="none")
    weights_KN = weights.view(models, -1)
    total_K = weights_KN.sum(1).clamp(min=NOTHING)
    return (losses.view(models, -1) * weights_KN).sum(1) / total_K
