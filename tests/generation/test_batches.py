"""Texts of unequal length in batches: by hand."""

import torch

from wherefrom.core.vocabulary import PAD_ID
from wherefrom.generation.batches import common_start, groups, pad


def test_groups_keep_order_and_budget():
    lengths = [1, 1, 2, 3, 5, 8, 13, 21]
    found = list(groups(lengths, 16))
    assert [i for g in found for i in range(len(lengths))[g]] == list(range(len(lengths)))
    for group in found:
        members = lengths[group]
        assert len(members) == 1 or len(members) * members[-1] <= 16
    assert list(groups([], 16)) == []
    assert list(groups([4] * 5, 16)) == [slice(0, 4), slice(4, 5)]


def test_common_start():
    assert common_start([(1, 2, 3), (1, 2, 4), (1, 2)]) == 2
    assert common_start([(1, 2), (3,)]) == 0
    assert common_start([(1, 2)]) == 2


def test_padding_stands_on_the_right():
    found = pad([(3, 4, 5), (6,)], torch.device("cpu"))
    assert found.tolist() == [[3, 4, 5], [6, PAD_ID, PAD_ID]]
