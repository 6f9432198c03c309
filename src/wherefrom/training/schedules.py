"""The factor that a step puts on every base rate."""

import math

from wherefrom.core.recipe import Schedule


def factor(schedule: Schedule, step: int, steps: int) -> float:
    """Warm-up from 1/w to 1, then the shape, which would reach the floor at step `steps`."""
    warmup = max(1, int(steps * schedule.warmup)) if schedule.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    if schedule.shape == "constant":
        return 1.0
    if schedule.shape == "linear":
        return schedule.floor + (1 - schedule.floor) * (1 - done)
    return schedule.floor + (1 - schedule.floor) * (1 + math.cos(math.pi * done)) / 2
