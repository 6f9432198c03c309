"""Requests that advance together, one character a step.

A lane holds requests that need equally many rows; `single.py` has those of one row, `beam.py`
those that search. What a request knows (its text so far, its score) lies in its seat, on the
host, so rows can be moved without moving anything but the model's memory.

Shapes: R rows (seats x width), V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor, cat

from wherefrom.core.errors import Damaged
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.memory import Memory
from wherefrom.generation.requests import Completion, Event, Request


@dataclass(frozen=True)
class Arrival:
    """A request let in: `limit` is how many characters it may choose before it must leave."""

    ticket: int
    request: Request
    limit: int

    @property
    def positions(self) -> int:
        """The longest text its rows will have read: the last character chosen is not read."""
        return len(self.request.prompt) + self.limit - 1


class Seat(Protocol):
    """A request among others."""

    arrival: Arrival
    completions: tuple[Completion, ...] | None

    def unread(self) -> Sequence[int]:
        """The character that each of its rows has chosen and not yet read."""
        ...


class Lane:
    """Seats in the order of their rows. Subclasses say how characters are chosen."""

    def __init__(self, model: LanguageModel, width: int) -> None:
        self.width, self.memory = width, Memory(model)
        self.seats: list[Any] = []

    @property
    def rows(self) -> int:
        return len(self.seats) * self.width

    def seat(self, arrival: Arrival) -> Seat:
        raise NotImplementedError

    def choose(self, logits_RV: Tensor) -> list[Event]:
        """Tell every seat its next characters; the news."""
        raise NotImplementedError

    def step(self, arrivals: Sequence[Arrival]) -> list[Event]:
        logits = []
        if self.seats:
            logits.append(self.memory.advance([t for seat in self.seats for t in seat.unread()]))
        if arrivals:
            logits.append(self._admit(arrivals))
        logits_RV = cat(logits)
        if not logits_RV.logsumexp(-1).isfinite().all():
            raise Damaged(
                "model: expected logits that are numbers, found others: its weights are too large; "
                "copy the run folder anew, or train the model again"
            )
        events = self.choose(logits_RV)
        self._dismiss()
        return events

    def _admit(self, arrivals: Sequence[Arrival]) -> Tensor:
        arrivals = sorted(arrivals, key=lambda a: len(a.request.prompt))
        rows = self.rows + len(arrivals) * self.width
        self.memory.reserve(rows, max(a.positions for a in arrivals))
        self.seats += [self.seat(a) for a in arrivals]
        return self.memory.read([a.request.prompt for a in arrivals], copies=self.width)

    def _dismiss(self) -> None:
        """Seats that are done leave; those at the end move into the gaps."""
        staying = [seat.completions is None for seat in self.seats]
        count = sum(staying)
        if count == len(staying):
            return
        movers = (i for i in range(count, len(staying)) if staying[i])
        order = [i if staying[i] else next(movers) for i in range(count)]
        self.seats = [self.seats[i] for i in order]
        self.memory.arrange([i * self.width + j for i in order for j in range(self.width)])
