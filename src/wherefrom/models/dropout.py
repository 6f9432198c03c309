"""Dropout whose masks one model and a stack of models draw alike.

On a CPU, a mask comes from a generator that is seeded in every step; a stack has a generator for
each model and draws each model's mask in the shape that the model alone would have. On a GPU, where
a captured step cannot ask the host, a mask is a hash of the step's seed, the number of the layer
and the place in the model's own rows: the same whatever stands beside them.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

_GOLDEN, _FIRST, _SECOND = -1640531527, 2146121005, -2073254261  # odd numbers, as int32


class Dropout(nn.Dropout):
    """torch's, but counted if a learner has given it `seeds`, which are tensors on the device."""

    seeds: Tensor | None = None  # int32 (K, 2): two words for each model of a stack, K=1 for one
    site: int = 0  # its number among the layers of its kind

    def forward(self, input: Tensor) -> Tensor:
        if self.seeds is None or not self.training or self.p == 0:
            return super().forward(input)
        kept = counted_mask(self.seeds, self.site, input, self.p)
        return torch.where(kept, input * (1 / (1 - self.p)), 0.0)


def counted_mask(seeds_K2: Tensor, site: int, like: Tensor, p: float) -> Tensor:
    """Where values are kept: a hash of seed, site and place, for rows divided among K models."""
    models = seeds_K2.shape[0]
    place = torch.arange(like.numel() // models, dtype=torch.int32, device=like.device)
    low, high = seeds_K2[:, :1], seeds_K2[:, 1:]
    # A word for each model and layer first: what is done for every place should be short. The place
    # is added before anything is multiplied, or a compiler takes it for an index that is too large.
    own = _mix(_mix(low * _GOLDEN) + (high + site * _FIRST % 2**31))
    word = _mix((place + own) * _GOLDEN)
    # The highest 31 bits of the word are uniform: values below the share p of them are dropped.
    return ((word >> 1) & 0x7FFFFFFF).view(like.shape) >= int(p * 2**31)


def _mix(x: Tensor) -> Tensor:
    """A bijection of 32 bits in which every bit of x changes about half of the result's."""
    x = x ^ ((x >> 16) & 0xFFFF)
    x = x * _FIRST
    x = x ^ ((x >> 15) & 0x1FFFF)
    x = x * _SECOND
    return x ^ ((x >> 16) & 0xFFFF)


# For each model: its generator, its rows and characters, and how many are packed (0: none are).
Drawing = Sequence[tuple[torch.Generator, tuple[int, int], int]]


class StackedDropout(nn.Module):
    """One dropout layer for K models; not an nn.Dropout, so that no fused form draws for it."""

    seeds: Tensor | None = None
    site: int = 0

    def __init__(self, like: nn.Dropout, models: int) -> None:
        super().__init__()
        self.p, self.models = like.p, models
        self.drawing: Drawing = ()

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        if self.seeds is not None:
            kept = counted_mask(self.seeds, self.site, x, self.p)
            return torch.where(kept, x * (1 / (1 - self.p)), 0.0)
        assert len(self.drawing) == self.models, "the learner says what is drawn with"
        mask = x.new_zeros((self.models, x.shape[0] // self.models, *x.shape[1:]))
        for part, (generator, shape, packed) in zip(mask, self.drawing, strict=True):
            own = x.new_empty(_own_shape(x, shape, packed))
            own.bernoulli_(1 - self.p, generator=generator)
            part[tuple(slice(size) for size in own.shape)] = own
        return x * mask.flatten(0, 1).div_(1 - self.p)


def _own_shape(x: Tensor, shape: tuple[int, int], packed: int) -> tuple[int, ...]:
    """The shape of what one model drops: attention weights (B, H, T, T), or characters."""
    rows, width = shape
    if x.dim() == 4:
        return rows, x.shape[1], width, width
    return (packed, x.shape[-1]) if x.dim() == 2 else (rows, width, x.shape[-1])
