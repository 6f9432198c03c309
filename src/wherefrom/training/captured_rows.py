"""What captured steps read: rows of many steps, rendered at a time, and slots for their characters.

Plans are pure, so the characters of every step of a stage are known before the first. One graph has
room for nearly all steps; the few fuller ones are replayed from a second graph, so that not every
step pays for the fullest.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from wherefrom.core.contracts import EVERY_ROW, Batch, StaticObjective

_FOR_ROWS = 10  # a tenth of the free memory is for rows
_RENDERED = 2**24  # places that are rendered at a time
_ON_CPU = 2**28  # bytes that count as free where there is no GPU
_ROUND = 128  # slots come in multiples of this
_USUAL = 0.99  # the share of steps that the first graph has room for


def count_characters(objective: StaticObjective, steps: int, rows: slice = EVERY_ROW) -> Tensor:
    """The characters of every step of a stage, in these rows of it."""
    return torch.cat([batch.lengths.sum(1) for _, batch in render_rows(objective, 0, steps, rows)])


def round_up(characters: int) -> int:
    return -(-characters // _ROUND) * _ROUND


def find_usual(characters: Tensor) -> int:
    """Slots that are enough for nearly all of these steps."""
    ordered = characters.sort().values
    return round_up(int(ordered[int(_USUAL * (len(ordered) - 1))]))


def choose_room(one: Batch, models: int, least: int, most: int) -> int:
    """Steps whose rows are rendered at a time, given the rows of one step of one model.

    Rendering is a thousand small operations, for one step as for hundreds.
    """
    parts = (one.inputs, one.targets, one.weights, one.lengths)
    size = models * sum(x.numel() * x.element_size() for x in parts)
    return max(least, min(most, find_free(one.inputs.device) // _FOR_ROWS // size))


def render_rows(
    objective: StaticObjective, first: int, last: int, rows: slice = EVERY_ROW
) -> Iterator[tuple[slice, Batch]]:
    """The rows of these steps, a part at a time, and which of the steps the part has."""
    places = objective.render_all(objective.plan(first, 1), rows).inputs.numel()
    each = max(1, _RENDERED // max(1, places))
    for start in range(first, last, each):
        count = min(each, last - start)
        batch = objective.render_all(objective.plan(start, count), rows)
        yield slice(start - first, start - first + count), batch


def find_free(device: torch.device) -> int:
    """Bytes that are free on a device."""
    return torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else _ON_CPU
