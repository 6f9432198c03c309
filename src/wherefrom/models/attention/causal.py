"""Causal self-attention, under minGPT's names.

Shapes: B rows, T new characters, S characters seen, H heads, D head width, C = H x D.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.attention.cache import Cache


class CausalSelfAttention(nn.Module):
    """A mixer: `weights` says where each position looks, `mix` averages the values there.

    `forward` is the fused shortcut of the two, tested equal. Built from anything with n_embd,
    n_head, block_size, attn_pdrop and resid_pdrop (and bias, default true).
    """

    cacheable = True
    positional = False  # the model must add learned positions
    mask: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__()
        width, bias = config.n_embd, getattr(config, "bias", True)
        self.key = nn.Linear(width, width, bias=bias)
        self.query = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)
        self.attn_drop = nn.Dropout(config.attn_pdrop)
        self.resid_drop = nn.Dropout(config.resid_pdrop)
        self.proj = nn.Linear(width, width, bias=bias)
        block = config.block_size
        self.register_buffer("mask", torch.ones(block, block).tril().view(1, 1, block, block))
        self.n_head = config.n_head
        self.max_input: int = block

    def project(self, x_BTC: Tensor, positions_BT: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (B, H, T, D): one product of the three weights."""
        layers = (self.query, self.key, self.value)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.query.bias is None else torch.cat([layer.bias for layer in layers])
        parts = F.linear(x_BTC, weight, bias).unflatten(-1, (3, self.n_head, -1))
        q_and_k, v = parts.permute(2, 0, 3, 1, 4).split((2, 1))
        q, k = self.place(q_and_k, positions_BT)
        return q, k, v[0]

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        """Where a mixer that knows positions puts them in; this one does not."""
        return q_and_k_2BHTD

    def weights(self, x_BTC: Tensor) -> Tensor:
        """How much position t takes from position s: (B, H, T, S), rows sum to one."""
        q, k, _ = self.project(x_BTC, None)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        t = x_BTC.shape[1]
        return scores.masked_fill(self.mask[:, :, :t, :t] == 0, -1e10).softmax(-1)

    def mix(self, weights_BHTS: Tensor, values_BHSD: Tensor) -> Tensor:
        """The weighted values, heads side by side, through the output projection."""
        mixed = self.attn_drop(weights_BHTS) @ values_BHSD
        return self.resid_drop(self.proj(mixed.transpose(1, 2).flatten(2)))

    def forward(
        self,
        x_BTC: Tensor,
        positions_BT: Tensor | None = None,
        cache: Cache | None = None,
        layer: int = 0,
    ) -> Tensor:
        q, k, v = self.project(x_BTC, positions_BT)
        seen = None
        if cache is not None:
            assert positions_BT is not None
            k, v = cache.write(layer, k, v, positions_BT)
            keys = torch.arange(k.shape[2], device=k.device)
            seen = keys <= positions_BT[:, None, :, None]
        dropout = self.attn_drop.p if self.training else 0.0
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=seen, dropout_p=dropout, is_causal=seen is None
        )
        return self.resid_drop(self.proj(mixed.transpose(1, 2).flatten(2)))
