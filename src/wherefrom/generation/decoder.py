"""The decoder: one batched loop that requests join and leave.

Greedy, sampled and searching requests with prompts of any length advance together, a character a
step; `generate` and `stream` are that loop for one list of requests.

A lane holds requests that need equally many rows: those of one row, which take the most probable
character each time or draw one at random, or those that search for the few most probable
continuations. What a request knows (its text so far, its score) lies in its seat, on the host, so
rows can be moved without moving anything but the model's memory.

Shapes: G seats, B rows of each, R = G x B rows, V vocabulary.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.config import check
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.randomness import Stream, draws
from wherefrom.generation.decoding_memory import Memory
from wherefrom.generation.language_model import LanguageModel, reading
from wherefrom.generation.requests import Completion, Event, Request


class Decoder:
    """Rows of one model, at most `max_rows` at a time; who finds no room waits in a queue."""

    def __init__(self, model: LanguageModel, max_rows: int = 512) -> None:
        check(max_rows > 0, "Decoder", "max_rows", max_rows, "above 0")
        self.model, self.max_rows = model, max_rows
        self._lanes: dict[int, SingleLane | BeamLane] = {}  # by the rows that each request has
        self._waiting: deque[Arrival] = deque()
        self._tickets = 0

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._lanes)

    def join(self, request: Request) -> int:
        """Queue a request; the ticket by which its events are known."""
        length, longest = len(request.prompt), self.model.max_input
        if not 1 <= length <= longest:
            raise BadData(
                f"prompt: expected 1 to {longest} characters, the most that the model reads, "
                f"found {length}"
            )
        fits = request.beams <= self.max_rows
        check(fits, "Request", "beams", request.beams, f"at most max_rows={self.max_rows}")
        limit = min(request.max_new, longest - length + 1)
        self._waiting.append(Arrival(self._tickets, request, limit))
        self._tickets += 1
        return self._tickets - 1

    def step(self) -> list[Event]:
        """Admit the requests that fit, and advance every request by one character."""
        events: list[Event] = []
        arrivals = self._admitted()
        for width in arrivals.keys() - self._lanes.keys():
            kind = SingleLane if width == 1 else BeamLane
            self._lanes[width] = kind(self.model, width)
        with reading(self.model):
            for width, lane in self._lanes.items():
                events += lane.step(arrivals.get(width, ()))
        self._lanes = {width: lane for width, lane in self._lanes.items() if lane.seats}
        return events

    def generate(self, requests: Sequence[Request]) -> list[tuple[Completion, ...]]:
        """The completions of each request, best first, in the order of the requests."""
        alone = Decoder(self.model, self.max_rows)
        tickets = [alone.join(request) for request in requests]
        done: dict[int, tuple[Completion, ...]] = {}
        while alone.busy:
            done |= {e.ticket: e.completions for e in alone.step() if e.completions is not None}
        return [done[ticket] for ticket in tickets]

    def stream(self, request: Request) -> Iterator[int]:
        """The characters of one request as they are chosen."""
        check(request.beams == 1, "Request", "beams", request.beams, "1: a search has no order")
        alone = Decoder(self.model, self.max_rows)
        alone.join(request)
        while alone.busy:
            yield from (e.token for e in alone.step() if e.token is not None)

    def _admitted(self) -> "dict[int, list[Arrival]]":
        """Those from the front of the queue that fit, by the rows they need.

        A full decoder waits until an eighth of it is free: prefill is faster in larger batches.
        """
        room = self.max_rows - sum(lane.rows for lane in self._lanes.values())
        admitted: dict[int, list[Arrival]] = {}
        if room < self.max_rows / 8 and not self._all_fit(room):
            return admitted
        while self._waiting and self._waiting[0].request.beams <= room:
            arrival = self._waiting.popleft()
            room -= arrival.request.beams
            admitted.setdefault(arrival.request.beams, []).append(arrival)
        return admitted

    def _all_fit(self, room: int) -> bool:
        """Whether the whole queue has room; a long one is not walked."""
        waiting = self._waiting
        return len(waiting) <= room and sum(a.request.beams for a in waiting) <= room


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


class Lane:
    """Seats in the order of their rows. Subclasses say how characters are chosen."""

    seat: "type[SingleSeat | BeamSeat]"

    def __init__(self, model: LanguageModel, width: int) -> None:
        self.width, self.memory = width, Memory(model)
        self.seats: list[Any] = []

    @property
    def rows(self) -> int:
        return len(self.seats) * self.width

    def choose(self, logits_RV: Tensor) -> list[Event]:
        """Tell every seat its next characters; the news."""
        raise NotImplementedError

    def step(self, arrivals: Sequence[Arrival]) -> list[Event]:
        logits = []
        if self.seats:
            logits.append(self.memory.advance([t for seat in self.seats for t in seat.unread()]))
        if arrivals:
            logits.append(self._admit(arrivals))
        logits_RV = torch.cat(logits)
        if not logits_RV.logsumexp(-1).isfinite().all():
            raise Damaged(
                "model: its logits are not finite, since its weights are too large; copy the run "
                "folder again, or train the model again"
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


class SingleSeat:
    def __init__(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.tokens: list[int] = []
        self.log_probability = 0.0
        self.completions: tuple[Completion, ...] | None = None

    @property
    def position(self) -> int:
        """The place of the next character in the whole text."""
        return len(self.arrival.request.prompt) + len(self.tokens)

    def unread(self) -> list[int]:
        """The character that each of its rows has chosen and not yet read."""
        return self.tokens[-1:]

    def take(self, token: int, log_probability: float) -> Event:
        self.log_probability += log_probability
        finished = token == self.arrival.request.stop
        if not finished:
            self.tokens.append(token)
        if finished or len(self.tokens) == self.arrival.limit:
            self.completions = (Completion(tuple(self.tokens), self.log_probability, finished),)
        return Event(self.arrival.ticket, None if finished else token, self.completions)


class SingleLane(Lane):
    seat = SingleSeat

    def choose(self, logits_RV: Tensor) -> list[Event]:
        tokens_R = logits_RV.argmax(-1)
        drawn = [i for i, seat in enumerate(self.seats) if not seat.arrival.request.greedy]
        if drawn:
            seats = [self.seats[i] for i in drawn]
            requests, positions = [s.arrival.request for s in seats], [s.position for s in seats]
            tokens_R[drawn] = sample(logits_RV[drawn], requests, positions).to(tokens_R)
        chosen_R = logits_RV.gather(1, tokens_R[:, None])[:, 0] - logits_RV.logsumexp(-1)
        pairs = zip(tokens_R.tolist(), chosen_R.tolist(), strict=True)
        return [seat.take(*pair) for seat, pair in zip(self.seats, pairs, strict=True)]


def sample(logits_RV: Tensor, requests: Sequence[Request], positions: Sequence[int]) -> Tensor:
    """One character a row: where the cumulative probability passes a counted random number.

    In float64 on the CPU, whatever the model runs on, so that equal logits give equal text.
    """
    logits_RV = logits_RV.to("cpu", torch.float64)
    temperature_R1 = torch.tensor([[r.temperature] for r in requests], dtype=torch.float64)
    logits_RV = (logits_RV - logits_RV.amax(-1, keepdim=True)) / temperature_R1
    logits_RV = _keep_top(logits_RV, torch.tensor([r.top_k for r in requests]))
    cumulative_RV = logits_RV.softmax(-1).cumsum(-1)
    share_R = (torch.from_numpy(_words(requests, positions)) + 0.5) / 2**32
    reached_R1 = share_R[:, None] * cumulative_RV[:, -1:]
    return torch.searchsorted(cumulative_RV, reached_R1, right=True)[:, 0]


def _keep_top(logits_RV: Tensor, top_k_R: Tensor) -> Tensor:
    """Minus infinity below each row's k-th best; 0 keeps all."""
    most = min(int(top_k_R.max()), logits_RV.shape[1])
    if most == 0:
        return logits_RV
    best_RK = logits_RV.topk(most).values
    least_R1 = best_RK.gather(1, (top_k_R.clamp(1, most) - 1)[:, None])
    dropped_RV = (logits_RV < least_R1) & (top_k_R > 0)[:, None]
    return logits_RV.masked_fill(dropped_RV, -torch.inf)


def _words(requests: Sequence[Request], positions: Sequence[int]) -> np.ndarray:
    """A 32-bit word a row, addressed by its request's seed and number and its position."""
    seeds = np.array([r.seed for r in requests])
    numbers, steps = np.array([r.number for r in requests]), np.array(positions)
    words = np.zeros(len(requests), dtype=np.int64)
    for seed in np.unique(seeds):
        rows = seeds == seed
        words[rows] = draws(
            1, seed=int(seed), stream=Stream.SAMPLING, stage=0, step=steps[rows], row=numbers[rows]
        )[0]
    return words


class BeamSeat:
    """The live hypotheses and the ended ones; it begins with one live one, of no characters.

    Every live hypothesis could also end where it stands: that ended one goes to the pool.
    Log-probabilities only fall, so once the pool is full and its worst is no worse than the best
    live one, nothing can enter it any more.
    """

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
    seat = BeamSeat

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
