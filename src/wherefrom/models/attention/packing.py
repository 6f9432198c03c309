"""Rows of unequal length without their padding, in shapes that do not depend on the lengths.

Padding costs as much as text in everything that is done character by character. Packed, the
characters of all rows stand one after the other in a fixed number of slots, so that a step can
be compiled and captured as a graph whatever the lengths are.

Shapes: B rows, T places in a padded row, N slots.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask

BLOCK = 64  # slots that a compiled attention compares at a time; rows are about as long


@dataclass(frozen=True)
class Packing:
    """Which slot each character has. Rows are padded on the right."""

    places_N: Tensor  # row x T + position of each slot's character; 0 where a slot is empty
    filled_N: Tensor  # whether a slot has a character
    slots_BT: Tensor  # the slot of each place; 0 where there is no character
    live_BT: Tensor  # whether a place has a character
    blocks: BlockMask | None = None  # for a compiled step on a GPU: which slots see which

    @classmethod
    def of(cls, lengths_B: Tensor, width: int, capacity: int) -> "Packing":
        """Pack rows padded to `width` into `capacity` slots, without a question to the device.

        So too many characters for the slots are not noticed here: the caller makes sure that they
        fit. Those that find no slot are treated as padding.
        """
        return cls.side_by_side(lengths_B[None], width, capacity)

    @classmethod
    def side_by_side(cls, lengths_KB: Tensor, width: int, capacity: int) -> "Packing":
        """Pack the rows of K models, one model after the other, each into `capacity` slots."""
        models, rows = lengths_KB.shape
        device = lengths_KB.device
        ends_KB = lengths_KB.cumsum(1)
        starts_KB = ends_KB - lengths_KB
        position_T = torch.arange(width, device=device)
        there_KB = lengths_KB.minimum(capacity - starts_KB)  # characters of a row that find slots
        live_KBT = position_T < there_KB[..., None]
        first_K1 = torch.arange(0, models * capacity, capacity, device=device)[:, None]
        slots_KBT = torch.where(live_KBT, (starts_KB + first_K1)[..., None] + position_T, 0)
        slot_KN = torch.arange(capacity, device=device).expand(models, -1).contiguous()
        # Rows without characters are stepped over.
        row_KN = torch.searchsorted(ends_KB, slot_KN, right=True)
        filled_KN = row_KN < rows
        # A row's first place less its first slot: with a slot added, that slot's place.
        first_KB = torch.arange(0, models * rows * width, width, device=device).view(models, rows)
        place_KN = (first_KB - starts_KB).gather(1, row_KN.clamp(max=rows - 1)) + slot_KN
        places_N = torch.where(filled_KN, place_KN, 0).flatten()
        fused = lengths_KB.is_cuda and torch.compiler.is_compiling()
        return cls(
            places_N,
            filled_KN.flatten(),
            slots_KBT.flatten(0, 1),
            live_KBT.flatten(0, 1),
            find_blocks(places_N % width) if fused else None,
        )

    @property
    def positions_N(self) -> Tensor:
        """Each slot's place in its own row."""
        return self.places_N % self.slots_BT.shape[1]

    def pack(self, x_BT: Tensor) -> Tensor:
        """(B, T, ...) to (N, ...); zero in empty slots."""
        index = (self.places_N, self.filled_N, self.slots_BT.flatten(), self.live_BT.flatten())
        return _Move.apply(x_BT.flatten(0, 1), *index)  # pyright: ignore

    def spread(self, x_N: Tensor) -> Tensor:
        """(N, ...) to (B, T, ...); zero where there is no character."""
        index = (self.slots_BT.flatten(), self.live_BT.flatten(), self.places_N, self.filled_N)
        return _Move.apply(x_N, *index).unflatten(0, self.live_BT.shape)  # pyright: ignore


def find_blocks(positions_N: Tensor) -> BlockMask:
    """Slots see those of their row up to themselves; an empty slot, whose position is 0, itself.

    Rows follow each other. So a block sees the blocks from its first slot's row on up to itself,
    and is seen by itself and by the next ones that begin to see no later.
    """
    slot_N = torch.arange(len(positions_N), device=positions_N.device)
    first_N = slot_N - positions_N
    first = (first_N[::BLOCK] // BLOCK).contiguous()  # block that each block sees from
    block = slot_N[: len(first)]
    end = torch.searchsorted(first, block, right=True)  # block up to which each is seen

    def sees(row: Tensor, head: Tensor, slot: Tensor, other: Tensor) -> Tensor:
        return (other <= slot) & (other >= first_N[slot])

    def span(begin: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
        indices = (begin[:, None] + block).clamp(max=len(block) - 1)
        return count[None, None].int(), indices[None, None].int()

    size, none = (len(slot_N), len(slot_N)), (None, None)
    seen, seeing = span(first, block + 1 - first), span(block, end - block)
    return BlockMask(size, *seen, *none, *seeing, *none, (BLOCK, BLOCK), sees)


class _Move(torch.autograd.Function):
    """Packing and spreading undo each other, so the gradient of one is the other.

    Left to autograd it would be a sum into places that collide, which a GPU does slowly, or in
    an order of its own.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, source: Tensor, kept: Tensor, back: Tensor, back_kept: Tensor
    ) -> Tensor:
        ctx.save_for_backward(back, back_kept)
        return _take(x, source, kept)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore
        return _take(grads[0], *ctx.saved_tensors), None, None, None, None


def _take(x: Tensor, source: Tensor, kept: Tensor) -> Tensor:
    found = x.index_select(0, source)
    return found.where(kept.view(-1, *[1] * (found.dim() - 1)), 0)
