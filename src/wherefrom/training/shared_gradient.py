"""One step that several ranks take, each with some of its rows: the gradient, pieces and dropout.

A step's loss is the weighted sum of its targets' losses over the weight of all its targets. Each
rank has the sums of its own rows. They are added up, gradients and weights alike, in one
exchange; only then is anything divided. A mean of means would be another loss.

On a CPU a step's rows go through the model in pieces, sorted by length, and dropout draws its masks
piece after piece. A rank forms the pieces of all rows, takes its own rows of each, and of every
mask the part that belongs to them. So a step drops the same numbers however many ranks take it. Two
cases are left out: attention's own dropout, whose masks torch does not show, and captured steps on
a GPU. There, every rank drops by itself.

Shapes: B rows, T characters, C width, N characters without padding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn

from wherefrom.core.contracts import Batch
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


@dataclass(frozen=True)
class Piece:
    """Rows that go through the model at once, and their places among all rows of the piece."""

    batch: Batch
    places: Tensor
    lengths: Tensor  # of all rows of the piece
    width: int  # of all rows of the piece, padded


def divide_step(
    batch: Batch, lengths: Tensor, width: int, buckets: int, rows: slice
) -> list[Piece]:
    """The pieces of a step that this process has rows in; `batch` has its rows.

    `lengths` are those of all rows, padded to `width`; `rows` are this process's: every n-th, or
    all. Sorted by length and cropped, the pieces give the same sum as the whole. A piece without
    rows of its own has one that counts nothing, so that its masks are drawn too.
    """
    first, stride = rows.start or 0, rows.step or 1
    order = torch.argsort(lengths, stable=True) if buckets > 1 else torch.arange(len(lengths))
    pieces = []
    for all_rows in order.to(lengths.device).chunk(buckets):
        places = (all_rows % stride == first).nonzero().squeeze(1)
        own = torch.div(all_rows[places] - first, stride, rounding_mode="floor")
        whole = lengths[all_rows]
        wide = max(1, int(whole.max())) if buckets > 1 else width
        counts = len(own) > 0
        own, places = (own, places) if counts else (own.new_zeros(1), places.new_zeros(1))
        longest = max(1, int(batch.lengths[own].max())) if buckets > 1 else batch.inputs.shape[1]
        longest = min(longest, wide)
        kept = batch.lengths[own].clamp(max=longest if counts else int(whole[0]))
        part = Batch(
            batch.inputs[own, :longest],
            batch.targets[own, :longest],
            batch.weights[own, :longest] * counts,
            kept,
        )
        pieces.append(Piece(part, places, whole, wide))
    return pieces


class SharedDropout:
    """Has a model's dropout draw the masks of all rows, and use those of this process's."""

    def __init__(self, model: nn.Module) -> None:
        self.piece: Piece | None = None
        layers = find_dropout(model) if _on_cpu(model) else ()
        self.draws_alike = bool(layers)
        for module in layers:
            module.forward = partial(self._drop, module)  # pyright: ignore

    def _drop(self, module: nn.Dropout, x: Tensor) -> Tensor:
        """x is (B, T, C), or packed (N, C); torch draws its masks in the same way."""
        if not module.training or self.piece is None:
            return x
        if x.dim() == 2:
            whole, own = (max(1, int(self.piece.lengths.sum())),), self._characters(len(x))
            taken = (own,)
        else:
            here = self.piece.batch.inputs.shape[1]
            width = self.piece.width if x.shape[1] == here else x.shape[1]
            whole, taken = (len(self.piece.lengths), width), (self.piece.places,)
        mask = x.new_empty(*whole, x.shape[-1]).bernoulli_(1 - module.p).div_(1 - module.p)
        mask = mask[taken] if x.dim() == 2 else mask[taken][:, : x.shape[1]]
        return x * mask

    def _characters(self, slots: int) -> Tensor:
        """Where the characters of this process's rows stand among those of all rows."""
        assert self.piece is not None
        lengths, own = self.piece.lengths, self.piece.batch.lengths
        starts = (lengths.cumsum(0) - lengths)[self.piece.places]
        behind = own.cumsum(0) - own
        found = torch.repeat_interleave(starts - behind, own) + torch.arange(int(own.sum()))
        return found if len(found) == slots else found.new_zeros(slots)  # an empty slot


def _on_cpu(model: nn.Module) -> bool:
    return all(p.device.type == "cpu" for p in model.parameters())


def find_dropout(model: nn.Module) -> Sequence[nn.Dropout]:
    """The layers that drop something; none if attention does, whose masks cannot be drawn here."""
    named = {n: m for n, m in model.named_modules() if isinstance(m, nn.Dropout) and m.p > 0}
    if any(name.endswith("attn_drop") for name in named):
        return ()
    return tuple(named.values())
