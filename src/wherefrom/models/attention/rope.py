"""Causal self-attention whose queries and keys are rotated by their position (RoPE)."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from wherefrom.models.attention.causal import CausalSelfAttention


class RotarySelfAttention(CausalSelfAttention):
    """Position p turns the i-th pair of a head by p x base^(-2i/D) before the product.

    The pair of dimension i is i + D/2. The tables have a row for each position and a column for
    each dimension; they are recomputed from the config, so they are not part of the weights.
    """

    positional: ClassVar[bool] = True
    cos: Tensor
    sin: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        half = config.n_embd // config.n_head // 2
        rates = getattr(config, "rope_base", 10000.0) ** (-torch.arange(half) / half)
        angles = torch.arange(config.block_size)[:, None] * rates
        cos, sin = angles.cos(), angles.sin()
        self.register_buffer("cos", torch.cat((cos, cos), -1), persistent=False)
        self.register_buffer("sin", torch.cat((-sin, sin), -1), persistent=False)

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        if positions_BT is None:
            length = q_and_k_2BHTD.shape[-2]
            cos, sin = self.cos[:length], self.sin[:length]
        else:
            cos, sin = self.cos[positions_BT][:, None], self.sin[positions_BT][:, None]
        others = q_and_k_2BHTD.roll(q_and_k_2BHTD.shape[-1] // 2, -1)  # of each pair
        return q_and_k_2BHTD * cos + others * sin
