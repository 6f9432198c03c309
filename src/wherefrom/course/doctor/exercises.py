"""What a submission is asked, and what it is given to work on, here and in its own process.

The weights of a layer follow from a number, the draw, and from each parameter's name, so that
whoever judges can compute with them too. Trainer and sample() work on a small model of our own:
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

SYMBOLS, BLOCK = 12, 16  # of the small model


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


class Small(nn.Module):
    """A model for a Trainer and for sample(): it has what weight decay must tell apart."""

    def __init__(self) -> None:
        super().__init__()
        self.tok_emb, self.place = nn.Embedding(SYMBOLS, 8), nn.Embedding(BLOCK, 8)
        self.ln_f = nn.LayerNorm(8)
        self.head = nn.Linear(8, SYMBOLS)
        self.block_size = BLOCK

    def get_block_size(self) -> int:
        return BLOCK

    def forward(self, idx: Tensor, targets: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        if idx.shape[1] > BLOCK:
            raise ValueError(f"the model reads {BLOCK} characters and was given {idx.shape[1]}")
        x = self.tok_emb(idx) + self.place(torch.arange(idx.shape[1]))
        logits = self.head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)


class Rows(torch.utils.data.TensorDataset):
    """Examples for a Trainer, and in which order it took them."""

    block_size, vocab_size = BLOCK, SYMBOLS

    def __init__(self, x: Any, y: Any) -> None:
        super().__init__(torch.as_tensor(x), torch.as_tensor(y))
        self.seen: list[int] = []

    def __getitem__(self, index: int) -> tuple[Tensor, ...]:
        self.seen.append(int(index))
        return super().__getitem__(index)
