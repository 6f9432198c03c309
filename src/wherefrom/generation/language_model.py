"""What decoding and scoring ask of a model, and texts of unequal length as its batches.

Shapes: R rows, T characters, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from wherefrom.core.vocabulary import PAD_ID
from wherefrom.training.rank_group import current_ranks

ON_CPU, ON_GPU = 2048, 65536  # characters that are read at once
T = TypeVar("T")


class LanguageModel(Protocol):
    """Characters to logits, (R, T) to (R, T, V); no character may change those before it.

    With a cache, the characters follow each row's own text and only they are computed. A cache has
    the `lengths_R` of its texts. `part` has some of the rows in the same memory, `grow` says how
    many of the characters just read are real, and `move` copies rows over others.
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
    model.train(False)
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(trained)


def groups(lengths: Sequence[int], device: torch.device) -> Iterator[slice]:
    """Neighbours of an ascending list whose rectangle, padding included, is worth reading at once.

    A CPU works best inside its cache, a GPU when full.
    """
    start, budget = 0, ON_CPU if device.type == "cpu" else ON_GPU
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


def divide(
    pieces: Sequence[T], work: Callable[[Sequence[T]], list[Any]], pack: Callable[[Any], Any] = list
) -> list[Any]:
    """What the work makes of each piece. Ranks divide the pieces; what they make is packed to
    travel as JSON."""
    if (ranks := current_ranks()) is None:
        return work(pieces)
    found: list[Any] = [None] * len(pieces)
    own = [pack(made) for made in work(pieces[ranks.rows])]
    for rank, theirs in enumerate(ranks.exchange(pieces, own)):
        found[rank :: ranks.size] = theirs
    return found
