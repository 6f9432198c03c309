"""Attention within rows that stand one after the other: the same as with padding."""

import sys
from dataclasses import replace
from itertools import pairwise
from types import ModuleType, SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from msgspec import structs

from wherefrom.models.attention import causal, unpadded
from wherefrom.models.attention.packing import Packing, find_cu_seqlens
from wherefrom.models.attention.rope import RotarySelfAttention
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.stacked import stack_models

CONFIG = GPTConfig(
    vocab_size=20, block_size=16, n_layer=2, n_head=2, n_embd=8, norm="rms", bias=False,
    embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0, init_std=0.3, qk_norm=True,
)  # fmt: skip


def attend_one_by_one(q, k, v, packing: Packing, dropout: float = 0.0):
    """What the fused kernel does, row by row."""
    ends = packing.cu_seqlens.tolist()
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
    cu_seqlens = find_cu_seqlens(lengths, width=6, capacity=14)
    assert cu_seqlens.dtype == torch.int32
    assert cu_seqlens.tolist() == [0, 3, 3, 8, 14, 14, 14, 15, 17, 18, 24, 28, 28]


@pytest.mark.parametrize("attention", ["rope", "causal"])
@pytest.mark.parametrize(
    ("way", "models"), [(unpadded.HALF, 1), (unpadded.HALF, 3), (unpadded.OWN, 1)]
)
def test_rows_without_padding_give_the_same(attention, way, models, monkeypatch):
    torch.manual_seed(0)
    config = structs.replace(CONFIG, attention=attention)
    each = [GPT(config).double() for _ in range(models)]
    model = each[0] if models == 1 else stack_models(each)
    lengths = torch.randint(0, 11, (models, 4))
    tokens = torch.randint(0, 20, (4 * models, 10))
    packing = model.packing(lengths.flatten(), 10, 48)
    expected = model.features(tokens, packing=packing)
    monkeypatch.setattr(causal, "choose_way", lambda x, packing, width: way)
    monkeypatch.setattr(causal, "attend_rows", attend_one_by_one)
    monkeypatch.setattr(causal, "attend_projected", attend_whole)
    flowing = replace(packing, cu_seqlens=find_cu_seqlens(lengths, 10, 48))
    found = model.features(tokens, packing=flowing)
    filled = packing.filled_N
    assert 0 < int(filled.sum()) < len(filled)
    torch.testing.assert_close(found[filled], expected[filled])
    assert found.isfinite().all()  # in empty slots, too


def attend_whole(parts, packing: Packing, heads: int, angles, normed: bool, *dropout):
    """What our own kernels do, with the mixer's own code around attention."""
    mixer = SimpleNamespace(cos=angles[0], sin=angles[1]) if angles else None
    q_and_k, v = parts.unflatten(-1, (3, heads, -1)).split((2, 1), 1)
    q_and_k = causal.normalise(q_and_k) if normed else q_and_k
    if mixer is not None:
        starts = packing.cu_seqlens[:-1].repeat_interleave(packing.cu_seqlens.diff())
        positions = torch.arange(len(parts)) - starts
        q_and_k = RotarySelfAttention.place_packed(mixer, q_and_k, positions).to(v.dtype)
    return attend_one_by_one(*q_and_k.unbind(1), v[:, 0], packing).flatten(1)


