"""Texts of unequal length in batches: by hand."""

import torch

from wherefrom.generation import language_model
from wherefrom.generation.language_model import groups


def test_groups_keep_order_and_budget(monkeypatch):
    monkeypatch.setattr(language_model, "ON_CPU", 16)
    lengths, cpu = [1, 1, 2, 3, 5, 8, 13, 21], torch.device("cpu")
    found = list(groups(lengths, cpu))
    assert [i for g in found for i in range(len(lengths))[g]] == list(range(len(lengths)))
    for group in found:
        members = lengths[group]
        assert len(members) == 1 or len(members) * members[-1] <= 16
    assert list(groups([], cpu)) == []
    assert list(groups([4] * 5, cpu)) == [slice(0, 4), slice(4, 5)]
