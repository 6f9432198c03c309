"""The progress of long work, reported to a listener if there is one.

Reading a large text takes a minute, deep inside calls that know nothing of terminals. They call
`tell`; a caller that wants to show progress wraps them in `listening`.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[str, int, int], None]  # what is being done, how much is done, and of how much
Item = TypeVar("Item")
_OFTEN = 20_000  # items after which the progress is told

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within this context, `listener` receives what `tell` reports."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(what: str, done: int, total: int) -> None:
    """Say that `done` of `total` is done; cheap where nobody listens."""
    if listener := _listener.get():
        listener(what, done, total)


def telling(what: str, items: Collection[Item]) -> Iterator[Item]:
    """The items in order; the number that is done is reported now and then."""
    for number, item in enumerate(items):
        if number % _OFTEN == 0:
            tell(what, number, len(items))
        yield item
