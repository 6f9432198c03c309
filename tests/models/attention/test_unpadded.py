"""Attention within rows that stand one after the other: the same as with padding."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F

from wherefrom.models.attention import causal, unpadded
from wherefrom.models.attention.packing import Packing, find_joints
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.stacked import StackedGPT

CONFIG = GPTConfig(
    vocab_size=20, block_size=16, n_layer=2, n_head=2, n_embd=8, norm="rms", bias=False,
    embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0, init_std=0.3, qk_norm=True,
)  # fmt: skip


def attend_one_by_one(q, k, v, packing: Packing):
    """What the fused kernel does, row by row."""
    assert packing.joints is not None
    ends = packing.joints.tolist()
    found = torch.zeros_like(v)
    for first, last in pairwise(ends):
        assert last - first <= packing.slots_BT.shape[1]  # the longest that the kernel is told of
        rows = (part[first:last].transpose(0, 1)[None] for part in (q, k, v))
        if last > first:
            mixed = F.scaled_dot_product_attention(*rows, is_causal=True)
            found[first:last] = mixed[0].transpose(0, 1)
    return found


def test_joints_cover_all_slots_in_rows_that_are_short_enough():
    lengths = torch.tensor([[3, 0, 5], [1, 2, 1]])
    joints = find_joints(lengths, width=6, capacity=14)
    assert joints.dtype == torch.int32
    assert joints.tolist() == [0, 3, 3, 8, 14, 14, 14, 15, 17, 18, 24, 28, 28]


@pytest.mark.parametrize("attention", ["rope", "causal"])
@pytest.mark.parametrize("models", [1, 3])
def test_rows_without_padding_give_the_same(attention, models, monkeypatch):
    torch.manual_seed(0)
    config = replace(CONFIG, attention=attention)
    each = [GPT(config).double() for _ in range(models)]
    model = each[0] if models == 1 else StackedGPT(each)
    lengths = torch.randint(0, 11, (models, 4))
    tokens = torch.randint(0, 20, (4 * models, 10))
    packing = model.packing(lengths.flatten(), 10, 48)
    expected = model.features(tokens, packing=packing)
    monkeypatch.setattr(causal, "flows", lambda x, packing: packing.joints is not None)
    monkeypatch.setattr(causal, "attend_rows", attend_one_by_one)
    flowing = replace(packing, joints=find_joints(lengths, 10, 48))
    found = model.features(tokens, packing=flowing)
    filled = packing.filled_N
    assert 0 < int(filled.sum()) < len(filled)
    torch.testing.assert_close(found[filled], expected[filled])
    assert found.isfinite().all()  # in empty slots, too


def try_out_here(monkeypatch, attend) -> bool:
    """As if this CPU were a GPU; the packing then has its joints."""
    here = torch.device("cpu")
    packing = Packing.of(torch.tensor([3, 0, 5]), 6, 10)
    joints = find_joints(torch.tensor([[3, 0, 5]]), 6, 10)
    monkeypatch.setattr(
        unpadded, "Packing", SimpleNamespace(of=lambda *_: replace(packing, joints=joints))
    )
    monkeypatch.setattr(unpadded, "attend_rows", attend)
    monkeypatch.setattr(unpadded, "_device_kind", lambda device: "cuda")
    for name in ("HALF", "SINGLE"):
        monkeypatch.setattr(unpadded, name, True)
    unpadded.try_out(here, 2, 8)
    assert unpadded.HALF == unpadded.SINGLE
    return unpadded.HALF


def test_a_kernel_that_agrees_is_used(monkeypatch):
    assert try_out_here(monkeypatch, attend_one_by_one)


def test_a_kernel_that_is_missing_or_wrong_is_not_used(monkeypatch):
    assert not try_out_here(monkeypatch, unpadded.attend_rows)  # a CPU has none
    assert not try_out_here(monkeypatch, lambda q, k, v, packing: v)
