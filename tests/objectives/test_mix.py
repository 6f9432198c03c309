"""Several objectives in one batch: who has how many rows, and from when."""

import pytest
import torch

from wherefrom.core.contracts import EVERY_ROW, Batch
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Share
from wherefrom.objectives.mix import Mix, split_rows


class Stamped:
    """Rows that say who made them (inputs), in which step (targets) and row."""

    def __init__(self, share: Share, rows: int, number: int) -> None:
        self.share, self.rows, self.number = share, rows, number
        self.width = share.objective

    def plan(self, first_step: int, count: int) -> torch.Tensor:
        return torch.arange(first_step, first_step + count)[:, None].expand(count, self.rows)

    def render(self, plan: torch.Tensor, index: int, rows: slice = EVERY_ROW) -> Batch:
        planned = plan[index, rows]
        shape = (len(planned), self.width)
        steps = planned[:, None].expand(shape)
        made_by = torch.full(shape, self.number + 1)
        return Batch(made_by, steps, torch.ones(shape), torch.full(shape[:1], self.width))


def counts(batch: Batch) -> dict[int, int]:
    makers, rows = batch.inputs[:, 0].unique(return_counts=True)
    return dict(zip((makers - 1).tolist(), rows.tolist(), strict=True))


@pytest.mark.parametrize(
    ("shares", "rows", "expected"),
    [
        ([1.0], 16, [16]),
        ([0.58, 0.30, 0.12], 16, [9, 5, 2]),
        ([0.9, 0.01], 16, [15, 1]),  # a share that would be none has one row
        ([0.5, 0.5], 1, [0, 1]),
        ([0.1, 0.3], 10, [7, 3]),  # the first takes what is left
    ],
)
def test_rows_are_whole_and_all_are_given_out(shares, rows, expected):
    found = split_rows([Share(str(i), None, s) for i, s in enumerate(shares)], rows)
    assert found == expected
    assert sum(found) == rows


def test_shares_that_do_not_fit_the_batch_are_refused():
    with pytest.raises(UsageError, match="fit a batch of 10 rows, found 13 rows"):
        split_rows([Share("a", None), Share("b", None, 0.8), Share("c", None, 0.5)], 10)


def test_a_share_of_nothing_is_left_out_and_the_others_stay_as_they_are():
    """The others keep their numbers, and so their draws; the next one takes what is left."""
    shares = [Share("none", 5, 0.0), Share("a", 5, 0.7), Share("b", 3, 0.25), Share("c", 7, 0.0)]
    mix = Mix(shares, 16, 10, Stamped)
    assert counts(mix.render(mix.plan(0, 1), 0)) == {1: 12, 2: 4}
    assert mix.width == 5
