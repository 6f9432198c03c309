import math

import torch
from torch import nn


class Heads(nn.Module):
    """What both attentions have in common."""

    def _prepare(self, config, inputs):
        self.n_head, width = config.n_head, config.n_embd
        for name in inputs:
            setattr(self, name, nn.Linear(width, width))

    def _finish(self, config):
        self.attn_drop = nn.Dropout(config.attn_pdrop)
        self.resid_drop = nn.Dropout(config.resid_pdrop)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        side = config.block_size
        self.register_buffer("mask", torch.tril(torch.ones(side, side))[None, None])

    def _split(self, x):
        rows, length, width = x.shape
        return x.reshape(rows, length, self.n_head, width // self.n_head).permute(0, 2, 1, 3)

    def _mix(self, scores, x):
        rows, length, width = x.shape
        scores = scores.masked_fill(self.mask[..., :length, :length] == 0, -1e10)
        mixed = self.attn_drop(scores.softmax(-1)) @ self._split(self.value(x))
        return self.resid_drop(self.proj(mixed.permute(0, 2, 1, 3).reshape(rows, length, width)))


class CausalSelfAttention(Heads):
    def __init__(self, config):
        super().__init__()
        self._prepare(config, ("key", "query", "value"))
        self._finish(config)

    def forward(self, x, layer_past=None):
        q, k = self._split(self.query(x)), self._split(self.key(x))
        return self._mix(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), x)


class SynthesizerAttention(Heads):
    def __init__(self, config):
        super().__init__()
        self._prepare(config, ("w1",))
        self.w2 = nn.Parameter(torch.zeros(config.n_embd // config.n_head, config.block_size - 1))
        self.b2 = nn.Parameter(torch.zeros(config.block_size - 1))
        self.w2.data.uniform_(-0.001, 0.001)
        self._prepare(config, ("value",))
        self._finish(config)

    def forward(self, x, layer_past=None):
        length = x.shape[1]
        hidden = self._split(torch.relu(self.w1(x)))
        return self._mix(hidden @ self.w2[:, :length] + self.b2[:length], x)
