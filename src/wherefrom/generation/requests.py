"""What is asked of the decoder, and what it gives back."""

from dataclasses import dataclass
from typing import NamedTuple

from wherefrom.core.bounds import MOST_SYMBOLS, check_number, check_whole
from wherefrom.core.config import check
from wherefrom.core.randomness import MASK32
from wherefrom.core.vocabulary import MASK_ID

HOTTEST = 1000.0


@dataclass(frozen=True)
class Request:
    """A prompt to go on from.

    One row, greedy or sampled, or `beams` rows that search for the `beams` most probable
    continuations. (seed, number) address a request's counted randomness: two requests that are
    to differ have different numbers, and neither depends on what else is being decoded.
    """

    prompt: tuple[int, ...]
    max_new: int = 32  # characters chosen at most, the stop among them
    beams: int = 1
    temperature: float = 0.0  # 0: greedy
    top_k: int = 0  # sample among the k most probable; 0: among all
    seed: int = 0
    stop: int | None = MASK_ID
    number: int = 0

    def __post_init__(self) -> None:
        for name, least in {"max_new": 1, "beams": 1, "seed": 0, "number": 0}.items():
            check_whole(self, name, least, MASK32)
        check_number(self, "temperature", 0, HOTTEST, "0: greedy; all are alike at the end")
        check_whole(self, "top_k", 0, MOST_SYMBOLS, "0: all")
        fits = self.beams == 1 or self.temperature == 0
        check(fits, "Request", "temperature", self.temperature, "0 where there are beams")


class Completion(NamedTuple):
    """What followed a prompt, without the stop character.

    The log-probability is the model's own (temperature 1) of all that was chosen, the stop
    included; `finished` if there was a stop.
    """

    tokens: tuple[int, ...]
    log_probability: float
    finished: bool
