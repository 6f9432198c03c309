"""Which document comes when: epochs as a pure function of the position in the stream."""

from functools import lru_cache

import torch
from torch import Tensor

from wherefrom.core.randomness import Stream, draws


class ShuffledEpochs:
    """Every document once an epoch, in a new order each epoch.

    An epoch's order sorts the documents by counted-random words, so any position can be asked
    for without having gone through those before it.
    """

    def __init__(self, size: int, seed: int, stage: int, device: torch.device) -> None:
        self.size, self.device = size, device

        @lru_cache(maxsize=4)
        def order(epoch: int) -> Tensor:
            row = torch.arange(size, device=device)
            (word,) = draws(1, seed=seed, stream=Stream.ORDER, stage=stage, step=epoch, row=row)
            return torch.sort(word, stable=True).indices

        self._order = order

    def at(self, first: int, count: int) -> Tensor:
        """The documents at positions first to first + count."""
        pieces, position = [], first
        while position < first + count:
            epoch, offset = divmod(position, self.size)
            piece = self._order(epoch)[offset : offset + first + count - position]
            pieces.append(piece)
            position += piece.numel()
        return torch.cat(pieces)
