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
from wherefrom.training.captured import NOTHING, CapturedSteps, find_fullest, round_up
from wherefrom.training.optimisers import has_bf16
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
        self._ahead: dict[tuple[int, int, int], Batch] = {}

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
        for k, first in enumerate(places):
            self._fill_model(k, first, count)
        self._passed.copy_(torch.tensor([float(first is None) for first in places]))
        self._factors[:count].copy_(torch.tensor(factors))
        self._cursor.zero_()
        self._set_seeds(seeds)
        self._replay([step[0] for step in seeds])
        found = self._metrics[:count].clone()
        self._render_ahead(places, count)  # while the device is at work
        return found

    def prepare(self, count: int) -> None:
        """Buffers for chunks of this size, and the graph that reads them."""
        self._room, models = count, len(self.objectives)
        objective = max(self.objectives, key=lambda each: each.width)
        one = objective.render_all(objective.plan(0, min(count, self.steps)))

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
        self._choose_capacity(one.inputs[0].numel())
        for k in range(models):  # rows to compile and warm up with
            self._fill_model(k, 0, min(count, self.steps))
        self._make_graph()

    def _fill_model(self, k: int, first: int | None, count: int) -> None:
        if first is None:
            self._weights[:count, k].zero_()
            return
        batch = self._ahead.pop((k, first, count), None)
        if batch is None:
            batch = self._render(k, first, count)
        width = batch.inputs.shape[-1]  # places behind a narrower objective's rows stay empty
        self._inputs[:count, k, :, :width].copy_(batch.inputs)
        self._targets[:count, k, :, :width].copy_(batch.targets)
        self._weights[:count, k, :, :width].copy_(batch.weights)
        self._lengths[:count, k].copy_(batch.lengths)

    def _render(self, k: int, first: int, count: int) -> Batch:
        objective = self.objectives[k]
        return objective.render_all(objective.plan(first, count))

    def _render_ahead(self, places: Places, count: int) -> None:
        """The rows of the chunk that is asked for next, unless the caller changes its mind."""
        self._ahead.clear()
        for k, first in enumerate(places):
            if first is not None and (left := self.steps - first - count) > 0:
                at, steps = first + count, min(count, left)
                self._ahead[k, at, steps] = self._render(k, at, steps)

    def _fullest(self) -> int:
        most = (find_fullest(each, self.steps, self.device) for each in self.objectives)
        return round_up(max(most))

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
        """The weighted mean of each model's losses; the models are a first dimension of all."""
        model: Any = self.model
        half = self.arithmetic == "bf16" and has_bf16(self.device)
        inputs, models = inputs_BT.flatten(0, 1), len(inputs_BT)
        targets, weights = targets_BT.flatten(), weights_BT.flatten()
        with torch.autocast("cuda", torch.bfloat16) if half else nullcontext():
            if self._capacity:
                packing = model.packing(lengths_B.flatten(), inputs.shape[1], self._capacity)
                features = model.features(inputs, packing=packing)
                targets = packing.pack(targets_BT.flatten(0, 1))
                weights = packing.pack(weights_BT.flatten(0, 1))
            else:
                features = model.features(inputs)
            logits = model.head(features).flatten(0, -2)
        losses = F.cross_entropy(logits.float(), targets, reduction="none")
        weights_KN = weights.view(models, -1)
        total_K = weights_KN.sum(1).clamp(min=NOTHING)
        return (losses.view(models, -1) * weights_KN).sum(1) / total_K
