"""The weights of K models of one shape, stacked, and the update that each of them gets."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.training.lanes import Lanes
from wherefrom.training.optimisers import stack_optimisers


class StackedWeights:
    """Makes the weights and moments of K models parts of the stacked model's.

    The models and their optimisers then read and write their own part, so that the state of each is
    saved and loaded as if it were alone.
    """

    def __init__(
        self, stacked: nn.Module, models: Sequence[nn.Module], optimisers: Sequence[Sequence[Any]]
    ) -> None:
        self.stacked = dict(stacked.named_parameters())
        self.own = [dict(model.named_parameters()) for model in models]
        self.optimisers = stack_optimisers(optimisers, self.stacked)
        self.lanes = Lanes(next(iter(self.stacked.values())).device)
        for k, own in enumerate(self.own):
            for name, parameter in own.items():
                parameter.data = self.stacked[name].data[k][: len(parameter)]

    def update(
        self,
        losses_K: Tensor,
        factors: Sequence[float] | Tensor,
        clip: float,
        hold_K: Tensor | None = None,
    ) -> Tensor:
        """Clip each model's gradient and take each model's step, unless it is bad or held back.

        Returns a flag for each model: 1 where the loss or the gradient is not finite.
        """
        norms_K = self._clip(clip)
        bad_K = (~(torch.isfinite(losses_K) & torch.isfinite(norms_K))).float()
        held = bad_K if hold_K is None else bad_K.maximum(hold_K)
        for optimiser in self.optimisers:
            optimiser.step(factors, held)
        return bad_K

    def drop_gradients(self) -> None:
        for parameter in self.stacked.values():
            parameter.grad = None
        for own in self.own:
            for parameter in own.values():
                parameter.grad = None

    @torch.no_grad()
    def _clip(self, longest: float) -> Tensor:
        """Give each model its gradients, as torch's clip_grad_norm_ shortens them; their norms."""
        each: list[list[Tensor]] = []
        for k, own in enumerate(self.own):
            each.append([])
            for name, parameter in own.items():
                gradient = self.stacked[name].grad
                if gradient is not None:
                    parameter.grad = gradient[k][: len(parameter)]
                    each[k].append(parameter.grad)
        norms = torch._foreach_norm([g for own in each for g in own])  # pyright: ignore
        norms_K = torch.linalg.vector_norm(torch.stack(norms).view(len(each), -1), dim=1)
        factors_K = (longest / (norms_K + 1e-6)).clamp(max=1.0)
        pairs = zip(each, factors_K, strict=True)
        shorten = torch._foreach_mul_  # pyright: ignore
        self.lanes.run([partial(shorten, own, factor) for own, factor in pairs])
        return norms_K
