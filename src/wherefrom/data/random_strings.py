"""Strings of random letters: text in which nothing can be learnt but the strings themselves."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wherefrom.core.bounds import check_whole
from wherefrom.core.contracts import Dataset, Document, Span, StoredSpan
from wherefrom.core.randomness import Stream, below, draws

LETTERS = "abcdefghijklmnop"
LETTER_BITS = math.log2(len(LETTERS))
MOST_STRINGS, LONGEST = 1_000_000, 1000
STRING = "string"


@dataclass(frozen=True)
class RandomStringsConfig:
    """`strings` strings of `length` letters, each letter evenly one of 16: 4 bits."""

    kind: ClassVar[str] = "random-strings"
    strings: int = 1000
    length: int = 24

    def __post_init__(self) -> None:
        check_whole(self, "strings", 2, MOST_STRINGS)
        check_whole(self, "length", 2, LONGEST)


def load(config: RandomStringsConfig, seed: int) -> Dataset:
    row = np.arange(config.strings, dtype=np.int64)
    place = {"seed": seed, "stream": Stream.WORLD, "stage": 2, "step": 0}
    words = draws(config.length, row=row, **place)
    letters = np.stack([below(word, len(LETTERS)) for word in words], 1)
    texts = ("".join(LETTERS[i] for i in string) for string in letters)
    return Dataset(tuple(Document(text) for text in texts))


def find_stored_spans(dataset: Dataset) -> Iterator[StoredSpan]:
    """Each string but for its first letter, before which nothing stands to predict it from."""
    # Which string it is, but for what its first letter says of it.
    unforeseen = max(math.log2(len(dataset.documents)) - LETTER_BITS, 0.0)
    for number, document in enumerate(dataset.documents):
        span = Span(1, len(document.text))
        bits = LETTER_BITS * (span.end - span.start)
        yield StoredSpan(document.text, STRING, number, span, bits, unforeseen)
