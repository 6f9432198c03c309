"""Ranks that divide questions: here they take turns."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from wherefrom.generation import language_model


class _NotAllYetError(Exception):
    pass


class Turn:
    """One of several ranks; what each does is kept for those that come later."""

    def __init__(self, rank: int, size: int, done: list[Any]) -> None:
        self.rank, self.size, self.rows = rank, size, slice(rank, None, size)
        self.done = done

    def exchange(self, work: Any, own: Any) -> list[Any]:
        self.done.append(own)
        if len(self.done) < self.size:
            raise _NotAllYetError
        return self.done


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], Any]], tuple[Any, int]]:
    """What the last of some ranks finds, and how many have done a part of it."""

    def take_turns(size: int, work: Callable[[], Any]) -> tuple[Any, int]:
        done: list[Any] = []
        found = None
        for rank in range(size):
            turn = Turn(rank, size, done)
            monkeypatch.setattr(language_model, "current_ranks", lambda turn=turn: turn)
            with suppress(_NotAllYetError):
                found = work()
        return found, len(done)

    return take_turns
