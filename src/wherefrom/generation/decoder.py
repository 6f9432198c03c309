"""The decoder: one batched loop that requests join and leave.

Greedy or sampled requests with prompts of any length advance together, a character a step; so do
those that search, with equally many beams. `generate` and `stream` are that loop for a list of
requests: as many as fit begin, and whoever is done makes room for the next.

What a request knows (its texts so far, their scores) lies in its seat, on the host, so rows can be
moved without moving anything but the model's cache.

Shapes: G seats, B rows of each, R = G x B rows, N rows named by an index, T characters, V
vocabulary.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.config import check
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.randomness import Stream, draws
from wherefrom.generation.language_model import LanguageModel, device_of, groups, pad, reading
from wherefrom.generation.requests import Completion, Request


class Decoder:
    """Decodes with one model, in at most `max_rows` rows at a time, or those of one request."""

    def __init__(self, model: LanguageModel, max_rows: int = 512) -> None:
        self.model, self.max_rows = model, max_rows

    def generate(self, requests: Sequence[Request]) -> list[tuple[Completion, ...]]:
        """The completions of each request, best first, in the order of the requests.

        If the device has no memory for so many rows, those that are not done begin again in half.
        """
        seats = [self.seat(request) for request in requests]
        rows = self.max_rows
        while waiting := [seat for seat in seats if not seat.done]:
            beams = waiting[0].request.beams
            try:
                for _ in self._decode([s for s in waiting if s.request.beams == beams], rows):
                    pass
            except torch.OutOfMemoryError:
                if rows < 2 * beams:
                    raise
                rows //= 2
                seats = [seat if seat.done else Seat(seat.request, seat.limit) for seat in seats]
        return [tuple(seat.pool) for seat in seats]

    def stream(self, request: Request) -> Iterator[int]:
        """The characters of one request as they are chosen."""
        check(request.beams == 1, "Request", "beams", request.beams, "1: a search has no order")
        seat = self.seat(request)
        length = len(seat.texts[0])
        for _ in self._decode([seat], self.max_rows):
            yield from seat.texts[0][length:]
            length = len(seat.texts[0])

    def seat(self, request: Request) -> "Seat":
        """A request that can be decoded; BadData if the model cannot go on from its prompt."""
        length, longest = len(request.prompt), self.model.max_input
        if not 1 <= length <= longest:
            raise BadData(
                f"prompt: expected 1 to {longest} characters, the most that the model reads, "
                f"found {length}"
            )
        return Seat(request, min(length + request.max_new, longest + 1))

    def _decode(self, seats: Sequence["Seat"], max_rows: int) -> Iterator[None]:
        """Advance the seats until all are done, with a pause after each step.

        A full lane waits until an eighth of it is free: prefill is faster in larger batches.
        """
        waiting, beams = deque(seats), seats[0].request.beams
        max_rows = max(max_rows, beams)
        # The last character that is chosen is not read.
        rows, positions = (
            min(max_rows // beams, len(seats)) * beams,
            max(s.limit for s in seats) - 1,
        )
        lane = Lane(self.model, beams, rows, positions)
        while waiting or lane.seats:
            room = max_rows - len(lane.seats) * beams
            count = min(len(waiting), room // beams)
            if count < len(waiting) and room < max_rows / 8:
                count = 0
            with reading(self.model):
                lane.step([waiting.popleft() for _ in range(count)])
            yield


class Seat:
    """A request that is decoded: the text of each of its rows, the prompt included.

    A search has several live texts, of which the first alone counts in the beginning. Every live
    text could also end where it stands: that ended one goes to the pool. Log-probabilities only
    fall, so once the pool is full and its worst is no worse than the best live one, nothing can
    enter it any more. Whoever does not search puts one text into the pool, at its end.
    """

    def __init__(self, request: Request, limit: int) -> None:
        self.request, self.limit = request, limit  # the longest that a text may become
        self.texts = [[*request.prompt] for _ in range(request.beams)]
        self.scores = [0.0] + [-math.inf] * (request.beams - 1)
        self.parents = list(range(request.beams))  # the rows that the texts were in a step before
        self.pool: list[Completion] = []
        self.done = False

    def take(self, token: int, log_probability: float) -> None:
        """The character that was chosen for the only row."""
        self.scores[0] += log_probability
        ended = token == self.request.stop
        if not ended:
            self.texts[0].append(token)
        if ended or len(self.texts[0]) == self.limit:
            self._collect(self.scores, ended)
            self.done = True

    def branch(
        self, ended: Sequence[float], scores: list[float], parents: list[int], tokens: Sequence[int]
    ) -> None:
        """`ended`: score of each live text with a stop; the rest: the best continuations."""
        self._collect(ended, finished=True)
        self.texts = [[*self.texts[p], t] for p, t in zip(parents, tokens, strict=True)]
        self.scores, self.parents = scores, parents
        worst = self.pool[-1].log_probability if len(self.pool) == len(scores) else -math.inf
        closed = worst >= scores[0]
        self.done = closed or scores[0] == -math.inf or len(self.texts[0]) == self.limit
        if self.done and not closed:
            self._collect(scores, finished=False)

    def _collect(self, scores: Sequence[float], finished: bool) -> None:
        """Put the live texts into the pool; finished ones stand before all others."""
        start = len(self.request.prompt)
        pairs = [pair for pair in zip(self.texts, scores, strict=True) if pair[1] > -math.inf]
        self.pool += [Completion(tuple(text[start:]), score, finished) for text, score in pairs]
        self.pool.sort(key=lambda c: (not c.finished, -c.log_probability))
        del self.pool[self.request.beams :]


class Lane:
    """Seats of equally many rows, which advance together, and the model's cache of their texts.

    The rows in use are the first ones of the cache, in the order of the seats, so every forward
    pass is dense. A model without a cache reads every text anew.
    """

    def __init__(self, model: LanguageModel, beams: int, rows: int, positions: int) -> None:
        self.model, self.beams, self.device = model, beams, device_of(model)
        self.seats: list[Seat] = []
        self.cache: Any = model.new_cache(rows, positions) if model.cacheable else None

    def step(self, arrivals: Sequence[Seat]) -> None:
        """Admit the arrivals, and advance every seat by one character."""
        logits: list[Tensor] = []
        if self.seats:
            texts = [text for seat in self.seats for text in seat.texts]
            logits.append(self._read(0, texts if self.cache is None else [t[-1:] for t in texts]))
        if arrivals:
            logits.append(self._admit(arrivals))
        logits_RV = torch.cat(logits)
        if not logits_RV.logsumexp(-1).isfinite().all():
            raise Damaged(
                "model: its logits are not finite, since its weights are too large; copy the run "
                "folder again, or train the model again"
            )
        (choose if self.beams == 1 else search)(self.seats, logits_RV)
        self._dismiss()

    def _admit(self, arrivals: Sequence[Seat]) -> Tensor:
        """Prompts become neighbouring rows, as many as there are beams; (R, V) for the next."""
        arrivals = sorted(arrivals, key=lambda seat: len(seat.request.prompt))
        first, count = len(self.seats) * self.beams, len(arrivals)
        self.seats += arrivals
        if self.cache is not None:
            self.cache.part(first, first + count).lengths_R.zero_()
        prompts = [seat.texts[0] for seat in arrivals]
        parts = groups([len(prompt) for prompt in prompts], self.device)
        logits_GV = torch.cat([self._read(first + part.start, prompts[part]) for part in parts])
        if self.beams == 1:
            return logits_GV
        spread = torch.arange(count, device=self.device).repeat_interleave(self.beams)
        if self.cache is not None:
            new = torch.arange(count * self.beams, device=self.device)
            self.cache.move(first + spread, first + new)
        return logits_GV[spread]

    def _read(self, first: int, texts: Sequence[Sequence[int]]) -> Tensor:
        """The rows from `first` on read these characters; (R, V) after the last of each row."""
        tokens_RT = pad(texts, self.device)
        count_R = torch.tensor([len(text) for text in texts], device=self.device)
        if self.cache is None:
            logits_RTV = self.model(tokens_RT)
        else:
            part = self.cache.part(first, first + len(texts))
            logits_RTV = self.model(tokens_RT, part)
            part.grow(count_R)
        return logits_RTV[torch.arange(len(texts), device=self.device), count_R - 1]

    def _dismiss(self) -> None:
        """Seats that are done leave; those at the end move into the gaps."""
        staying = [not seat.done for seat in self.seats]
        count, beams = sum(staying), self.beams
        movers = (i for i in range(count, len(staying)) if staying[i])
        order = [i if staying[i] else next(movers) for i in range(count)]
        self.seats = [self.seats[i] for i in order]
        self._arrange([i * beams + j for i in order for j in range(beams)])
        if self.seats and beams > 1:
            # A text has the same prompt as its parent: only what was chosen since is moved.
            same = min(len(seat.request.prompt) for seat in self.seats)
            pairs = enumerate(self.seats)
            self._arrange([i * beams + p for i, seat in pairs for p in seat.parents], same)

    def _arrange(self, sources: Sequence[int], first: int = 0) -> None:
        """Row i becomes what row sources[i] is; up to position `first` both have the same text."""
        moves = [(source, row) for row, source in enumerate(sources) if source != row]
        if moves and self.cache is not None:
            source_N, target_N = torch.tensor(moves, device=self.device).T
            self.cache.move(source_N, target_N, first)


def choose(seats: Sequence[Seat], logits_RV: Tensor) -> None:
    """The most probable character of each row, or one that is drawn at random."""
    tokens_R = logits_RV.argmax(-1)
    drawn = [i for i, s in enumerate(seats) if s.request.temperature and s.request.top_k != 1]
    if drawn:
        tokens_R[drawn] = sample(logits_RV[drawn], [seats[i] for i in drawn]).to(tokens_R)
    chosen_R = logits_RV.gather(1, tokens_R[:, None])[:, 0] - logits_RV.logsumexp(-1)
    for seat, *chosen in zip(seats, tokens_R.tolist(), chosen_R.tolist(), strict=True):
        seat.take(*chosen)


def sample(logits_RV: Tensor, seats: Sequence[Seat]) -> Tensor:
    """One character a row: where the cumulative probability passes a counted random number.

    In float64 on the CPU, whatever the model runs on, so that equal logits give equal text.
    """
    asked = np.array([(s.request.seed, s.request.number, len(s.texts[0])) for s in seats])
    words_R = np.zeros(len(seats), dtype=np.int64)
    for seed in set(asked[:, 0].tolist()):
        rows = asked[:, 0] == seed
        _, number, place = asked[rows].T
        address: Any = {"stream": Stream.SAMPLING, "stage": 0, "step": place, "row": number}
        (words_R[rows],) = draws(1, seed=seed, **address)
    requests, most = [seat.request for seat in seats], logits_RV.shape[1]
    logits_RV = logits_RV.to("cpu", torch.float64)
    temperature_R1 = torch.tensor([[r.temperature] for r in requests], dtype=torch.float64)
    logits_RV = (logits_RV - logits_RV.amax(-1, keepdim=True)) / temperature_R1
    kept_R1 = torch.tensor([[r.top_k or most] for r in requests]).clamp(max=most)
    least_R1 = logits_RV.sort(descending=True).values.gather(1, kept_R1 - 1)
    cumulative_RV = logits_RV.masked_fill(logits_RV < least_R1, -math.inf).softmax(-1).cumsum(-1)
    reached_R = (torch.from_numpy(words_R) + 0.5) / 2**32 * cumulative_RV[:, -1]
    return torch.searchsorted(cumulative_RV, reached_R[:, None], right=True)[:, 0]


def search(seats: Sequence[Seat], logits_RV: Tensor) -> None:
    """The best continuations of each seat's live texts, and what each text scores if it ends."""
    beams, count = seats[0].request.beams, logits_RV.shape[1]
    scores_R1 = torch.tensor([[s] for seat in seats for s in seat.scores], device=logits_RV.device)
    total_RV = logits_RV.log_softmax(-1) + scores_R1
    ended_R = torch.full_like(total_RV[:, 0], -math.inf)
    stops = [seat.request.stop for seat in seats for _ in range(beams)]
    if rows := [row for row, stop in enumerate(stops) if stop is not None]:
        columns = [stop for stop in stops if stop is not None]
        ended_R[rows] = total_RV[rows, columns]
        total_RV[rows, columns] = -math.inf  # so that only continuations remain
    best_GB, flat_GB = total_RV.view(len(seats), -1).topk(beams)
    ended_GB, parents_GB = ended_R.unflatten(0, (-1, beams)), flat_GB // count
    found = (each.tolist() for each in (ended_GB, best_GB, parents_GB, flat_GB % count))
    for seat, *news in zip(seats, *found, strict=True):
        seat.branch(*news)
