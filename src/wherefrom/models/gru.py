"""The character GRU: an embedding, recurrent layers, a linear head.

A layer keeps a state h and changes it character by character, from its input x:

    r = sigmoid(W_r x + b_r + U_r h + c_r)      what of h the new content sees
    z = sigmoid(W_z x + b_z + U_z h + c_z)      what of h stays
    n = tanh(W_n x + b_n + r * (U_n h + c_n))   the new content
    h = (1 - z) * n + z * h

Shapes: R rows, T characters, H width of a state, L layers, N rows named by an index.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.bounds import (
    MOST_LAYERS,
    MOST_UNITS,
    check_share,
    check_vocabulary,
    check_whole,
)
from wherefrom.core.config import check
from wherefrom.models.recurrence import run_layer

_UNLIMITED = 2**30  # characters: a state has no end


@dataclass(frozen=True)
class GRUConfig:
    """The defaults are the homework's: 80,700 parameters with 100 characters."""

    kind: ClassVar[str] = "gru"
    vocab_size: int = 0  # 0: as many as the run's vocabulary has
    n_embd: int = 100
    n_hidden: int = 100
    n_layer: int = 1
    dropout: float = 0.0  # on what goes into each layer and into the head

    def __post_init__(self) -> None:
        check_vocabulary(self)
        for name in ("n_embd", "n_hidden"):
            check_whole(self, name, 1, MOST_UNITS)
        check_whole(self, "n_layer", 1, MOST_LAYERS)
        check_share(self, "dropout")

    @property
    def least_weights(self) -> int:
        """No more weights than a model of this config has."""
        return (3 * self.n_layer * self.n_hidden + self.vocab_size) * self.n_hidden

    @property
    def least_activations(self) -> int:
        """No more numbers than training keeps for one character."""
        return 4 * self.n_layer * self.n_hidden


@dataclass
class States:
    """What a decoder keeps of the text it has read: the state of each row and layer.

    Rows of one reading may have texts of unequal length, padded on the right; how long each is
    comes afterwards, with `grow`, so the states after every character wait for it.
    """

    states_LRH: Tensor
    tokens_RP: Tensor  # room alone: the text itself need not be kept
    lengths_R: Tensor
    waiting_LRTH: Tensor | None = None

    @classmethod
    def empty(cls, layers: int, rows: int, positions: int, width: int, like: Tensor) -> "States":
        lengths = torch.zeros(rows, dtype=torch.long, device=like.device)
        room = lengths.new_zeros(1, 1).expand(rows, positions)
        return cls(like.new_zeros(layers, rows, width), room, lengths)

    def before(self) -> Tensor:
        """The states to go on from, (L, R, H): zero in front of a text."""
        return self.states_LRH * (self.lengths_R > 0)[:, None]

    def hold(self, states_LRTH: Tensor) -> None:
        """Hold the states after each of T characters until `grow` says which ones to keep."""
        self.waiting_LRTH = states_LRTH

    def grow(self, count_R: Tensor) -> None:
        """Keep the first count_R of the characters just read in each row's text."""
        assert self.waiting_LRTH is not None, "a text is read before it grows"
        rows = torch.arange(len(count_R), device=count_R.device)
        self.states_LRH.copy_(self.waiting_LRTH[:, rows, count_R - 1])
        self.lengths_R += count_R
        self.waiting_LRTH = None

    def part(self, start: int, stop: int) -> "States":
        rows = slice(start, stop)
        return States(self.states_LRH[:, rows], self.tokens_RP[rows], self.lengths_R[rows])

    def move(self, source_N: Tensor, target_N: Tensor, first: int = 0) -> None:
        """Copy rows over others; a state has no positions, so `first` saves nothing."""
        self.states_LRH[:, target_N] = self.states_LRH[:, source_N]
        self.lengths_R[target_N] = self.lengths_R[source_N]

    def resized(self, rows: int, positions: int) -> "States":
        more = rows - len(self.lengths_R)
        lengths_R = F.pad(self.lengths_R, (0, more))
        room = lengths_R.new_zeros(1, 1).expand(rows, positions)
        return States(F.pad(self.states_LRH, (0, 0, 0, more)), room, lengths_R)


class GRU(nn.Module):
    """Characters to logits. `features` stops before the head, so that a loss can select first."""

    cacheable = True
    packable = False
    capturable = False  # cuDNN's recurrence is one call already; a graph would gain little
    max_input = _UNLIMITED

    def __init__(self, config: GRUConfig) -> None:
        super().__init__()
        check(config.vocab_size > 0, "GRUConfig", "vocab_size", config.vocab_size, "above 0")
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.n_embd)
        widths = [config.n_embd, *[config.n_hidden] * (config.n_layer - 1)]
        # One module a layer: cuDNN's dropout between its own layers cannot be reseeded each step.
        self.layers = nn.ModuleList(nn.GRU(w, config.n_hidden, batch_first=True) for w in widths)
        self.drop = nn.Dropout(config.dropout)
        self.head = nn.Linear(config.n_hidden, config.vocab_size)

    def new_cache(self, rows: int, positions: int) -> States:
        config, like = self.config, self.head.weight.detach()
        return States.empty(config.n_layer, rows, positions, config.n_hidden, like)

    def features(self, tokens_RT: Tensor, cache: States | None = None) -> Tensor:
        """(R, T, H) before the head. With a cache, the tokens follow each row's own text."""
        before = cache.before().unbind() if cache is not None else [None] * len(self.layers)
        x, found = self.embedding(tokens_RT), []
        for layer, before_RH in zip(self.layers, before, strict=True):
            x = _run(layer, self.drop(x), before_RH)
            found.append(x)
        if cache is not None:
            cache.hold(torch.stack(found))
        return self.drop(x)

    def forward(self, tokens_RT: Tensor, cache: States | None = None) -> Tensor:
        return self.head(self.features(tokens_RT, cache))


def _run(layer: nn.Module, x_RTE: Tensor, before_RH: Tensor | None) -> Tensor:
    """The states after each character: by hand on a CPU, where torch's own is slow."""
    assert isinstance(layer, nn.GRU)
    if x_RTE.device.type == "cpu":
        return run_layer(layer, x_RTE, before_RH)
    return layer(x_RTE, None if before_RH is None else before_RH[None].contiguous())[0]
