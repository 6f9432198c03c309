"""Hashed character n-grams added to the input.

A character model spends its first layers on finding out which few letters it has just read.
Looking up an embedding of the last 2, 3 and 4 characters gives it that at once; it is what lets
one or two narrow layers bind a two-word name to a fact.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.attention.packing import Packing

_MULTIPLIER, _STEP, _OFFSET = 101, 7919, 31


class NgramEmbedding(nn.Module):
    """The sum of one embedding for each n-gram order from 2 to `longest`, from hashed tables."""

    def __init__(self, longest: int, buckets: int, width: int) -> None:
        super().__init__()
        self.longest, self.buckets = longest, buckets
        self.table = nn.Embedding(buckets * (longest - 1), width)

    def indices(self, tokens_BT: Tensor) -> Tensor:
        """Rows of the table, (B, T, longest - 1); before the first character stands pad."""
        length, code, found = tokens_BT.shape[1], tokens_BT, []
        for back in range(1, self.longest):
            earlier = F.pad(tokens_BT, (back, 0))[:, :length]
            code = code * _MULTIPLIER + earlier * (_STEP * back + _OFFSET)
            found.append(code % self.buckets + self.buckets * (back - 1))
        return torch.stack(found, -1)

    def forward(self, tokens_BT: Tensor, packing: Packing | None = None) -> Tensor:
        """(B, T, width); with a packing (N, width): what stood before is known in rows alone."""
        rows = self.indices(tokens_BT)
        if packing is not None:
            return self.add_up(packing.pack(rows))
        return self.add_up(rows.flatten(0, 1)).unflatten(0, tokens_BT.shape)

    def add_up(self, rows: Tensor) -> Tensor:
        return F.embedding_bag(rows, self.table.weight, mode="sum")
