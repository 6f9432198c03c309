"""Sequences whose items are made when they are read: a million of them take no memory.

Items come in groups, such as all sentences about one person. A group is made at once, from small
integers that say what it is made of; `starts` has the number of each group's first item. Such a
sequence is read like a tuple. It is cheap to go through in order, and costs a group for each item
that is read by its number.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Generic, TypeVar, overload

import numpy as np

Item = TypeVar("Item")
_BATCH = 4096  # groups that are made one after the other


class MadeSequence(Sequence[Item], Generic[Item]):
    """Subclasses set `starts`, one number more than there are groups, and make a group's items."""

    starts: np.ndarray

    def make(self, group: int) -> list[Item]:
        """The items of one group."""
        raise NotImplementedError

    def __len__(self) -> int:
        return int(self.starts[-1])

    def make_all(self, groups: Sequence[int]) -> Iterable[list[Item]]:
        """The items of several groups; a subclass may make many at once faster."""
        return map(self.make, groups)

    def __iter__(self) -> Iterator[Item]:
        count = len(self.starts) - 1
        for first in range(0, count, _BATCH):
            groups = range(first, min(first + _BATCH, count))
            yield from chain.from_iterable(self.make_all(groups))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            numbers = range(*index.indices(len(self)))
            return self if numbers == range(len(self)) else Chosen(self, numbers)
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"expected a number below {len(self)}, found {index}")
        group = int(np.searchsorted(self.starts, number, side="right")) - 1
        return self.make(group)[number - int(self.starts[group])]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class Chosen(MadeSequence[Item]):
    """Some items of another sequence, by their numbers in it; each is a group by itself."""

    def __init__(self, base: MadeSequence[Item], numbers: Sequence[int] | np.ndarray) -> None:
        self._base, self._numbers = base, np.asarray(numbers, np.int64)
        self.starts = np.arange(len(self._numbers) + 1)

    def make(self, group: int) -> list[Item]:
        return [self._base[int(self._numbers[group])]]

    def make_all(self, groups: Sequence[int]) -> Iterator[list[Item]]:
        """A group of the other sequence is made once for neighbours that belong to it."""
        starts, numbers = self._base.starts, self._numbers[np.asarray(groups, np.int64)]
        owners = np.searchsorted(starts, numbers, side="right") - 1
        new = np.flatnonzero(np.diff(owners, prepend=-1))  # where another group begins
        items = self._base.make_all(owners[new].tolist())
        runs = np.diff(new, append=len(owners)).tolist()
        places = iter((numbers - starts[owners]).tolist())
        for group, count in zip(items, runs, strict=True):
            for place in islice(places, count):
                yield [group[place]]


def in_batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in order, `size` at once; the last batch may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
