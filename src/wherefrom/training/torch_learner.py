"""The learner of every torch model: batches, loss, gradient, update.

Shapes: B rows, T characters, C width.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from operator import itemgetter
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.contracts import EVERY_ROW, Bags, Batch, Objective, State, never
from wherefrom.core.randomness import Stream, draws
from wherefrom.core.recipe import Stage
from wherefrom.training.captured import CapturedSteps, Updates, products
from wherefrom.training.optimisers import OPTIMISERS, TokenCount, factor
from wherefrom.training.rank_group import Ranks
from wherefrom.training.shared_gradient import (
    NOTHING,
    Piece,
    SharedDropout,
    SharedGradient,
    StepSums,
    divide_step,
)
from wherefrom.training.weights import copy_weights, load_weights


class TorchLearner:
    """Takes optimisation steps; everything random in them is a function of the step's number.

    On a CUDA GPU the steps of a model that can be captured are (captured.py); others are taken
    one by one, in fp32 or TF32. With `ranks`, this learner renders its rows of every step, and
    takes the step of all rows together with the learners of the others.
    """

    factor: float | None = None  # on the rate, where it follows a clock
    stopping = False  # a rank was asked to stop; all know it after the same step

    def __init__(
        self,
        model: nn.Module,
        objective: Objective,
        stage: Stage,
        *,
        number: int,
        seed: int,
        tokens: TokenCount | None = None,
        ranks: Ranks | None = None,
    ) -> None:
        self.model, self.objective, self.stage = model, objective, stage
        self.number, self.seed, self.tokens = number, seed, tokens
        self.rows = EVERY_ROW if ranks is None else ranks.rows
        self.shared = None if ranks is None else SharedGradient(model, ranks)
        self.dropout = None if ranks is None else SharedDropout(model)
        self.device = next(model.parameters()).device
        self.optimisers = OPTIMISERS[stage.optimiser.kind](model, stage.optimiser)
        self.captured: CapturedSteps | None = None
        capturable = hasattr(objective, "render_all") and getattr(model, "capturable", True)
        if self.device.type == "cuda" and capturable:
            static: Any = objective
            self.captured = CapturedSteps(
                model,
                [static],
                Updates(model, self.optimisers),
                clip=stage.clip,
                arithmetic=stage.arithmetic,
                steps=stage.steps,
                shared=self.shared,
            )

    def prepare(self, count: int) -> None:
        if self.captured is not None:
            self.model.train()
            self.captured.prepare(count)

    def advance(
        self, first_step: int, count: int, stopped: Callable[[], bool] = never
    ) -> dict[str, np.ndarray]:
        self.model.train()
        if self.captured is not None:
            factors, seeds = self.pace(first_step, count)
            columns = [[factor] for factor in factors], [[seed] for seed in seeds]
            return read_metrics(self.captured.run([first_step], count, *columns)[:, 0])
        plan = self.objective.plan(first_step, count)
        rows: list[Tensor] = []
        with products(self.stage.arithmetic) if self.device.type == "cuda" else nullcontext():
            for i in range(count):
                batch, pieces = self._render(plan, i)
                rows.append(self._step(first_step + i, batch, pieces, stopped))
                if stopped() if self.shared is None else self.stopping:
                    break
        return read_metrics(torch.stack(rows))

    def _factor(self, step: int) -> float:
        if self.factor is not None:
            return self.factor
        if rates := self.stage.rates:
            return rates[min(bisect_right(rates, step, key=itemgetter(0)), len(rates) - 1)][1]
        return factor(self.stage.schedule, step, self.stage.steps, self.tokens)

    def _render(self, plan: Any, index: int) -> tuple[Batch, Sequence[Piece | Batch]]:
        """This process's rows of a step, and the pieces in which they go through the model."""
        alone = self.shared is None  # then any objective will do
        batch = self.objective.render(plan, index, *(() if alone else (self.rows,)))
        if isinstance(batch.inputs, Bags):
            return batch, [batch]
        objective: Any = self.objective
        whole = batch.lengths, batch.inputs.shape[1]
        lengths, width = whole if alone else objective.outline(plan, index)
        return batch, divide_step(batch, lengths, width, self.stage.buckets, self.rows)

    def _step(
        self,
        step: int,
        batch: Batch,
        pieces: Sequence[Piece | Batch],
        stopped: Callable[[], bool] = never,
    ) -> Tensor:
        """One update; loss, targets and the flag of what is not finite, still on the device."""
        self._reseed(self._dropout_seeds(step, 1)[0])
        self._drop_gradients()
        weight = batch.weights.sum()
        total = weight.clamp(min=NOTHING) if self.shared is None else torch.ones_like(weight)
        loss = torch.zeros((), device=self.device)
        for piece in pieces:
            part = self._loss(self._enter(piece), total)
            part.backward()
            loss = loss + part.detach()
        targets = (batch.weights > 0).sum().float()
        if self.shared is not None:  # `loss` and the gradients are sums over this process's rows
            stop = torch.full_like(loss, stopped())
            loss, _, targets, stop = self.shared.add(StepSums(loss, weight, targets, stop))
            self.stopping = bool(stop > 0)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.stage.clip)
        bad = (~(torch.isfinite(loss) & torch.isfinite(norm))).float()
        for optimiser in self.optimisers:
            optimiser.step(self._factor(step), bad)
        return torch.stack((loss, targets, bad))

    def _enter(self, piece: Piece | Batch) -> Batch:
        if isinstance(piece, Batch):
            return piece
        if self.dropout is not None:
            self.dropout.piece = piece
        return piece.batch

    def _drop_gradients(self) -> None:
        for p in self.model.parameters():
            p.grad = None

    def _loss(self, batch: Batch, total: Tensor) -> Tensor:
        """The weighted sum of these rows' losses over the step's total weight.

        The head and its softmax are the dearest part of a narrow model: only the positions
        that count go through them.
        """
        model: Any = self.model
        targets, weights = batch.targets, batch.weights
        if self.stage.packed and model.packable:
            count = int(batch.lengths.sum())
            packing = model.packing(batch.lengths, batch.inputs.shape[1], max(1, count))
            features = model.features(batch.inputs, packing=packing)
            targets, weights = packing.pack(targets), packing.pack(weights)
        else:
            features = model.features(batch.inputs).flatten(0, 1)
            targets, weights = targets.flatten(), weights.flatten()
        kept = weights.nonzero().squeeze(1)
        logits = model.head(features[kept])
        losses = F.cross_entropy(logits, targets[kept], reduction="none")
        return (losses * weights[kept]).sum() / total

    def _reseed(self, seed: int) -> None:
        """torch.manual_seed notes the whole stack for a GPU to come: half a millisecond a step."""
        if self.device.type == "cpu":
            torch.default_generator.manual_seed(seed)
        else:
            torch.manual_seed(seed)

    def _dropout_seeds(self, first: int, count: int) -> list[int]:
        """Dropout is reseeded each step, so that a resumed run drops what it would have.

        Processes that draw the same masks have one seed; others have their own.
        """
        steps = np.arange(first, first + count, dtype=np.int64)
        address = {"seed": self.seed, "stage": self.number, "step": steps}
        same = self.dropout is not None and self.dropout.draws_alike
        rows = np.full_like(steps, 0 if same else self.rows.start or 0)
        high, low = draws(2, stream=Stream.DROPOUT, row=rows, **address)
        return ((high << 31) ^ low).tolist()

    def pace(self, first: int, count: int) -> tuple[list[float], list[int]]:
        """The factors of these steps' rates, and their dropout seeds."""
        factors = [self._factor(step) for step in range(first, first + count)]
        return factors, self._dropout_seeds(first, count)

    def tensors(self) -> dict[str, Tensor]:
        """All that training changes, in an order that every rank has."""
        tensors = {f"model.{k}": v for k, v in self.model.state_dict().items()}
        for optimiser in self.optimisers:
            tensors |= optimiser.state()
        return tensors

    def state(self) -> State:
        if self.captured is None:  # a captured step writes its gradients to the same places again
            self._drop_gradients()  # they are as large as the model, and the next step has its own
        return State(copy_weights(self.tensors()))

    def load(self, state: State) -> None:
        load_weights(self.tensors(), state.arrays)


def read_metrics(rows: Tensor) -> dict[str, np.ndarray]:
    """What the loop records of steps, from (steps, 3): loss, targets, and 1 for a bad one."""
    loss, targets, bad = rows.double().cpu().numpy().T
    return {"loss": loss, "targets": targets.astype(np.int64), "finite": bad == 0}
