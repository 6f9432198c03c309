"""Which document comes when: epochs as a pure function of the position in the stream."""

from functools import lru_cache

import torch
from torch import Tensor

from wherefrom.core.randomness import Stream, draws

_AT_ONCE = 1 << 20  # documents that are drawn together: drawing takes ten times their memory


class ShuffledEpochs:
    """Every document once an epoch, in a new order each epoch.

    An epoch's order sorts the documents by counted-random words, so any position can be asked
    for without having gone through those before it.
    """

    def __init__(self, size: int, seed: int, stage: int, device: torch.device) -> None:
        self.size, self.device = size, device
        self._address = {"seed": seed, "stream": Stream.ORDER, "stage": stage}
        self._order = lru_cache(maxsize=4)(lambda epoch: self._orders(epoch, epoch + 1))

    def at(self, first: int, count: int) -> Tensor:
        """The documents at positions first to first + count."""
        begin, end = first // self.size, -(-(first + count) // self.size)
        if end - begin > 2:  # many short epochs at once
            documents = self._orders(begin, end)
        else:
            documents = torch.cat([self._order(epoch) for epoch in range(begin, end)])
        offset = first - begin * self.size
        return documents[offset : offset + count]

    def _orders(self, begin: int, end: int) -> Tensor:
        """The documents of those epochs, one after the other."""
        epoch = torch.arange(begin, end, device=self.device)[:, None]
        rows = torch.arange(self.size, device=self.device)
        words = [draws(1, step=epoch, row=row, **self._address)[0] for row in rows.split(_AT_ONCE)]
        word = words[0] if len(words) == 1 else torch.cat(words, 1)
        return torch.sort(word, dim=1, stable=True).indices.flatten()


class FileOrder:
    """Every epoch in the file's own order, as the course trains: it never shuffles.

    An epoch is whole steps, so the last step of each has rows without a document.
    """

    def __init__(self, size: int, rows: int, device: torch.device) -> None:
        self.size, self.device = size, device
        self.places = -(-size // rows) * rows

    def at(self, first: int, count: int) -> Tensor:
        """The documents at positions first to first + count; -1 where a row has none."""
        place = torch.arange(first, first + count, device=self.device) % self.places
        return torch.where(place < self.size, place, -1)


def build_order(
    name: str, size: int, *, rows: int, seed: int, stage: int, device: torch.device
) -> ShuffledEpochs | FileOrder:
    if name == "file":
        return FileOrder(size, rows, device)
    return ShuffledEpochs(size, seed, stage, device)
