"""Texts of unequal length as few and nearly rectangular batches."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from wherefrom.core.vocabulary import PAD_ID


def reading_budget(device: torch.device) -> int:
    """Characters worth reading at once: a CPU works best inside its cache, a GPU when full."""
    return 2048 if device.type == "cpu" else 65536


def groups(lengths: Sequence[int], budget: int) -> Iterator[slice]:
    """Neighbours of an ascending list whose rectangle, padding included, keeps to the budget."""
    start = 0
    for i, longest in enumerate(lengths):
        if i > start and (i - start + 1) * longest > budget:
            yield slice(start, i)
            start = i
    if lengths:
        yield slice(start, len(lengths))


def pad(texts: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """(rows, longest) with pad on the right."""
    longest = max(map(len, texts))
    rows = [[*text, *[PAD_ID] * (longest - len(text))] for text in texts]
    return torch.tensor(rows, dtype=torch.long, device=device)
