"""What a submission is asked, and what it is given to work on, here and in its own process.

The weights of a layer follow from a number, the draw, and from each parameter's name, so that
whoever judges can compute with them too. Trainer and sample() work on small models of our own:
what is wrong with a student's model costs nothing there.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

SYMBOLS, BLOCK = 12, 16  # of the small models


@dataclass(frozen=True)
class Request:
    """One thing to ask: the name of the claim, the probe that asks, and what it is given."""

    name: str
    kind: str
    given: Mapping[str, Any]


def weights(name: str, shape: Iterable[int], draw: int, spread: float) -> Tensor:
    """Normal numbers, in double precision: others for every name and every draw."""
    stream = np.random.Philox(key=[draw, zlib.crc32(name.encode())])
    return torch.from_numpy(np.random.Generator(stream).normal(0.0, spread, tuple(shape)))


@torch.no_grad()
def fill(module: nn.Module, draw: int, spread: float) -> Any:
    """The module in double precision, evaluating, with the weights of the draw."""
    for name, parameter in module.double().eval().named_parameters():
        parameter.copy_(weights(name, parameter.shape, draw, spread))
    return module


class Trainee(nn.Module):
    """A small model for a Trainer: it has what weight decay must tell apart."""

    def __init__(self) -> None:
        super().__init__()
        self.tok_emb = nn.Embedding(SYMBOLS, 8)
        self.ln_f = nn.LayerNorm(8)
        self.head = nn.Linear(8, SYMBOLS)

    def get_block_size(self) -> int:
        return BLOCK

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        logits = self.head(self.ln_f(self.tok_emb(idx)))
        if targets is None:
            return logits, None
        return logits, cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)


class Speaker(nn.Module):
    """A small model for sample(): what it says next depends on the last two characters."""

    def __init__(self) -> None:
        super().__init__()
        self.last, self.before = (nn.Embedding(SYMBOLS, SYMBOLS) for _ in range(2))
        self.place = nn.Embedding(BLOCK, SYMBOLS)
        self.block_size = BLOCK

    def get_block_size(self) -> int:
        return BLOCK

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, None]:
        if idx.shape[1] > BLOCK:
            raise ValueError(f"the model reads {BLOCK} characters and was given {idx.shape[1]}")
        before = torch.cat((idx[:, :1], idx[:, :-1]), 1)
        place = self.place(torch.arange(idx.shape[1]))
        return self.last(idx) + self.before(before) + place, None


class Rows(torch.utils.data.Dataset):
    """Examples for a Trainer, and in which order it took them."""

    block_size, vocab_size = BLOCK, SYMBOLS

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)
        self.seen: list[int] = []

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        if not 0 <= index < len(self.x):
            raise IndexError(index)
        self.seen.append(int(index))
        return self.x[index], self.y[index]
