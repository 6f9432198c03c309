"""A language model on whole texts: how probable it finds one, and how it goes on with one."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Alphabet
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.requests import Request
from wherefrom.generation.scoring import score

WINDOW = 512  # characters read at once of a model that could read on for ever


class TextScorer:
    """Gives every character of a text but its first a probability, given those before it.

    A text longer than the model reads is read in windows. Each begins with `overlap` of the one
    before, and only what follows that is scored: so every character but the first ones has at least
    that much text before it. With an overlap of 0 the windows are blocks, and the first character
    of each follows but one other.
    """

    def __init__(self, model: LanguageModel, vocabulary: Alphabet, overlap: float = 0.5) -> None:
        self.model, self.vocabulary, self.overlap = model, vocabulary, overlap
        self.window = min(model.max_input, WINDOW)

    def overlapping(self, overlap: float) -> "TextScorer":
        """The same with windows that share another part of each other."""
        return TextScorer(self.model, self.vocabulary, overlap)

    @property
    def details(self) -> dict[str, int]:
        """How the text was read: characters a window has, and those that are only read again."""
        return {"window": self.window, "read_again": self.window - self._stride}

    @property
    def _stride(self) -> int:
        return max(1, round(self.window * (1 - self.overlap)))

    def log_probabilities(self, text: str) -> np.ndarray:
        """Natural log-probability of every character of the text but its first."""
        ids = self.vocabulary.encode(text)
        if len(ids) < 2:
            raise BadData(f"text: expected at least 2 characters to score, found {len(ids)}")
        stride, window = self._stride, self.window
        begins = range(0, max(len(ids) - 1 - (window - stride), 1), stride)
        sequences = [ids[begin : begin + window + 1] for begin in begins]
        starts = [1, *[window - stride + 1] * (len(sequences) - 1)]
        return np.concatenate(score(self.model, sequences, starts))


def go_on(model: LanguageModel, prompt: Sequence[int], length: int, **chosen: Any) -> Iterator[int]:
    """`length` characters after a prompt, as they are chosen; `chosen` goes into the requests.

    A text that outgrows the model's input is continued from the latest half of the input.
    """
    text, piece, half = list(prompt), 0, max(1, model.max_input // 2)
    while length > 0:
        known = tuple(text[-half:] if piece else text)
        request = Request(known, max_new=length, stop=None, number=piece, **chosen)
        for token in Decoder(model).stream(request):
            text.append(token)
            length -= 1
            yield token
        piece += 1
