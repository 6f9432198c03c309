"""The next character in windows of one long text, which begin anywhere in it.

Shapes: S steps, B rows, T characters.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from wherefrom.core.bounds import check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import EVERY_ROW, Batch, Document
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.core.vocabulary import Alphabet

LONGEST = 2**17  # characters of a window


class WindowsConfig(TaggedConfig, frozen=True, tag="windows"):
    """`length` characters are read, and the next one is the target of each: 0 is the model's block.

    Nothing is carried from one window into another, so a recurrent model begins each anew.
    """

    length: int = 0

    def __post_init__(self) -> None:
        check_whole(self, "length", 0, LONGEST, "0: the model's block")


def stream(
    documents: Iterable[Document], vocabulary: Alphabet, device: torch.device | str = "cpu"
) -> Tensor:
    """The documents as one row of numbers."""
    ids = [i for document in documents for i in vocabulary.encode(document.text)]
    return torch.tensor(ids, dtype=torch.long, device=device)


class Windows:
    """Windows are drawn with replacement, so that a step needs to know nothing of those before."""

    def __init__(self, tokens: Tensor, *, length: int, rows: int, seed: int, stage: int) -> None:
        check(length > 0, "WindowsConfig", "length", length, "above 0: this model has no block")
        if len(tokens) <= length:
            raise BadData(
                f"text: expected more than {length} characters to train on, one window, found "
                f"{len(tokens)}; name a longer text, or shorten the window"
            )
        self.tokens, self.width, self.rows = tokens, length, rows
        self.seed, self.stage = seed, stage
        self.items = len(tokens) // length
        self._places = torch.arange(length + 1, device=tokens.device)

    def plan(self, first_step: int, count: int) -> Tensor:
        """Where each window begins, (S, B): anywhere that leaves a character after the last."""
        device = self.tokens.device
        steps = torch.arange(first_step, first_step + count, device=device)[:, None]
        rows = torch.arange(self.rows, device=device)
        address = {"seed": self.seed, "stream": Stream.ORDER, "stage": self.stage}
        (word,) = draws(1, step=steps, row=rows.expand(count, -1), **address)
        return below(word, len(self.tokens) - self.width)

    def render(self, plan: Tensor, index: int, rows: slice = EVERY_ROW) -> Batch:
        return self._read(plan[index, rows])

    def outline(self, plan: Tensor, index: int) -> tuple[Tensor, int]:
        return torch.full_like(plan[index], self.width), self.width

    def render_all(self, plan: Tensor, rows: slice = EVERY_ROW) -> Batch:
        return self._read(plan[:, rows])

    def _read(self, begin: Tensor) -> Batch:
        window = self.tokens[begin[..., None] + self._places]
        inputs, targets = window[..., :-1], window[..., 1:]
        weights = torch.ones_like(targets, dtype=torch.float32)
        return Batch(inputs, targets, weights, torch.full_like(begin, self.width))
