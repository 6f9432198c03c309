"""Causal self-attention whose queries and keys are rotated by their position (RoPE)."""

from typing import Any

import torch
from torch import Tensor

from wherefrom.models.attention.causal import CausalSelfAttention


class RotarySelfAttention(CausalSelfAttention):
    """Position p turns the i-th pair of a head by p x base^(-2i/D) before the product.

    The pair of dimension i is i + D/2. The table is recomputed from the config, so it is not
    part of the weights.
    """

    positional = True
    cos: Tensor
    sin: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        half = config.n_embd // config.n_head // 2
        rates = getattr(config, "rope_base", 10000.0) ** (-torch.arange(half) / half)
        angles = torch.arange(config.block_size)[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def place(self, q: Tensor, k: Tensor, positions_BT: Tensor | None) -> tuple[Tensor, Tensor]:
        if positions_BT is None:
            cos, sin = self.cos[: q.shape[2]], self.sin[: q.shape[2]]
        else:
            cos, sin = self.cos[positions_BT][:, None], self.sin[positions_BT][:, None]
        return _rotate(q, cos, sin), _rotate(k, cos, sin)


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
