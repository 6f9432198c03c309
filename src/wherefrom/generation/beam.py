"""Requests that search: the few most probable continuations, best first.

Every live hypothesis could also end where it stands: that ended one goes to the request's pool.
Log-probabilities only fall, so once the pool is full and its worst is no worse than the best
live one, nothing can enter it any more.

Shapes: G seats, B beams, R = G x B rows, V vocabulary.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from wherefrom.generation.lane import Arrival, Lane
from wherefrom.generation.requests import Completion, Event


class BeamSeat:
    """The live hypotheses and the ended ones; it begins with one live one, of no characters."""

    def __init__(self, arrival: Arrival) -> None:
        self.arrival, self.beams = arrival, arrival.request.beams
        self.live: list[tuple[int, ...]] = [()] * self.beams
        self.scores = [0.0] + [-math.inf] * (self.beams - 1)
        self.parents = list(range(self.beams))
        self.pool: list[Completion] = []
        self.completions: tuple[Completion, ...] | None = None

    def unread(self) -> list[int]:
        return [tokens[-1] for tokens in self.live]

    def take(
        self, ended: Sequence[float], scores: list[float], parents: list[int], tokens: Sequence[int]
    ) -> Event:
        """`ended`: score of each hypothesis with a stop; the rest: its best continuations."""
        self._collect(ended, finished=True)
        self.live = [(*self.live[p], t) for p, t in zip(parents, tokens, strict=True)]
        self.scores, self.parents = scores, parents
        closed = len(self.pool) == self.beams and self.pool[-1].log_probability >= scores[0]
        if closed or scores[0] == -math.inf or len(self.live[0]) == self.arrival.limit:
            if not closed:
                self._collect(scores, finished=False)
            self.completions = tuple(self.pool)
        return Event(self.arrival.ticket, None, self.completions)

    def _collect(self, scores: Sequence[float], finished: bool) -> None:
        """Put the live hypotheses into the pool; finished ones stand before all others."""
        pairs = zip(self.live, scores, strict=True)
        self.pool += [Completion(tokens, s, finished) for tokens, s in pairs if s > -math.inf]
        self.pool.sort(key=lambda c: (not c.finished, -c.log_probability))
        del self.pool[self.beams :]


class BeamLane(Lane):
    seats: list[BeamSeat]

    def seat(self, arrival: Arrival) -> BeamSeat:
        return BeamSeat(arrival)

    def choose(self, logits_RV: Tensor) -> list[Event]:
        device, count = logits_RV.device, logits_RV.shape[1]
        scores_R1 = torch.tensor([[s] for seat in self.seats for s in seat.scores], device=device)
        total_RV = logits_RV.log_softmax(-1) + scores_R1
        ended_GB = self._end(total_RV).unflatten(0, (-1, self.width))
        best_GB, flat_GB = total_RV.view(len(self.seats), -1).topk(self.width)
        news = zip(
            ended_GB.tolist(),
            best_GB.tolist(),
            (flat_GB // count).tolist(),
            (flat_GB % count).tolist(),
            strict=True,
        )
        return [seat.take(*new) for seat, new in zip(self.seats, news, strict=True)]

    def _end(self, total_RV: Tensor) -> Tensor:
        """Take the stop's score out of each row, so that only continuations remain."""
        stops = [seat.arrival.request.stop for seat in self.seats for _ in range(self.width)]
        rows = [row for row, stop in enumerate(stops) if stop is not None]
        ended_R = torch.full_like(total_RV[:, 0], -math.inf)
        if rows:
            columns = [stop for stop in stops if stop is not None]
            ended_R[rows] = total_RV[rows, columns]
            total_RV[rows, columns] = -math.inf
        return ended_R

    def _dismiss(self) -> None:
        super()._dismiss()
        if self.seats:
            starts = range(0, self.rows, self.width)
            pairs = zip(starts, self.seats, strict=True)
            same = min(len(seat.arrival.request.prompt) for seat in self.seats)
            self.memory.arrange([start + p for start, seat in pairs for p in seat.parents], same)
