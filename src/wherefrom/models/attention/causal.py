"""Causal self-attention, under minGPT's names.

Shapes: B rows, T new characters, S characters seen, H heads, D head width, C = H x D.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.models.attention.kv_cache import Cache
from wherefrom.models.attention.mixer import Mixer, project
from wherefrom.models.attention.packing import Packing
from wherefrom.models.attention.unpadded import (
    NORM_EPS,
    OWN,
    Angles,
    attend_projected,
    attend_rows,
    choose_way,
)


class CausalSelfAttention(Mixer):
    """Each position compares its query with the keys of all up to itself."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._add_comparison(config)

    def project(
        self, x: Tensor, positions_BT: Tensor | None, packing: Packing | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each (B, H, T, D): one product of the three weights."""
        parts = project(x, (self.query, self.key, self.value), packing)
        parts = parts.unflatten(-1, (3, self.n_head, -1))
        q_and_k, v = parts.permute(2, 0, 3, 1, 4).split((2, 1))
        if self.qk_norm:
            q_and_k = normalise(q_and_k)
        q, k = self.place(q_and_k, positions_BT)
        return q, k, v[0]

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        """Where a mixer that knows positions puts them in; this one does not."""
        return q_and_k_2BHTD

    def weights(self, x_BTC: Tensor) -> Tensor:
        """How much position t takes from position s: (B, H, T, S), rows sum to one."""
        q, k, _ = self.project(x_BTC, None)
        return self.compare(q, k)

    def values(self, x_BTC: Tensor) -> Tensor:
        """What each position gives to those that look at it: (B, H, T, D)."""
        return self.project(x_BTC, None)[2]

    def forward(
        self,
        x: Tensor,
        positions_BT: Tensor | None = None,
        cache: Cache | None = None,
        layer: int = 0,
        packing: Packing | None = None,
    ) -> Tensor:
        dropout = self.attn_drop.p if self.training else 0.0
        if packing is not None:
            way = choose_way(x, packing, x.shape[-1] // self.n_head)
            if way is not None:
                return self._forward_unpadded(x, packing, way, dropout)
        q, k, v = self.project(x, positions_BT, packing)
        seen = None
        if cache is not None:
            assert positions_BT is not None
            k, v = cache.write(layer, k, v, positions_BT)
            keys = torch.arange(k.shape[2], device=k.device)
            seen = keys <= positions_BT[:, None, :, None]
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=seen, dropout_p=dropout, is_causal=seen is None
        )
        return self.join(mixed, packing)

    @property
    def angles(self) -> Angles:
        """The rotation of queries and keys, for a kernel that applies it; None here."""
        return None

    def _forward_unpadded(self, x_NC: Tensor, packing: Packing, way: str, dropout: float) -> Tensor:
        """Rows of their own lengths, one after the other: nothing is computed for padding."""
        parts = project(x_NC, (self.query, self.key, self.value))
        seeds = getattr(self.attn_drop, "seeds", None)
        if way == OWN and (dropout == 0 or seeds is not None):
            drawn = (dropout, seeds, getattr(self.attn_drop, "site", 0))
            mixed = attend_projected(parts, packing, self.n_head, self.angles, self.qk_norm, *drawn)
            return self.resid_drop(self.proj(mixed))
        parts_N3HD = parts.unflatten(-1, (3, self.n_head, -1))
        q_and_k, v = parts_N3HD.split((2, 1), 1)
        if self.qk_norm:
            q_and_k = normalise(q_and_k)
        q, k = self.place_packed(q_and_k, packing.positions_N).to(v.dtype).unbind(1)
        mixed_NHD = attend_rows(q, k, v[:, 0], packing, dropout)
        return self.resid_drop(self.proj(mixed_NHD.flatten(1)))

    def place_packed(self, q_and_k_N2HD: Tensor, positions_N: Tensor) -> Tensor:
        return q_and_k_N2HD


def normalise(x_D: Tensor) -> Tensor:
    """Length sqrt(D) for every head's query or key, so that no score can run away."""
    return F.rms_norm(x_D, x_D.shape[-1:], eps=NORM_EPS)
