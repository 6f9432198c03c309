"""AdamW's update in plain operations, which torch's compiler fuses, on weights laid together."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

EPS = 1e-8  # beside the root of the mean square, so that nothing is divided by nothing
_APART = 64  # numbers: a weight begins at a multiple, so that it is read in whole lines
MOMENTS = ("exp_avg", "exp_avg_sq")


class FlatAdamW:
    """The weights of each group as one vector, and their moments; those given become its parts.

    All weights must have taken as many steps.
    `groups` are names of weights with their decay.
    """

    def __init__(
        self,
        parameters: Mapping[str, nn.Parameter],
        moments: Mapping[str, dict[str, Tensor]],
        groups: Sequence[tuple[float, Sequence[str]]],
        betas: tuple[float, float],
    ) -> None:
        self.parameters, self.betas = parameters, betas
        steps = torch.stack([moments[name]["step"] for name in parameters])
        if (steps != steps[0]).any():
            raise ValueError("weights that have taken different numbers of steps")
        self.groups = [(decay, names) for decay, names in groups if names]
        self.decays = [decay for decay, _ in self.groups]
        self.weights = [self._lay([parameters[n].data for n in names]) for _, names in self.groups]
        self.moments = [
            [self._lay([moments[name][key] for name in names]) for _, names in self.groups]
            for key in MOMENTS
        ]
        self.gradients = [torch.zeros_like(flat) for flat in self.weights]
        self.steps = steps
        self._share_memory(moments)
        self._places = [
            part
            for flat, (_, names) in zip(self.gradients, self.groups, strict=True)
            for part, _ in self._parts(flat, names)
        ]
        self._betas_2 = torch.tensor(betas, device=self.steps.device)
        self._names = [name for _, names in self.groups for name in names]
        self._adjust: Callable[..., None] = torch.compile(adjust_weights, dynamic=False)

    def has_gradients(self) -> bool:
        return all(p.grad is not None for p in self.parameters.values())

    def _share_memory(self, moments: Mapping[str, dict[str, Tensor]]) -> None:
        """Make weights and moments parts of the flat tensors: a step on these changes them."""
        for step, name in zip(self.steps, self.parameters, strict=True):
            moments[name]["step"] = step
        for number, (_, names) in enumerate(self.groups):
            for part, name in self._parts(self.weights[number], names):
                self.parameters[name].data = part
            for key, flat in zip(MOMENTS, self.moments, strict=True):
                for part, name in self._parts(flat[number], names):
                    moments[name][key] = part

    def step(self, rate: Tensor, bad: Tensor, grad_scale: Tensor | None) -> None:
        good = (bad == 0).view(1)
        self.steps.add_(good)
        gradients = [self.parameters[name].grad for name in self._names]
        torch._foreach_copy_(self._places, gradients)  # pyright: ignore
        corrections = correct_bias(self.steps[:1], self._betas_2)
        self._adjust(
            self.weights,
            self.gradients,
            *self.moments,
            [corrections] * len(self.groups),
            self.decays,
            rate.view(1),
            good,
            None if grad_scale is None else grad_scale.view(1),
            self.betas,
        )

    @staticmethod
    def _lay(tensors: Sequence[Tensor]) -> Tensor:
        flat = tensors[0].new_zeros(sum(_room(tensor) for tensor in tensors))
        start = 0
        for tensor in tensors:
            flat[start : start + tensor.numel()] = tensor.flatten()
            start += _room(tensor)
        return flat

    def _parts(self, flat: Tensor, names: Sequence[str]) -> list[tuple[Tensor, str]]:
        parts: list[tuple[Tensor, str]] = []
        start = 0
        for name in names:
            own = self.parameters[name]
            parts.append((flat[start : start + own.numel()].view(own.shape), name))
            start += _room(own)
        return parts


def _room(tensor: Tensor) -> int:
    return -(-tensor.numel() // _APART) * _APART


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
    grad_scale_K: Tensor | None,
    betas: tuple[float, float],
) -> None:
    """AdamW's update in place, as torch computes it: of stacked weights, the first index of which
    is the model's, or of one model's."""
    parts = zip(weights, gradients, means, squares, corrections, decays, strict=True)
    for weight, gradient, mean, square, correction_2K, decay in parts:
        shape = (-1, *[1] * (weight.dim() - 1))
        rate, good, first, second = (x.view(shape) for x in (rate_K, good_K, *correction_2K))
        clipped = gradient if grad_scale_K is None else gradient / grad_scale_K.view(shape)
        fresh = mean.lerp(clipped, 1 - betas[0])
        spread = square.lerp(clipped * clipped, 1 - betas[1])
        change = rate / first * fresh / ((spread / second).sqrt() + EPS)
        weight.copy_(torch.where(good, weight * (1 - rate * decay) - change, weight))
        mean.copy_(torch.where(good, fresh, mean))
        square.copy_(torch.where(good, spread, square))
