"""The weights of K models of one shape, stacked, and the update that each of them gets."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.training.stacked_optimisers import stack_optimisers


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
        norms_K, stretch_K = self._measure(clip)
        bad_K = (~(torch.isfinite(losses_K) & torch.isfinite(norms_K))).float()
        held = bad_K if hold_K is None else bad_K.maximum(hold_K)
        fused = all(optimiser.clips for optimiser in self.optimisers)
        if not fused:
            self._shorten(stretch_K)
        for optimiser in self.optimisers:
            optimiser.step(factors, held, stretch_K if fused else None)
        return bad_K

    def drop_gradients(self) -> None:
        for parameter in self.stacked.values():
            parameter.grad = None
        for own in self.own:
            for parameter in own.values():
                parameter.grad = None

    @torch.no_grad()
    def _measure(self, longest: float) -> tuple[Tensor, Tensor]:
        """The length of each model's gradient, and what to divide it by, as torch clips."""
        there = [p.grad for p in self.stacked.values() if p.grad is not None]
        norms = torch._foreach_norm([own for each in there for own in each])  # pyright: ignore
        norms_K = torch.linalg.vector_norm(torch.stack(norms).view(len(there), -1), dim=0)
        return norms_K, ((norms_K + 1e-6) / longest).clamp(min=1.0)

    @torch.no_grad()
    def _shorten(self, stretch_K: Tensor) -> None:
        """Clip the gradients where they are, and give each model its own."""
        for name, parameter in self.stacked.items():
            if parameter.grad is None:
                continue
            parameter.grad.div_(stretch_K.view(-1, *[1] * (parameter.dim() - 1)))
            for k, own in enumerate(self.own):
                own[name].grad = parameter.grad[k][: len(own[name])]
