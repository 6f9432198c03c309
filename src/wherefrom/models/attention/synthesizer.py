"""Attention that is not compared but written down: the scores come from one position alone.

Tay et al., "Synthesizer: Rethinking Self-Attention in Transformer Models", the dense form.

Shapes: B rows, T new characters, S characters seen, H heads, D head width, C = H x D.
"""

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.affine import affine
from wherefrom.models.attention.kv_cache import Cache
from wherefrom.models.attention.mixer import Mixer, project
from wherefrom.models.attention.packing import Packing


class SynthesizerAttention(Mixer):
    """Column s of w2 asks a position whether it wants to look at position s, whatever is there.

    So there are as many positions as w2 has columns, one less than block_size: the course's
    texts lose a character when they are cut into inputs and targets. Of the past, only the
    values are needed.
    """

    compares: ClassVar[bool] = False
    unread: ClassVar[int] = 1

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        width, longest = config.n_embd // config.n_head, self.max_input
        self.w1 = self._linear(config)
        self.w2 = nn.Parameter(torch.empty(width, longest).uniform_(-0.001, 0.001))
        self.b2 = nn.Parameter(torch.zeros(longest))
        self.value = self._linear(config)
        self._add_output(config)

    def project(self, x: Tensor, packing: Packing | None = None) -> tuple[Tensor, Tensor]:
        """ReLU(x w1) and the values, each (B, H, T, D)."""
        parts = project(x, (self.w1, self.value), packing).unflatten(-1, (2, self.n_head, -1))
        hidden, v = parts.permute(2, 0, 3, 1, 4)
        return F.relu(hidden), v

    def weights(self, x_BTC: Tensor) -> Tensor:
        """How much position t takes from position s: (B, H, T, S), rows sum to one."""
        t = x_BTC.shape[1]
        return self._weights(self.project(x_BTC)[0], self.see(t, t))

    def _weights(self, hidden_BHTD: Tensor, seen: Tensor) -> Tensor:
        count = seen.shape[-1]
        scores = affine(hidden_BHTD, self.w2[..., :count].mT, self.b2[..., :count])
        return scores.masked_fill(~seen, -1e10).softmax(-1)

    def values(self, x_BTC: Tensor) -> Tensor:
        """What each position gives to those that look at it: (B, H, T, D)."""
        return self.project(x_BTC)[1]

    def forward(
        self,
        x: Tensor,
        positions_BT: Tensor | None = None,
        cache: Cache | None = None,
        layer: int = 0,
        packing: Packing | None = None,
    ) -> Tensor:
        hidden, v = self.project(x, packing)
        if cache is None:
            t = hidden.shape[2]
            seen = self.see(t, t)
        else:
            assert positions_BT is not None
            _, v = cache.write(layer, hidden[..., :0], v, positions_BT)
            seen = torch.arange(v.shape[2], device=v.device) <= positions_BT[:, None, :, None]
        return self.mix(self._weights(hidden, seen), v, packing)
