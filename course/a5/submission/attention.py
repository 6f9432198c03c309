"""The attentions of the assignment, built from anything with n_embd, n_head, block_size and the
dropouts.

Shapes: B rows, T characters, H heads, D head width, C = H x D.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.attention import causal, perceiver
from wherefrom.models.attention.mixer import Mixer

from .utils import current_year


def precompute_rotary_emb(dim: int, max_positions: int) -> Tensor:
    """cos and sin of t x 10000^(-2i/dim) for position t and pair i: (max_positions, dim/2, 2)."""
    ### [part g: rope]
    ### START_CODE_HERE ###
    rates = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angles = torch.arange(max_positions)[:, None] * rates
    return torch.stack((angles.cos(), angles.sin()), -1)
    ### END_CODE_HERE ###


def apply_rotary_emb(x: Tensor, rope_cache: Tensor) -> Tensor:
    """x (B, H, T, D) with its neighbours, each two as one complex number, turned by their place.

    T may be shorter than what the cache has rows for.
    """
    ### [part g: rope]
    ### START_CODE_HERE ###
    cos, sin = rope_cache[: x.shape[2]].unbind(-1)  # (T, D/2)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
    ### END_CODE_HERE ###


class CausalSelfAttention(causal.CausalSelfAttention):
    """softmax(Q K^T / sqrt(D)) V for each head, of what is not in the future.

    A config with `rope` set gets queries and keys that are rotated by their position.
    """

    def __new__(cls, config: Any = None) -> "CausalSelfAttention":  # a copy is made without
        rotary = cls is CausalSelfAttention and getattr(config, "rope", False)
        return super().__new__(RotarySelfAttention if rotary else cls)


class RotarySelfAttention(CausalSelfAttention):
    """The form of the class that its flag chooses; it prints as that.

    The library turns dimension i with i + D/2 instead of 2i with 2i + 1: the same model, but
    for the order of a head's rows in `query` and `key`.
    """

    positional = True
    cacheable = False  # what is written above is given rows of equal positions
    rope_cache: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        width = config.n_embd // config.n_head
        self.register_buffer("rope_cache", precompute_rotary_emb(width, config.block_size))

    def place(self, q_and_k_2BHTD: Tensor, positions_BT: Tensor | None) -> Tensor:
        cache = self.rope_cache if positions_BT is None else self.rope_cache[positions_BT[0]]
        q, k = (apply_rotary_emb(x, cache) for x in q_and_k_2BHTD)
        return torch.stack((q, k))

    def _get_name(self) -> str:
        return "CausalSelfAttention"


class CausalCrossAttention(perceiver.CausalCrossAttention):
    """Each position of x_q looks at those of x_kv that are not after it.

    One of the two may have a single row, which then goes with every row of the other.
    """

    inner = CausalSelfAttention

    def forward(self, x_kv: Tensor, x_q: Tensor) -> Tensor:  # pyright: ignore
        rows = max(len(x_kv), len(x_q))
        x_kv, x_q = (x.expand(rows, -1, -1) for x in (x_kv, x_q))
        return super().forward(x_q, x_kv)


class SynthesizerAttention(Mixer):
    """softmax(ReLU(X A + b1) B + b2) (X V) for each head: equation (3) of the hand-out.

    Children and parameters: w1 (A and b1 of all heads side by side), w2 (B, shared by the heads,
    D x longest input), b2, value (V), attn_drop, resid_drop, proj, and the buffer mask.
    """

    cacheable = packable = compares = False  # what is written below is given whole rows
    # The course's texts lose a character when they are cut into inputs and targets, but for one
    # year's, whose inputs fill the block.
    unread = 1 - current_year().more

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        width, longest = config.n_embd // config.n_head, self.max_input
        self.w1 = nn.Linear(config.n_embd, config.n_embd)
        self.w2 = nn.Parameter(torch.empty(width, longest).uniform_(-0.001, 0.001))
        self.b2 = nn.Parameter(torch.zeros(longest))
        self.value = nn.Linear(config.n_embd, config.n_embd)
        self._add_output(config)

    def forward(self, x: Tensor, *_: Any) -> Tensor:
        """x is (B, T, C), and so is what comes back.

        [part g: synthesizer]: scores for each head from its own part of w1's output; what is in
        the future (`mask` is 0 there) gets -1e10; softmax; attn_drop; the weighted values, heads
        side by side; proj; resid_drop. T may be shorter than what w2 and b2 have columns for.
        """
        ### [part g: synthesizer]
        ### START_CODE_HERE ###
        B, T, C = x.size()
        heads = (B, T, self.n_head, C // self.n_head)
        hidden = F.relu(self.w1(x)).view(heads).transpose(1, 2)  # (B, H, T, D)
        values = self.value(x).view(heads).transpose(1, 2)  # (B, H, T, D)
        scores = hidden @ self.w2[:, :T] + self.b2[:T]  # (B, H, T, T)
        scores = scores.masked_fill(self.mask[:, :, :T, :T] == 0, -1e10)
        weights = self.attn_drop(F.softmax(scores, dim=-1))
        mixed = (weights @ values).transpose(1, 2).reshape(B, T, C)
        return self.resid_drop(self.proj(mixed))
        ### END_CODE_HERE ###
