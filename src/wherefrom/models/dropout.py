"""Dropout whose masks one model and a stack of models draw alike.

On a CPU, a mask comes from torch's generator, which is seeded in every step. A captured step cannot
ask the host: there a mask is a hash of the step's seed, the number of the layer and the place in
the model's own rows, the same whatever stands beside them.
"""

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
