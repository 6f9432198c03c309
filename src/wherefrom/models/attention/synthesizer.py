"""Attention that is not compared but written down: the scores come from one position alone.

Tay et al., "Synthesizer: Rethinking Self-Attention in Transformer Models", the dense form.

Shapes: B rows, T characters, S characters looked at, H heads, D head width.
"""

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.affine import affine
from wherefrom.models.attention.mixer import QKV, Mixer, project


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

    def project(self, x_BTC: Tensor, positions_BT: Tensor | None = None) -> QKV:
        """ReLU(x w1) in place of queries, no keys, and the values."""
        parts = project(x_BTC, self.w1, self.value).unflatten(-1, (2, self.n_head, -1))
        hidden, v = parts.permute(2, 0, 3, 1, 4)
        return F.relu(hidden), v[..., :0], v

    def score(self, q_BHTD: Tensor, k_BHSD: Tensor) -> Tensor:
        count = k_BHSD.shape[2]
        return affine(q_BHTD, self.w2[..., :count].mT, self.b2[..., :count])
