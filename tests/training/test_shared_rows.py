"""Pieces and dropout masks of a step, as one of several processes has them."""

import hypothesis
import pytest
import torch
from hypothesis import strategies as st
from torch import nn

from wherefrom.core.contracts import Batch
from wherefrom.training.shared_rows import SharedDropout, divide_step, find_dropout


def step(lengths: list[int]) -> Batch:
    """Rows that say where they stand: row x 100 + place."""
    width = max(1, *lengths)
    inputs = torch.arange(len(lengths))[:, None] * 100 + torch.arange(width)
    live = torch.arange(width) < torch.tensor(lengths)[:, None]
    return Batch(inputs * live, inputs * live, live.float(), torch.tensor(lengths))


def take(batch: Batch, rows: slice) -> Batch:
    """As an objective renders them: cropped to the longest."""
    width = max(1, int(batch.lengths[rows].max()))
    parts = (x[rows, :width] for x in (batch.inputs, batch.targets, batch.weights))
    return Batch(*parts, batch.lengths[rows])


@hypothesis.given(
    lengths=st.lists(st.integers(0, 9), min_size=2, max_size=14),
    size=st.integers(1, 4),
    buckets=st.integers(1, 4),
)
def test_the_pieces_of_all_processes_are_the_step(lengths: list[int], size: int, buckets: int):
    size, buckets = min(size, len(lengths)), min(buckets, len(lengths))
    whole = step(lengths)
    found: dict[int, list[int]] = {}
    for rank in range(size):
        rows = slice(rank, None, size)
        pieces = divide_step(take(whole, rows), whole.lengths, whole.inputs.shape[1], buckets, rows)
        for number, piece in enumerate(pieces):
            counts = piece.batch.weights.any(1)
            for place, row, length in zip(
                piece.places[counts], piece.batch.inputs[counts], piece.batch.lengths[counts],
                strict=True,
            ):  # fmt: skip
                mine = int(row[0]) // 100
                assert lengths[mine] == length == piece.lengths[place]
                assert row[:length].tolist() == [mine * 100 + i for i in range(length)]
                found.setdefault(number, []).append(mine)
    kept = [row for rows in found.values() for row in rows]
    assert sorted(kept) == [i for i, length in enumerate(lengths) if length]
    order = torch.argsort(whole.lengths, stable=True) if buckets > 1 else torch.arange(len(lengths))
    for number, rows in enumerate(order.chunk(buckets)):
        theirs = sorted(i for i in rows.tolist() if lengths[i])
        assert sorted(found.get(number, [])) == theirs, "each row is in the piece of one process"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [2, 3])
def test_masks_are_parts_of_the_mask_of_one_process(packed: bool, size: int):
    lengths, width = [3, 5, 0, 2, 5], 4
    whole = step(lengths)
    rows = [torch.full((n if packed else 5, width), 1.0 + i) for i, n in enumerate(lengths)]
    x = torch.cat(rows) if packed else torch.stack(rows)
    torch.manual_seed(3)
    expected = nn.Dropout(0.4)(x)
    assert 0 < (expected == 0).sum() < expected.numel()
    for rank in range(size):
        layer = nn.Dropout(0.4)
        dropout = SharedDropout(nn.Sequential(nn.Linear(1, 1), layer))
        own = slice(rank, None, size)
        (dropout.piece,) = divide_step(take(whole, own), whole.lengths, 5, 1, own)
        here = dropout.piece.batch.inputs.shape[1]
        mine = rows[own]
        part = torch.cat(mine) if packed else torch.stack(mine)[:, :here]
        theirs = (
            torch.cat(list(expected.split(lengths))[own]) if packed else expected[own][:, :here]
        )
        torch.manual_seed(3)
        assert torch.equal(layer(part), theirs)
        layer.eval()
        assert torch.equal(layer(part), part)


def test_dropout_that_cannot_be_shared_is_left_as_it_is():
    class Attention(nn.Module):
        def __init__(self, p: float) -> None:
            super().__init__()
            self.attn_drop, self.resid_drop = nn.Dropout(p), nn.Dropout(0.1)

    assert find_dropout(Attention(0.2)) == ()
    assert len(find_dropout(Attention(0.0))) == 1
