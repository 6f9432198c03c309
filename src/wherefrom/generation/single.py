"""Requests of one row: the most probable character each time, or one drawn at random.

Shapes: R rows, V vocabulary.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.randomness import Stream, draws
from wherefrom.generation.lane import Arrival, Lane
from wherefrom.generation.requests import Completion, Event, Request


class SingleSeat:
    def __init__(self, arrival: Arrival) -> None:
        self.arrival = arrival
        self.tokens: list[int] = []
        self.log_probability = 0.0
        self.completions: tuple[Completion, ...] | None = None

    @property
    def position(self) -> int:
        """Of the next character in the whole text."""
        return len(self.arrival.request.prompt) + len(self.tokens)

    def unread(self) -> list[int]:
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
    seats: list[SingleSeat]

    def seat(self, arrival: Arrival) -> SingleSeat:
        return SingleSeat(arrival)

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
