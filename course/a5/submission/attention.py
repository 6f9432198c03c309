"""The attentions of the assignment, built from anything with n_embd, n_head, block_size and the
dropouts.

Shapes: B rows, T characters, H heads, D head width, C = H x D.
"""

from typing import Any

import torch.nn.functional as F
from torch import Tensor

from wherefrom.models.attention import causal, perceiver, rope, synthesizer

CausalCrossAttention = perceiver.CausalCrossAttention


class CausalSelfAttention(causal.CausalSelfAttention):
    """softmax(Q K^T / sqrt(D)) V for each head, of what is not in the future.

    A config with `rope` set gets queries and keys that are rotated by their position.
    """

    def __new__(cls, config: Any = None) -> "CausalSelfAttention":  # a copy is made without
        rotary = cls is CausalSelfAttention and getattr(config, "rope", False)
        return super().__new__(RotarySelfAttention if rotary else cls)


class RotarySelfAttention(rope.RotarySelfAttention, CausalSelfAttention):
    """Prints as the class that the course switches by a flag."""

    def _get_name(self) -> str:
        return "CausalSelfAttention"


class SynthesizerAttention(synthesizer.SynthesizerAttention):
    """softmax(ReLU(X A + b1) B + b2) (X V) for each head: equation (3) of the hand-out.

    Children and parameters: w1 (A and b1 of all heads side by side), w2 (B, shared by the heads,
    D x longest input), b2, value (V), attn_drop, resid_drop, proj, and the buffer mask.
    """

    cacheable = packable = False  # what is written below is given whole rows, and always used

    def forward(self, x: Tensor, *_: Any) -> Tensor:
        """x is (B, T, C), and so is what comes back.

        [part g]: scores for each head from its own part of w1's output; what is in the future
        (`mask` is 0 there) gets -1e10; softmax; attn_drop; the weighted values, heads side by
        side; proj; resid_drop. T may be shorter than what w2 and b2 have columns for.
        """
        ### [part g]
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


class WideSynthesizerAttention(SynthesizerAttention):
    """With a column of w2 for every place of a block, for the years whose inputs fill it."""

    unread = 0

    def _get_name(self) -> str:
        return "SynthesizerAttention"
