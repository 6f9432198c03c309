"""Several objectives in one batch, each with its share of the rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from wherefrom.core.contracts import Batch, Objective
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Share


@dataclass(frozen=True)
class Part:
    """An objective at work between two steps, with its own plan of each."""

    objective: Objective
    first: int
    last: int


class Mix:
    """Concatenates what its parts render. A share that starts late leaves its rows to the first.

    Each phase (the steps between two starts) has fixed row counts, so a step's shape is known.
    `build(share, rows, number)` makes the objective; the number keeps the shares' draws apart.
    """

    def __init__(
        self,
        shares: Sequence[Share],
        rows: int,
        steps: int,
        build: Callable[[Share, int, int], Objective],
    ) -> None:
        starts = sorted({round(s.start * steps) for s in shares} | {0})
        self.parts: list[Part] = []
        for first, last in zip(starts, [*starts[1:], steps], strict=True):
            active = [s for s in shares if round(s.start * steps) <= first]
            for share, count in zip(active, split_rows(active, rows), strict=True):
                if count:
                    objective = build(share, count, shares.index(share))
                    self.parts.append(Part(objective, first, last))

    def plan(self, first_step: int, count: int) -> list[tuple[Part, Any, int]]:
        """For every part at work in these steps: itself, its plan, and the plan's first step."""
        plans = []
        for part in self.parts:
            first, last = max(first_step, part.first), min(first_step + count, part.last)
            if first < last:
                plans.append((part, part.objective.plan(first, last - first), first - first_step))
        return plans

    def render(self, plan: list[tuple[Part, Any, int]], index: int) -> Batch:
        batches = []
        for part, own, offset in plan:
            if 0 <= index - offset < len(own):
                batches.append(part.objective.render(own, index - offset))
        return batches[0] if len(batches) == 1 else _concatenate(batches)


def split_rows(shares: Sequence[Share], rows: int) -> list[int]:
    """Whole rows for every share: later shares are rounded, the first takes what is left."""
    counts = [max(1, round(rows * s.share)) for s in shares[1:]]
    if sum(counts) > rows:
        raise UsageError(
            f"mix: expected shares that fit a batch of {rows} rows, found {sum(counts)} rows for "
            "all but the first; raise the batch or lower a share"
        )
    return [rows - sum(counts), *counts]


def _concatenate(batches: list[Batch]) -> Batch:
    width = max(b.inputs.shape[1] for b in batches)

    def widen(x: Tensor) -> Tensor:
        return torch.nn.functional.pad(x, (0, width - x.shape[1]))

    def stack(name: str) -> Tensor:
        return torch.cat([widen(getattr(b, name)) for b in batches])

    lengths = torch.cat([b.lengths for b in batches])
    return Batch(stack("inputs"), stack("targets"), stack("weights"), lengths)