def test_a_way_is_chosen_by_precision_and_shape(monkeypatch):
    packing = Packing.of(torch.tensor([3, 5]), 6, 10)
    half, single, double = (
        torch.zeros(1, dtype=dtype) for dtype in (torch.bfloat16, torch.float32, torch.float64)
    )
    monkeypatch.setattr(unpadded, "_working", {unpadded.OWN, unpadded.HALF, unpadded.SINGLE})
    assert unpadded.choose_way(half, packing, 32) is None  # nobody said where rows begin
    packing = replace(packing, cu_seqlens=find_cu_seqlens(torch.tensor([[3, 5]]), 6, 10))
    assert unpadded.choose_way(half, packing, 32) == unpadded.OWN
    assert unpadded.choose_way(half, packing, 8) == unpadded.HALF
    assert unpadded.choose_way(single, packing, 32) == unpadded.SINGLE
    assert unpadded.choose_way(double, packing, 32) is None
    long = Packing.of(torch.tensor([3, 5]), 129, 10)
    long = replace(long, cu_seqlens=find_cu_seqlens(torch.tensor([[3, 5]]), 129, 10))
    assert unpadded.choose_way(half, long, 32) == unpadded.HALF
    monkeypatch.setattr(unpadded, "_working", set())
    assert unpadded.choose_way(half, packing, 32) is None


def try_out_here(monkeypatch, attend, whole, wanted=None, dropout=0.0) -> list[str]:
    """As if this CPU were a GPU; the packing then has its cu_seqlens."""

    def pack(lengths, width, capacity):
        packing = Packing.of(lengths, width, capacity)
        return replace(packing, cu_seqlens=find_cu_seqlens(lengths[None], width, capacity))

    monkeypatch.setattr(unpadded, "Packing", SimpleNamespace(of=pack))
    monkeypatch.setattr(unpadded, "attend_rows", attend)
    monkeypatch.setattr(unpadded, "attend_projected", whole)
    monkeypatch.setattr(unpadded, "_device_kind", lambda device: "cuda")
    monkeypatch.setattr(unpadded, "_working", set())
    monkeypatch.setitem(sys.modules, "wherefrom.models.attention.row_operations", ModuleType("any"))
    if wanted is not None:
        monkeypatch.setattr(unpadded, "WANTED", wanted)
    mixer = RotarySelfAttention(structs.replace(CONFIG, n_embd=64, block_size=128))
    unpadded.try_out(torch.device("cpu"), 2, 32, mixer.angles, True, dropout)
    return sorted(unpadded._working)


def test_a_kernel_that_is_missing_or_wrong_or_not_wanted_is_not_used(monkeypatch):
    missing = unpadded.attend_rows, unpadded.attend_projected  # a CPU has none
    assert try_out_here(monkeypatch, *missing) == []

    def wrong(q, k, v, packing):
        return v

    def turned_wrong(parts, packing, heads, angles, normed):
        return attend_whole(parts, packing, heads, None, normed)

    assert try_out_here(monkeypatch, wrong, turned_wrong) == []
    wanted = {unpadded.HALF}
    assert try_out_here(monkeypatch, attend_one_by_one, attend_whole, wanted) == [unpadded.HALF]


class Dropped(torch.autograd.Function):
    """Drops values by one mask and their gradient by another, or by the same."""

    @staticmethod
    def forward(ctx, x, forward, backward):
        ctx.save_for_backward(backward)
        return x * forward

    @staticmethod
    def backward(ctx, *grads):
        return grads[0] * ctx.saved_tensors[0], None, None


@pytest.mark.parametrize("alike", [True, False])
def test_a_kernel_whose_gradient_drops_something_else_is_not_used(alike, monkeypatch):
    def drop(v, dropout):
        masks = (torch.rand(2, *v.shape, generator=torch.manual_seed(0)) >= dropout).to(v.dtype)
        return Dropped.apply(v, masks[0], masks[0 if alike else 1])

    def attend(q, k, v, packing, dropout=0.0):
        return attend_one_by_one(q, k, drop(v, dropout), packing)

    def whole(parts, packing, heads, angles, normed, dropout=0.0, *seeds):
        q, k, v = parts.chunk(3, 1)
        parts = torch.cat((q, k, drop(v, dropout)), 1)
        return attend_whole(parts, packing, heads, angles, normed)

    used = [unpadded.OWN, unpadded.HALF, unpadded.SINGLE] if alike else []
    assert try_out_here(monkeypatch, attend, whole, dropout=0.1) == sorted(used)
