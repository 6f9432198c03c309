"""The next word from the one before: bigrams drawn evenly from all of a text's."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wherefrom.core.contracts import Batch, Document
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.core.words import BEGIN_ID, END_ID, WordVocabulary


@dataclass(frozen=True)
class BigramsConfig:
    kind: ClassVar[str] = "bigrams"


def bigrams(documents: Iterable[Document], vocabulary: WordVocabulary) -> np.ndarray:
    """Every (previous, next) of the documents, [N, 2]; none reaches from one into another.

    Each document stands between begin and end, so n words make n + 1 bigrams.
    """
    ids = [vocabulary.encode(document.text) for document in documents]
    flat = np.array([i for sentence in ids for i in (BEGIN_ID, *sentence, END_ID)], np.int64)
    previous = flat[:-1]
    return np.stack([previous, flat[1:]], 1)[previous != END_ID]


class Bigrams:
    """Rows are drawn with replacement, so that a step needs to know nothing of those before."""

    def __init__(self, pairs: np.ndarray, *, rows: int, seed: int, stage: int) -> None:
        if not len(pairs):
            raise BadData("text: expected at least one sentence to train on, found none")
        self.pairs, self.rows, self.seed, self.stage = pairs, rows, seed, stage
        self.items = len(pairs)

    def plan(self, first_step: int, count: int) -> np.ndarray:
        """Places in `pairs`, [count, rows]."""
        steps = np.arange(first_step, first_step + count, dtype=np.int64)[:, None]
        rows = np.arange(self.rows, dtype=np.int64)
        word = draws(
            1, seed=self.seed, stream=Stream.ORDER, stage=self.stage, step=steps, row=rows
        )[0]
        return below(word, len(self.pairs))

    def render(self, plan: np.ndarray, index: int) -> Batch:
        chosen = self.pairs[plan[index]]
        return Batch(chosen[:, 0], chosen[:, 1], np.ones(len(chosen)))
