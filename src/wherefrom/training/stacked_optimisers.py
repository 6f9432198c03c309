"""The optimisers of K models of one shape as one; each model keeps its own moments in it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.training.lanes import Lanes
from wherefrom.training.muon import Muon, StackedMuon
from wherefrom.training.optimisers import EPS, AdamW, AdamWConfig

_MOMENTS = ("exp_avg", "exp_avg_sq")


class StackedAdamW:
    """AdamW of K models; each model's weights and moments are parts of stacked ones.

    Each model is updated by itself, side by side on a GPU, until the update is compiled: then
    every stacked weight is.
    """

    def __init__(self, members: Sequence[AdamW], stacked: Mapping[str, nn.Parameter]) -> None:
        self.members, self.config = members, members[0].config
        self.stacked = {name: stacked[name] for name in members[0].parameters}
        device = next(iter(self.stacked.values())).device
        self.lanes = Lanes(device)
        self.steps = torch.zeros(len(self.stacked), len(members), device=device)
        self.moments = [
            {name: torch.zeros_like(p) for name, p in self.stacked.items()} for _ in _MOMENTS
        ]
        for k, member in enumerate(members):
            for steps, (name, own) in zip(self.steps, member.moments.items(), strict=True):
                steps[k] = own["step"]
                own["step"] = steps[k]
                for key, stack in zip(_MOMENTS, self.moments, strict=True):
                    part = stack[name][k][: len(own[key])]
                    own[key] = part.copy_(own[key])
        self._adjust: Callable[..., None] | None = None

    @property
    def clips(self) -> bool:
        """Whether gradients that are too long are clipped on the way; else that is done before."""
        return self._adjust is not None

    def compile(self, wanted: bool) -> None:
        """Let torch fuse the update of all models, or take that back."""
        self._adjust = torch.compile(adjust_weights, dynamic=False) if wanted else None

    @torch.no_grad()
    def step(
        self, factors: Sequence[float] | Tensor, bad_K: Tensor, stretch_K: Tensor | None = None
    ) -> None:
        if self._adjust is None:
            each = zip(self.members, factors, bad_K, strict=True)
            self.lanes.run([partial(member.step, factor, bad) for member, factor, bad in each])
            return
        assert isinstance(factors, Tensor), "compiled where the factors are on the device"
        good_K = bad_K == 0
        self.steps.add_(good_K)
        decay_of = {name: decay for decay, names in self.members[0].groups for name in names}
        names = [name for name, p in self.stacked.items() if p.grad is not None]
        numbers = {name: i for i, name in enumerate(self.stacked)}
        self._adjust(
            [self.stacked[name].detach() for name in names],
            [self.stacked[name].grad for name in names],
            *([stack[name] for name in names] for stack in self.moments),
            [self.steps[numbers[name]] for name in names],
            [decay_of[name] for name in names],
            self.config.rate * factors,
            good_K,
            stretch_K,
            self.config,
        )


def adjust_weights(
    weights: Sequence[Tensor],
    gradients: Sequence[Tensor],
    means: Sequence[Tensor],
    squares: Sequence[Tensor],
    steps: Sequence[Tensor],
    decays: Sequence[float],
    rate_K: Tensor,
    good_K: Tensor,
    stretch_K: Tensor | None,
    config: AdamWConfig,
) -> None:
    """AdamW's update of stacked weights, in place, as torch computes that of single ones."""
    parts = zip(weights, gradients, means, squares, steps, decays, strict=True)
    for weight, gradient, mean, square, step_K, decay in parts:
        shape = (-1, *[1] * (weight.dim() - 1))
        rate, good, step = (x.view(shape) for x in (rate_K, good_K, step_K))
        clipped = gradient if stretch_K is None else gradient / stretch_K.view(shape)
        fresh = mean.lerp(clipped, 1 - config.beta1)
        spread = square.lerp(clipped * clipped, 1 - config.beta2)
        size = (spread / (1 - config.beta2**step)).sqrt() + EPS
        change = rate / (1 - config.beta1**step) * fresh / size
        weight.copy_(torch.where(good, weight * (1 - rate * decay) - change, weight))
        mean.copy_(torch.where(good, fresh, mean))
        square.copy_(torch.where(good, spread, square))


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
