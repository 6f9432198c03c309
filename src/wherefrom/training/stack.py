"""Several learners whose models have one shape, taking their steps as one.

The stacked model computes the losses of all models at once; their sum is differentiated, so that
no gradient mixes. Clipping, the flag of what is not finite, moments, rates and draws are each
model's own. A model need not be at the same step as the others; one that is done or has diverged is
passed over.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from wherefrom.core.contracts import never
from wherefrom.training.captured import CapturedSteps, Places, Updates
from wherefrom.training.muon import Muon, StackedMuon
from wherefrom.training.optimisers import EPS, AdamW
from wherefrom.training.torch_learner import TorchLearner, read_metrics

Metrics = dict[str, np.ndarray]
MOMENTS = ("exp_avg", "exp_avg_sq")


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


class StackedWeights(Updates):
    """Makes the weights and moments of K models parts of the stacked model's.

    The models and their optimisers then read and write their own part, so that the state of each is
    saved and loaded as if it were alone.
    """

    def __init__(self, stacked: nn.Module, learners: Sequence[Any]) -> None:
        self.stacked = dict(stacked.named_parameters())
        optimisers = stack_optimisers([each.optimisers for each in learners], self.stacked)
        super().__init__(stacked, optimisers)
        for k, learner in enumerate(learners):
            for name, parameter in learner.model.named_parameters():
                parameter.data = self.stacked[name].data[k]

    def update(self, losses_K: Tensor, factors_K: Tensor, clip: float, hold_K: Tensor) -> Tensor:
        norms_K, grad_scale_K = self._measure(clip)
        bad_K = (~(torch.isfinite(losses_K) & torch.isfinite(norms_K))).float()
        for optimiser in self.optimisers:
            optimiser.step(factors_K, bad_K.maximum(hold_K), grad_scale_K)
        return bad_K

    @torch.no_grad()
    def _measure(self, longest: float) -> tuple[Tensor, Tensor]:
        """The length of each model's gradient, and what to divide it by, as torch clips."""
        there = [p.grad for p in self.stacked.values() if p.grad is not None]
        norms = torch._foreach_norm([own for each in there for own in each])  # pyright: ignore
        norms_K = torch.linalg.vector_norm(torch.stack(norms).view(len(there), -1), dim=0)
        return norms_K, ((norms_K + 1e-6) / longest).clamp(min=1.0)


class StackedAdamW:
    """AdamW of K models; each model's weights and moments are parts of stacked ones."""

    def __init__(self, members: Sequence[AdamW], stacked: Mapping[str, nn.Parameter]) -> None:
        self.config, self.groups = members[0].config, members[0].groups
        self.stacked = {name: stacked[name] for name in members[0].parameters}
        first = next(iter(self.stacked.values()))
        self.betas = self.config.beta1, self.config.beta2
        self._betas_2 = first.new_tensor(self.betas)
        self.steps = torch.zeros(len(self.stacked), len(members), device=first.device)
        self.moments = [
            {name: torch.zeros_like(p) for name, p in self.stacked.items()} for _ in MOMENTS
        ]
        for k, member in enumerate(members):
            for steps, (name, own) in zip(self.steps, member.moments.items(), strict=True):
                steps[k] = own["step"]
                own["step"] = steps[k]
                for key, stack in zip(MOMENTS, self.moments, strict=True):
                    own[key] = stack[name][k].copy_(own[key])
        self._adjust: Callable[..., None] = adjust_weights

    def compile(self, wanted: bool) -> None:
        """Let torch fuse the update of all models, or take that back."""
        self._adjust = torch.compile(adjust_weights, dynamic=False) if wanted else adjust_weights

    @torch.no_grad()
    def step(self, factors_K: Tensor, bad_K: Tensor, grad_scale_K: Tensor) -> None:
        good_K = bad_K == 0
        self.steps.add_(good_K)
        decay_of = {name: decay for decay, names in self.groups for name in names}
        names = [name for name, p in self.stacked.items() if p.grad is not None]
        numbers = {name: i for i, name in enumerate(self.stacked)}
        corrections_2NK = correct_bias(self.steps, self._betas_2)
        self._adjust(
            [self.stacked[name].detach() for name in names],
            [self.stacked[name].grad for name in names],
            *([stack[name] for name in names] for stack in self.moments),
            [corrections_2NK[:, numbers[name]] for name in names],
            [decay_of[name] for name in names],
            (self.config.rate * factors_K).to(self._betas_2),
            good_K,
            grad_scale_K,
            self.betas,
        )


def stack_optimisers(
    members: Sequence[Sequence[Any]], stacked: Mapping[str, nn.Parameter]
) -> list[StackedAdamW | StackedMuon]:
    """The optimisers of K models as one for each kind; the models' own share its moments.

    `stacked` has the stacked weights by name. Some of them are moved: views are taken afterwards.
    """
    found: list[StackedAdamW | StackedMuon] = []
    for kind in zip(*members, strict=True):
        muon = isinstance(kind[0], Muon)
        found.append(StackedMuon(kind, stacked) if muon else StackedAdamW(kind, stacked))
    return found


def correct_bias(steps: Tensor, betas_2: Tensor) -> Tensor:
    """What averages that began with zeros are divided by after `steps` steps, for each beta.

    Powers are dear, so they are not computed within the fused update, for each weight anew.
    """
    return 1 - betas_2.view(2, *[1] * steps.dim()) ** steps


def adjust_weights(
    weights: Sequence[Tensor],
    gradients: Sequence[Tensor],
    means: Sequence[Tensor],
    squares: Sequence[Tensor],
    corrections: Sequence[Tensor],
    decays: Sequence[float],
    rate_K: Tensor,
    good_K: Tensor,
    grad_scale_K: Tensor,
    betas: tuple[float, float],
) -> None:
    """AdamW's update in place, as torch computes it, of stacked weights: the first index is the
    model's. torch's compiler fuses it."""
    parts = zip(weights, gradients, means, squares, corrections, decays, strict=True)
    for weight, gradient, mean, square, correction_2K, decay in parts:
        shape = (-1, *[1] * (weight.dim() - 1))
        rate, good, first, second = (x.view(shape) for x in (rate_K, good_K, *correction_2K))
        clipped = gradient / grad_scale_K.view(shape)
        fresh = mean.lerp(clipped, 1 - betas[0])
        spread = square.lerp(clipped * clipped, 1 - betas[1])
        change = rate / first * fresh / ((spread / second).sqrt() + EPS)
        weight.copy_(torch.where(good, weight * (1 - rate * decay) - change, weight))
        mean.copy_(torch.where(good, fresh, mean))
        square.copy_(torch.where(good, spread, square))
