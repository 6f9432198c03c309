"""The decoder: one batched loop that requests join and leave.

Greedy, sampled and searching requests with prompts of any length advance together, a character a
step; `generate` and `stream` are that loop for one list of requests.
"""

from collections import deque
from collections.abc import Iterator, Sequence

from wherefrom.core.config import check
from wherefrom.core.errors import BadData
from wherefrom.generation.lane import Arrival, BeamLane, Lane, SingleLane
from wherefrom.generation.language_model import LanguageModel, reading
from wherefrom.generation.requests import Completion, Event, Request


class Decoder:
    """Rows of one model, at most `max_rows` at a time; who finds no room waits in a queue."""

    def __init__(self, model: LanguageModel, max_rows: int = 512) -> None:
        check(max_rows > 0, "Decoder", "max_rows", max_rows, "above 0")
        self.model, self.max_rows = model, max_rows
        self._lanes: dict[int, Lane] = {}  # by the rows that each request has
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

    def _admitted(self) -> dict[int, list[Arrival]]:
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
