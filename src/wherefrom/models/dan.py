"""The deep averaging network: the mean of a text's word vectors, hidden layers, two logits.

Shapes: B texts, N words of all of them, D width of a vector, H hidden units, C classes.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from msgspec.structs import asdict, replace
from torch import Tensor, nn

from wherefrom.core.bags import BagVocabulary
from wherefrom.core.bounds import MOST_UNITS, check_choice, check_vocabulary, check_whole
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import Answer, Bags, Candidate
from wherefrom.core.errors import BadData

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
}
DEEPEST = 3
_AT_RANDOM = 0.1  # deviation of vectors that no file gives
_AT_ONCE = 512  # texts that are read together


class DANConfig(TaggedConfig, frozen=True, tag="dan"):
    width: int = 50  # of a word's vector
    depth: int = 1  # hidden layers
    hidden: int = 50
    activation: str = "relu"
    frozen: bool = False  # the vectors stay as they were given
    classes: int = 2
    vocab_size: int = 0  # the vocabulary's, filled in by the run

    def __post_init__(self) -> None:
        for field in ("width", "hidden"):
            check_whole(self, field, 1, MOST_UNITS)
        check_whole(self, "depth", 0, DEEPEST)
        check_choice(self, "activation", tuple(ACTIVATIONS))
        check_whole(self, "classes", 2, MOST_UNITS)
        check_vocabulary(self)

    @property
    def least_weights(self) -> int:
        """No more weights than a model of this config has."""
        return self.vocab_size * self.width + max(self.depth - 1, 0) * self.hidden**2


class DANVariant(TaggedConfig, frozen=True, tag="dan-variant"):
    """What one stage of a study has otherwise than the recipe's model; None: nothing."""

    depth: int | None = None
    hidden: int | None = None
    activation: str | None = None
    frozen: bool | None = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            check_whole(self, "depth", 0, DEEPEST)
        if self.hidden is not None:
            check_whole(self, "hidden", 1, MOST_UNITS)
        if self.activation is not None:
            check_choice(self, "activation", tuple(ACTIVATIONS))

    def of(self, config: DANConfig) -> DANConfig:
        return replace(config, **{k: v for k, v in asdict(self).items() if v is not None})


class DAN(nn.Module):
    """Logits, not probabilities: the loss takes the softmax itself.

    The vectors are a parameter, or a buffer where they are frozen; the first is no word's.
    """

    capturable = False  # no two steps have one shape
    embedding: Tensor

    def __init__(self, config: DANConfig, vectors_VD: np.ndarray | None = None) -> None:
        super().__init__()
        self.config = config
        embedding = self._begin(vectors_VD)
        if config.frozen:
            self.register_buffer("embedding", embedding)
        else:
            self.embedding = nn.Parameter(embedding)
        widths = [config.width] + [config.hidden] * config.depth
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))
        self.head = nn.Linear(widths[-1], config.classes)

    def _begin(self, vectors_VD: np.ndarray | None) -> Tensor:
        shape = (self.config.vocab_size, self.config.width)
        if vectors_VD is None:
            return torch.randn(shape) * _AT_RANDOM
        if vectors_VD.shape != shape:
            raise BadData(
                f"word vectors: expected {shape[1]} numbers for each of {shape[0]} words, found "
                f"{vectors_VD.shape[1]} for each of {len(vectors_VD)}; name another file "
                "(--set data.embeddings=FILE) or --set model.width"
            )
        return torch.from_numpy(vectors_VD.astype(np.float32))

    def pool(self, bags: Bags) -> Tensor:
        """The mean vector of each text's words [B, D]; no word counts for nothing."""
        words, offsets = bags
        return F.embedding_bag(
            words, self.embedding, offsets.to(words.dtype), mode="mean", padding_idx=0
        )

    def features(self, bags: Bags) -> Tensor:
        """[B, 1, H]: a text is a row of one position, as learners have it."""
        x_BH = self.pool(bags)
        for layer in self.layers:
            x_BH = ACTIVATIONS[self.config.activation](layer(x_BH))
        return x_BH[:, None]

    def forward(self, bags: Bags) -> Tensor:
        return self.head(self.features(bags)[:, 0])


class Classifier:
    """The network as one that answers what a review is: its label and the probability of it."""

    labels = ("negative", "positive")

    def __init__(self, model: DAN, vocabulary: BagVocabulary) -> None:
        self.model, self.vocabulary = model, vocabulary

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        logits_BC = self.logits([self.vocabulary.encode(text) for text in questions])
        found = []
        for row in torch.softmax(logits_BC, 1).tolist():
            candidates = [Candidate(*pair) for pair in zip(self.labels, row, strict=True)]
            best, *others = sorted(candidates, key=lambda c: -c.probability)
            found.append(Answer(best.text, best.probability, tuple(others)))
        return found

    @torch.no_grad()
    def logits(self, bags: Sequence[np.ndarray]) -> Tensor:
        """[B, C] of texts given as the numbers of their words."""
        pieces = [gather_bags(bags[i : i + _AT_ONCE]) for i in range(0, len(bags), _AT_ONCE)]
        device = self.model.embedding.device
        found = [self.model(Bags(b.words.to(device), b.offsets.to(device))) for b in pieces]
        return torch.cat(found).double().cpu()


def gather_bags(bags: Sequence[np.ndarray]) -> Bags:
    """Texts, each the numbers of its words, as one ragged batch."""
    lengths = np.array([len(bag) for bag in bags], np.int64)
    words: Any = np.concatenate([np.asarray(bag, np.int64) for bag in bags])
    return Bags(torch.from_numpy(words), torch.from_numpy(lengths.cumsum() - lengths))
