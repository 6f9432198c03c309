"""Several objectives in one batch, each with its share of the rows."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from wherefrom.core.bounds import MOST_STEPS
from wherefrom.core.contracts import EVERY_ROW, Batch
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Share


@dataclass(frozen=True)
class Part:
    """An objective at work between two steps, with its own plan of each."""

    objective: Any
    first: int
    last: int
    rows: slice  # of the batch


class Mix:
    """Concatenates what its parts render. A share that starts late leaves its rows to the first,
    and a share of 0 is left out. `steps` are those that were planned: there may be more.

    Each phase (the steps between two starts) has fixed row counts, so a step's shape is known.
    `build(share, rows, number)` makes the objective; the number keeps the shares' draws apart.
    """

    def __init__(
        self,
        shares: Sequence[Share],
        rows: int,
        steps: int,
        build: Callable[[Share, int, int], Any],
    ) -> None:
        used = [share for share in shares if share.share]
        starts = sorted({round(s.start * steps) for s in used} | {0})
        self.parts: list[Part] = []
        for first, last in zip(starts, [*starts[1:], MOST_STEPS], strict=True):
            active = [s for s in used if round(s.start * steps) <= first]
            row = 0
            for share, count in zip(active, split_rows(active, rows), strict=True):
                if count:
                    objective = build(share, count, shares.index(share))
                    self.parts.append(Part(objective, first, last, slice(row, row + count)))
                    row += count
        self.rows = rows

    def weighted(self, weights: Mapping[str, Tensor]) -> "Mix":
        """The same rows; those of documents count as the weights of what a part reads say.

        So one corpus serves many models of a stack, each with its row of a matrix of weights.
        """
        other = copy.copy(self)
        other.parts = [
            replace(part, objective=part.objective.weighted(weights[reads]))
            if (reads := getattr(part.objective, "reads", "")) in weights
            else part
            for part in self.parts
        ]
        return other

    @property
    def items(self) -> int:
        """Documents or questions of the first part: what makes an epoch."""
        return self.parts[0].objective.items

    @property
    def width(self) -> int:
        return max(part.objective.width for part in self.parts)

    def plan(self, first_step: int, count: int) -> list[tuple[Part, Any, int]]:
        """For every part at work in these steps: itself, its plan, and the plan's first step."""
        plans = []
        for part in self.parts:
            first, last = max(first_step, part.first), min(first_step + count, part.last)
            if first < last:
                plans.append((part, part.objective.plan(first, last - first), first - first_step))
        return plans

    def render(
        self, plan: list[tuple[Part, Any, int]], index: int, rows: slice = EVERY_ROW
    ) -> Batch:
        batches = []
        for part, own, offset in plan:
            inside, _ = divide(part.rows, rows)
            if 0 <= index - offset < len(own) and inside is not None:
                batches.append(part.objective.render(own, index - offset, inside))
        return batches[0] if len(batches) == 1 else _concatenate(batches)

    def outline(self, plan: list[tuple[Part, Any, int]], index: int) -> tuple[Tensor, int]:
        """The lengths of all rows of a step, and the width that they are padded to."""
        found = [
            part.objective.outline(own, index - offset)
            for part, own, offset in plan
            if 0 <= index - offset < len(own)
        ]
        return torch.cat([lengths for lengths, _ in found]), max(width for _, width in found)

    def render_all(self, plan: list[tuple[Part, Any, int]], rows: slice = EVERY_ROW) -> Batch:
        """(steps, rows, width): every part's rows in their place, though a part begins late."""
        pieces: list[tuple[slice, Any, int, Batch]] = []
        for part, own, at in plan:
            inside, outside = divide(part.rows, rows)
            if inside is not None:
                pieces.append((outside, own, at, part.objective.render_all(own, inside)))
        steps = max(at + len(own) for _, own, at in plan)
        shape = (steps, len(range(self.rows)[rows]), self.width)
        _, _, _, like = pieces[0]
        inputs, targets = like.inputs.new_zeros(shape), like.targets.new_zeros(shape)
        weights, lengths = like.weights.new_zeros(shape), like.lengths.new_zeros(shape[:2])
        for place, own, at, batch in pieces:
            here = slice(at, at + len(own))
            width = batch.inputs.shape[-1]
            inputs[here, place, :width], targets[here, place, :width] = batch.inputs, batch.targets
            weights[here, place, :width], lengths[here, place] = batch.weights, batch.lengths
        return Batch(inputs, targets, weights, lengths)


def divide(part: slice, rows: slice) -> tuple[slice | None, slice]:
    """Which rows of a part are among `rows` of the batch (None: none are), and where they come.

    `rows` is every n-th row from some row on: the first is counted inside the part, the second
    among the chosen rows of the batch.
    """
    if rows == EVERY_ROW:
        return EVERY_ROW, part
    first, stride = rows.start or 0, rows.step or 1
    before = max(0, -(-(part.start - first) // stride))  # chosen rows before the part
    begin = first + before * stride
    count = max(0, -(-(part.stop - begin) // stride))
    inside = slice(begin - part.start, part.stop - part.start, stride) if count else None
    return inside, slice(before, before + count)


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
