"""What decoding and scoring ask of a model, and texts of unequal length as its batches.

Shapes: R rows, T characters, P positions, N rows named by an index, V vocabulary.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self

import torch
from torch import Tensor, nn

from wherefrom.core.vocabulary import PAD_ID


class Store(Protocol):
    """Rows of text that a model has read: its own cache, or a bare transcript."""

    tokens_RP: Tensor
    lengths_R: Tensor

    def part(self, start: int, stop: int) -> Self:
        """Those rows, sharing memory with these."""
        ...

    def move(self, source_N: Tensor, target_N: Tensor, first: int = 0) -> None:
        """Copy rows over others, from position `first` on."""
        ...

    def grow(self, count_R: Tensor) -> None: ...

    def resized(self, rows: int, positions: int) -> Self: ...


class LanguageModel(Protocol):
    """Characters to logits, (R, T) to (R, T, V); no character may change those before it.

    With a cache, the characters follow each row's own text and only they are computed.
    """

    training: bool

    @property
    def max_input(self) -> int: ...

    @property
    def cacheable(self) -> bool: ...

    def new_cache(self, rows: int, positions: int) -> Any: ...

    def __call__(self, tokens_RT: Tensor, cache: Any = None, /) -> Tensor: ...

    def parameters(self) -> Iterator[nn.Parameter]: ...

    def train(self, mode: bool = True) -> Any: ...


def device_of(model: LanguageModel) -> torch.device:
    return next(model.parameters()).device


@contextmanager
def reading(model: LanguageModel) -> Iterator[None]:
    """No gradients and no dropout inside; afterwards the model trains on if it did before."""
    trained = model.training
    if trained:
        model.train(False)
    try:
        with torch.inference_mode():
            yield
    finally:
        if trained:
            model.train(True)


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
