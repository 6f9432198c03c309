"""The next word from the one before: bigrams drawn evenly from a text, or all of them at once."""

import numpy as np

from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import EVERY_ROW, Batch
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws


class BigramsConfig(TaggedConfig, frozen=True, tag="bigrams"):
    """`table`: every step has all different bigrams, each weighted by how often it occurs.

    The gradient is then the text's own, without noise, and a step needs no batch size.
    """

    table: bool = False


class Bigrams:
    """Rows are drawn with replacement, so that a step needs to know nothing of those before."""

    def __init__(self, pairs: np.ndarray, *, rows: int, seed: int, stage: int) -> None:
        _require(pairs)
        self.pairs, self.rows, self.seed, self.stage = pairs, rows, seed, stage
        self.items = len(pairs)
        self._columns = np.ascontiguousarray(pairs.T)
        self._ones = np.ones(rows, np.float32)

    def plan(self, first_step: int, count: int) -> np.ndarray:
        """Places in `pairs`, [count, rows]."""
        steps = np.arange(first_step, first_step + count, dtype=np.int64)[:, None]
        rows = np.arange(self.rows, dtype=np.int64)
        word = draws(
            1, seed=self.seed, stream=Stream.ORDER, stage=self.stage, step=steps, row=rows
        )[0]
        return below(word, len(self.pairs))

    def render(self, plan: np.ndarray, index: int, rows: slice = EVERY_ROW) -> Batch:
        previous, following = self._columns
        drawn = plan[index, rows]
        return Batch(previous[drawn], following[drawn], self._ones[rows])


class BigramTable:
    """The whole text in every step: its different bigrams, and how often each occurs."""

    def __init__(self, pairs: np.ndarray) -> None:
        _require(pairs)
        different, counts = np.unique(pairs, axis=0, return_counts=True)
        self.batch = Batch(different[:, 0], different[:, 1], counts)
        self.items = len(pairs)

    def plan(self, first_step: int, count: int) -> np.ndarray:
        """Nothing is drawn: the steps' own numbers, [count]."""
        return np.arange(first_step, first_step + count, dtype=np.int64)

    def render(self, plan: np.ndarray, index: int, rows: slice = EVERY_ROW) -> Batch:
        whole = self.batch
        return Batch(whole.inputs[rows], whole.targets[rows], whole.weights[rows])


def _require(pairs: np.ndarray) -> None:
    if not len(pairs):
        raise BadData("text: expected at least one sentence to train on, found none")
