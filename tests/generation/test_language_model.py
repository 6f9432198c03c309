"""Texts of unequal length in batches: by hand."""

from wherefrom.generation.language_model import groups


def test_groups_keep_order_and_budget():
    lengths = [1, 1, 2, 3, 5, 8, 13, 21]
    found = list(groups(lengths, 16))
    assert [i for g in found for i in range(len(lengths))[g]] == list(range(len(lengths)))
    for group in found:
        members = lengths[group]
        assert len(members) == 1 or len(members) * members[-1] <= 16
    assert list(groups([], 16)) == []
    assert list(groups([4] * 5, 16)) == [slice(0, 4), slice(4, 5)]
