"""Causal self-attention whose queries and keys are rotated by their position (RoPE)."""

from typing import Any, ClassVar

import torch
from torch import Tensor

from wherefrom.models.attention.causal import CausalSelfAttention
from wherefrom.models.attention.unpadded import Angles


class RotarySelfAttention(CausalSelfAttention):
    """Position p turns the i-th pair of a head by p x base^(-2i/D) before the product.

    The pair of dimension i is i + D/2. The table is recomputed from the config, so it is not
    part of the weights.
    """

    positional: ClassVar[bool] = True
    cos: Tensor
    sin: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        half = config.n_embd // config.n_head // 2
        rates = getattr(config, "rope_base", 10000.0) ** (-torch.arange(half) / half)
        angles = torch.arange(config.block_size)[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    @property
    def angles(self) -> Angles:
        return self.cos, self.sin

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        if positions_BT is None:
            length = q_and_k_2BHTD.shape[-2]
            cos, sin = self.cos[:length], self.sin[:length]
        else:
            cos, sin = self.cos[positions_BT][:, None], self.sin[positions_BT][:, None]
        a, b = q_and_k_2BHTD.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def place_packed(self, q_and_k_N2HD: Tensor, positions_N: Tensor) -> Tensor:
        """The same with each pair's other half brought beside it, which a compiler fuses better."""
        cos = torch.cat((self.cos, self.cos), -1)[positions_N][:, None, None]
        sin = torch.cat((-self.sin, self.sin), -1)[positions_N][:, None, None]
        return q_and_k_N2HD * cos + q_and_k_N2HD.roll(q_and_k_N2HD.shape[-1] // 2, -1) * sin
