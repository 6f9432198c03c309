"""The factor that a step puts on every base rate."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Schedule

COURSE_WARMUP = 10_240  # tokens
COURSE_EPOCHS = 200  # of the pretraining text, over which the course's cosine falls


@dataclass(frozen=True)
class TokenCount:
    """What the course counts: every place of every row, padding too.

    `items` rows make an epoch of `batch` rows a step, the last of which may be short.
    """

    items: int
    batch: int
    row_tokens: int  # places of a padded row
    final: int  # tokens over which the cosine falls
    warmup: int = COURSE_WARMUP

    def before(self, step: int) -> int:
        """Tokens of the steps before this one."""
        steps = -(-self.items // self.batch)
        epochs, rest = divmod(step, steps)
        return (epochs * self.items + min(rest * self.batch, self.items)) * self.row_tokens


def find_place(step: int, steps: int, revised: Sequence[tuple[int, int]]) -> tuple[float, int]:
    """Where a step stands in the plan that its stage began with, and how many steps that had.

    Whenever the plan was revised, what was left of it was spread over more or fewer steps.
    """
    first = revised[0][1] if revised else steps
    at, done = 0, 0.0
    for end, total in [*revised, (step + 1, steps)]:
        pace = (first - done) / max(1, total - at)
        if step < end:
            return done + (step - at) * pace, first
        at, done = end, done + (end - at) * pace
    raise AssertionError("the last part has every step that is left")


def factor(schedule: Schedule, step: float, steps: int, tokens: TokenCount | None = None) -> float:
    """Warm-up from 1/w to 1, then the shape, which would reach the floor at step `steps`."""
    if schedule.shape == "course":
        if tokens is None:
            raise UsageError("schedule 'course': expected a text whose tokens can be counted")
        return _course(tokens.before(int(step)), tokens, schedule.floor)
    warmup = max(1, int(steps * schedule.warmup)) if schedule.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    if schedule.shape == "constant":
        return 1.0
    if schedule.shape == "linear":
        return schedule.floor + (1 - schedule.floor) * (1 - done)
    return schedule.floor + (1 - schedule.floor) * (1 + math.cos(math.pi * done)) / 2


def _course(tokens: int, count: TokenCount, floor: float) -> float:
    """The course sets a rate after each step, for the next one: the first is at full rate."""
    if tokens == 0:
        return 1.0
    if tokens < count.warmup:
        return tokens / count.warmup
    done = (tokens - count.warmup) / max(1, count.final - count.warmup)
    return max(floor, (1 + math.cos(math.pi * done)) / 2)
