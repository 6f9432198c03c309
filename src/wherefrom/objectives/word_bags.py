"""Reviews as bags of words with their label; some words of each are dropped at random.

Dropping happens here, in training's own batches, so that nothing is ever dropped elsewhere.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.bags import BagVocabulary
from wherefrom.core.bounds import check_share
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import EVERY_ROW, Bags, Batch, Question
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, chance, draws
from wherefrom.objectives.row_order import build_order

_A_BLOCK = 4  # draws that one block of the generator gives


class BagsConfig(TaggedConfig, frozen=True, tag="bags"):
    word_dropout: float = 0.3  # of every word, in every step anew

    def __post_init__(self) -> None:
        check_share(self, "word_dropout")


class LabelledBags:
    """A plan is the step's number and its reviews, (count, 1 + rows)."""

    def __init__(
        self,
        config: BagsConfig,
        reviews: Sequence[Question],
        vocabulary: BagVocabulary,
        labels: Sequence[str],
        *,
        rows: int,
        seed: int,
        stage: int,
        order: str = "shuffled",
        device: torch.device | str = "cpu",
    ) -> None:
        if not reviews:
            raise BadData("reviews: expected at least one to train on, found none")
        self.config, self.rows, self.seed, self.stage = config, rows, seed, stage
        bags = [torch.from_numpy(vocabulary.encode(review.text)) for review in reviews]
        self.words = torch.cat(bags).to(device)
        self.lengths = torch.tensor([len(bag) for bag in bags], device=device)
        self.starts = self.lengths.cumsum(0) - self.lengths
        self.labels = torch.tensor([labels.index(r.answer or "") for r in reviews], device=device)
        self.items = len(reviews)
        self.order = build_order(
            order, self.items, rows=rows, seed=seed, stage=stage, device=self.words.device
        )

    def plan(self, first_step: int, count: int) -> Tensor:
        rows = self.order.at(first_step * self.rows, count * self.rows).view(count, self.rows)
        steps = torch.arange(first_step, first_step + count, device=rows.device)
        return torch.cat([steps[:, None], rows], 1)

    def render(self, plan: Tensor, index: int, rows: slice = EVERY_ROW) -> Batch:
        """Inputs are `Bags`; targets and weights (rows, 1), one label a review."""
        step, review = int(plan[index, 0]), plan[index, 1:]
        there = review >= 0  # a short last batch has rows without a review
        review = review.clamp(min=0)
        lengths = self.lengths[review] * there
        offsets = lengths.cumsum(0) - lengths
        within = torch.repeat_interleave(self.starts[review] - offsets, lengths)
        words = self.words[within + torch.arange(len(within), device=within.device)]
        words = self._drop(words, step)  # counted along the whole step, whoever renders which rows
        bags = Bags(words, offsets) if rows == EVERY_ROW else _take(words, lengths, rows)
        labels, weights = self.labels[review][:, None], there.float()[:, None]
        return Batch(bags, labels[rows], weights[rows], lengths[rows])

    def outline(self, plan: Tensor, index: int) -> tuple[Tensor, int]:
        there = plan[index, 1:] >= 0
        return self.lengths[plan[index, 1:].clamp(min=0)] * there, 1

    def _drop(self, words: Tensor, step: int) -> Tensor:
        """Dropped words become no word: their bag's average leaves them out."""
        if not self.config.word_dropout:
            return words
        blocks = np.arange(-(-len(words) // _A_BLOCK), dtype=np.int64)  # numpy's are cheaper here
        drawn = draws(
            _A_BLOCK, seed=self.seed, stream=Stream.WORDS, stage=self.stage, step=step, row=blocks
        )
        dropped = chance(np.stack(drawn, 1).ravel()[: len(words)], self.config.word_dropout)
        return words.masked_fill(torch.from_numpy(dropped).to(words.device), 0)


def _take(words: Tensor, lengths: Tensor, rows: slice) -> Bags:
    """The bags of some rows, out of the words of all."""
    kept = torch.zeros_like(lengths, dtype=torch.bool)
    kept[rows] = True
    own = lengths[rows]
    return Bags(words[torch.repeat_interleave(kept, lengths)], own.cumsum(0) - own)
