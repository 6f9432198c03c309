"""What the attention mixers share: what they declare, and how heads become one again.

Shapes: B rows, T characters, S characters looked at, H heads, D head width, C = H x D.
"""

import math
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from wherefrom.models.affine import affine
from wherefrom.models.attention.packing import Packing
from wherefrom.models.block import Arrangement
from wherefrom.models.dropout import Dropout


class Mixer(nn.Module):
    """`weights` says where each position looks, `mix` averages the `values` there.

    `forward` is the fused shortcut of the three, tested equal. Built from anything with n_embd,
    n_head, block_size, attn_pdrop and resid_pdrop (and bias, default true).
    """

    cacheable: ClassVar[bool] = True  # can go on from a Cache
    packable: ClassVar[bool] = True  # takes a Packing
    positional: ClassVar[bool] = False  # brings positions; else the model adds learned ones
    compares: ClassVar[bool] = True  # scores are products of queries and keys
    stackable: ClassVar[bool] = True  # has a form for several models at once (stacked.py)
    unread: ClassVar[int] = 0  # how much shorter than block_size the longest input is
    arrangement: ClassVar[type[Arrangement]] = Arrangement
    attn_drop: nn.Dropout
    resid_drop: nn.Dropout
    proj: nn.Linear
    mask: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.n_head: int = config.n_head
        self.max_input: int = config.block_size - self.unread

    def _linear(self, config: Any) -> nn.Linear:
        return nn.Linear(config.n_embd, config.n_embd, bias=getattr(config, "bias", True))

    def _add_output(self, config: Any) -> None:
        """The children that every mixer ends with; print-outs show the order they are made in."""
        self.attn_drop = Dropout(config.attn_pdrop)
        self.resid_drop = Dropout(config.resid_pdrop)
        self.proj = self._linear(config)
        block = config.block_size
        self.register_buffer("mask", torch.ones(block, block).tril().view(1, 1, block, block))

    def _add_comparison(self, config: Any) -> None:
        """The children of a mixer that compares queries with keys."""
        self.key = self._linear(config)
        self.query = self._linear(config)
        self.value = self._linear(config)
        self._add_output(config)
        self.qk_norm: bool = getattr(config, "qk_norm", False)

    def compare(self, q_BHTD: Tensor, k_BHSD: Tensor) -> Tensor:
        """The weights (B, H, T, S): rows sum to one, over positions up to their own."""
        scores = q_BHTD @ k_BHSD.transpose(-2, -1) / math.sqrt(k_BHSD.shape[-1])
        return scores.masked_fill(~self.see(q_BHTD.shape[2], k_BHSD.shape[2]), -1e10).softmax(-1)

    def see(self, asking: int, asked: int) -> Tensor:
        """The top left corner of the causal triangle, whichever side is longer."""
        return self.mask[:, :, :asking, :asked] != 0

    def mix(
        self, weights_BHTS: Tensor, values_BHSD: Tensor, packing: Packing | None = None
    ) -> Tensor:
        """The weighted values, heads side by side, through the output projection."""
        return self.join(self.attn_drop(weights_BHTS) @ values_BHSD, packing)

    def join(self, mixed_BHTD: Tensor, packing: Packing | None = None) -> Tensor:
        mixed = mixed_BHTD.transpose(1, 2).flatten(2)
        if packing is not None:
            mixed = packing.pack(mixed)
        return self.resid_drop(self.proj(mixed))


def project(x: Tensor, layers: tuple[nn.Linear, ...], packing: Packing | None = None) -> Tensor:
    """x through all layers in one product, (B, T, layers x C): a packed x is spread over rows."""
    weight = torch.cat([layer.weight for layer in layers], -2)
    bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers], -1)
    found = affine(x, weight, bias)
    return found if packing is None else packing.spread(found)
