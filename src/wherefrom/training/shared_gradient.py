"""One gradient out of those of several ranks, so that their step is the step of one.

A step's loss is the weighted sum of its targets' losses over the weight of all its targets. Each
rank has the sums of its own rows. They are added up, gradients and weights alike, in one
exchange; only then is anything divided. A mean of means would be another loss.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from wherefrom.training.rank_group import Ranks

NOTHING = 1e-30  # a step whose targets all weigh nothing costs nothing, instead of 0 / 0


class StepSums(NamedTuple):
    """Sums over the rows of a step, on the device."""

    loss: Tensor  # the weighted sum; after `add`, over the weight of all rows
    weight: Tensor
    targets: Tensor
    stop: Tensor  # above 0: a rank was asked to stop


class SharedGradient:
    """Adds up the gradients of a model's parameters over all ranks."""

    def __init__(self, model: nn.Module, ranks: Ranks) -> None:
        self.model, self.ranks = model, ranks

    def add(self, own: StepSums) -> StepSums:
        """Turn each parameter's gradient of this rank's sum into that of the step's loss."""
        taught = [p for p in self.model.parameters() if p.grad is not None]
        gradients = [p.grad.flatten() for p in taught if p.grad is not None]
        flat = torch.cat([*gradients, torch.stack(own)])
        self.ranks.sum(flat)
        sums = StepSums(*flat[-len(own) :].clone().unbind())
        total = sums.weight.clamp(min=NOTHING)
        flat.div_(total)
        pieces = flat[: -len(own)].split([p.numel() for p in taught])
        for parameter, piece in zip(taught, pieces, strict=True):
            parameter.grad = piece.view_as(parameter)
        return sums._replace(loss=sums.loss / total)
