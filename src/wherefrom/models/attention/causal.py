"""Causal self-attention, under minGPT's names.

Shapes: B rows, T characters, H heads, D head width.
"""

from typing import Any

import torch.nn.functional as F
from torch import Tensor

from wherefrom.models.attention.mixer import QKV, Mixer, project

NORM_EPS = 1e-6  # one for all precisions


class CausalSelfAttention(Mixer):
    """Each position compares its query with the keys of all up to itself."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._add_comparison(config)

    def project(self, x_BTC: Tensor, positions_BT: Tensor | None = None) -> QKV:
        """Queries, keys and values, each (B, H, T, D): one product of the three weights."""
        parts = project(x_BTC, self.query, self.key, self.value)
        parts = parts.unflatten(-1, (3, self.n_head, -1))
        q_and_k, v = parts.permute(2, 0, 3, 1, 4).split((2, 1))
        if self.qk_norm:
            q_and_k = normalise(q_and_k)
        q, k = self.place(q_and_k, positions_BT)
        return q, k, v[0]

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        """Where a mixer that knows positions puts them in; this one does not."""
        return q_and_k_2BHTD


def normalise(x_D: Tensor) -> Tensor:
    """Length sqrt(D) for every head's query or key, so that no score can run away."""
    return F.rms_norm(x_D, x_D.shape[-1:], eps=NORM_EPS)
