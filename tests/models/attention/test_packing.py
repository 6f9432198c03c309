"""Packing against what plain loops would pack, and against the padded rows it stands for."""

import dataclasses

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import Tensor

from tests.support.drawn_models import draw_gpt
from wherefrom.models.attention import MIXERS, Packing
from wherefrom.models.attention.packing import BLOCK, find_blocks
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.stacked import stack_models

WIDTH, CAPACITY = 8, 21
VANILLA = GPTConfig(
    vocab_size=20, block_size=9, n_layer=3, n_head=2, n_embd=16, ngrams=3, ngram_buckets=64,
    embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0,
)  # fmt: skip
MODERN = replace(VANILLA, norm="rms", activation="relu2", bias=False, qk_norm=True)
PACKABLE = [name for name, mixer in MIXERS.items() if mixer.packable]
LENGTHS = [3, 0, WIDTH, 1, 0, 5]


def numbers(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


@given(lengths=st.lists(st.integers(0, WIDTH), min_size=1, max_size=6), more=st.integers(0, 4))
@settings(max_examples=100, deadline=None)
def test_a_packing_is_what_loops_would_pack(lengths, more):
    total = sum(lengths)
    packing = Packing.of(torch.tensor(lengths), WIDTH, max(total + more, 1))
    places = [row * WIDTH + t for row, length in enumerate(lengths) for t in range(length)]
    empty = len(packing.places_N) - total
    assert packing.places_N.tolist() == places + [0] * empty
    assert packing.filled_N.tolist() == [True] * total + [False] * empty
    x = numbers(len(lengths), WIDTH, 2)
    packed = packing.pack(x)
    assert packed[:total].tolist() == x.flatten(0, 1)[places].tolist()
    assert not packed[total:].any()
    live = torch.arange(WIDTH) < torch.tensor(lengths)[:, None]
    assert torch.equal(packing.live_BT, live)
    assert torch.equal(packing.spread(packed), torch.where(live[..., None], x, 0))


def test_characters_without_a_slot_are_padding():
    packing = Packing.of(torch.tensor([2, 3]), 3, 4)
    assert packing.places_N.tolist() == [0, 1, 3, 4]
    assert packing.live_BT.int().tolist() == [[1, 1, 0], [1, 1, 0]]


def read(model: GPT, lengths_B: Tensor, packed: bool) -> tuple[Tensor, list[Tensor]]:
    """The features at live positions, and the gradients of a weighted loss on them."""
    live = torch.arange(WIDTH) < lengths_B[:, None]
    tokens = torch.randint(20, (len(lengths_B), WIDTH), generator=torch.Generator().manual_seed(1))
    if packed:
        packing = model.packing(lengths_B, WIDTH, CAPACITY)
        found = model.features(tokens, packing=packing)[: int(lengths_B.sum())]
    else:
        found = model.features(tokens)[live]
    weights = numbers(*found.shape, seed=3)
    names, parameters = zip(*model.named_parameters(), strict=True)
    loss = (found.tanh() * weights).sum()
    assert "head.weight" in names
    gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
    return found, [g for g in gradients if g is not None]


@pytest.mark.parametrize("mixer", PACKABLE)
@pytest.mark.parametrize("config", [VANILLA, MODERN], ids=["vanilla", "modern"])
def test_packed_or_padded_features_and_gradients_are_the_same(mixer, config):
    model = draw_gpt(replace(config, attention=mixer))
    assert model.packable
    expected, wanted = read(model, torch.tensor(LENGTHS), packed=False)
    found, gradients = read(model, torch.tensor(LENGTHS), packed=True)
    assert expected.std() > 0.1
    torch.testing.assert_close(found, expected, atol=1e-10, rtol=0)
    assert len(gradients) == len(wanted) == len(list(model.parameters())) - 1  # all but the head
    for one, other in zip(gradients, wanted, strict=True):
        torch.testing.assert_close(one, other, atol=1e-10, rtol=0)


@pytest.mark.parametrize("mixer", PACKABLE)
def test_empty_slots_are_finite_and_teach_nothing(mixer):
    model = draw_gpt(replace(VANILLA, attention=mixer))
    packing = Packing.of(torch.tensor([0, 2]), WIDTH, 6)
    features = model.features(torch.randint(20, (2, WIDTH)), packing=packing)
    assert torch.isfinite(features).all()
    weights = packing.filled_N.double()[:, None]
    (features.square() * weights * torch.tensor([[0.0]] + [[1.0]] * 5)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is None or torch.isfinite(parameter.grad).all(), name
    if not MIXERS[mixer].positional:  # only the two positions that a character has
        assert model.pos_emb.grad[0].any(-1).tolist() == [True] * 2 + [False] * 7


@given(
    lengths=st.lists(st.integers(0, 2 * BLOCK + 2), min_size=2, max_size=8).map(sorted),
    more=st.integers(0, BLOCK + 1),
)
@settings(max_examples=30, deadline=None)
def test_blocks_are_compared_if_a_slot_of_one_sees_one_of_the_other(lengths, more):
    lengths_2B = torch.tensor([lengths, lengths[::-1]])  # two models, with as many slots
    packing = Packing.side_by_side(lengths_2B, 2 * BLOCK + 2, sum(lengths) + more + 1)
    blocks = find_blocks(packing.positions_N)
    slots = torch.arange(len(packing.places_N))
    rows = torch.where(packing.filled_N, packing.places_N // (2 * BLOCK + 2), -1 - slots)
    seen = (rows[:, None] == rows) & (slots <= slots[:, None])
    assert torch.equal(blocks.mask_mod(slots, slots, slots[:, None], slots), seen)
    count = -(-len(slots) // BLOCK)
    whole = torch.zeros(count, BLOCK, count, BLOCK, dtype=torch.bool)
    whole.view(count * BLOCK, -1)[: len(slots), : len(slots)] = seen
    compared = whole.any(3).any(1)
    assert torch.equal(blocks.to_dense()[0, 0].bool(), compared)
    numbers, indices = blocks.q_num_blocks[0, 0], blocks.q_indices[0, 0]  # for the way back
    for block in range(count):
        by = indices[block, : numbers[block]].tolist()
        assert by == compared[:, block].nonzero()[:, 0].tolist()


def compare_all(q: Tensor, k: Tensor, v: Tensor, *, block_mask, kernel_options) -> Tensor:
    """What torch's block-wise attention computes, with every score."""
    slots = torch.arange(q.shape[2])
    seen = block_mask.mask_mod(slots, slots, slots[:, None], slots)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


@pytest.mark.parametrize("models", [1, 2])
def test_slots_compared_where_they_stand_give_what_padded_rows_give(models, monkeypatch):
    monkeypatch.setattr("wherefrom.models.attention.mixer.flex_attention", compare_all)
    config = replace(MODERN, attention="rope", n_embd=32)
    each = [draw_gpt(config, seed=k) for k in range(models)]
    model = each[0] if models == 1 else stack_models(each)
    lengths = torch.tensor(LENGTHS * models)
    tokens = torch.randint(20, (len(lengths), WIDTH), generator=torch.Generator().manual_seed(1))
    packing = model.packing(lengths, WIDTH, CAPACITY)
    assert packing.blocks is None  # no compiled step, no GPU
    standing = dataclasses.replace(packing, blocks=find_blocks(packing.positions_N))
    expected, found = (model.features(tokens, packing=p) for p in (packing, standing))
    assert found.isfinite().all()  # in empty slots, too
    assert expected.std() > 0.1
    filled = packing.filled_N
    torch.testing.assert_close(found[filled], expected[filled])
    assert not torch.equal(found[~filled], expected[~filled])  # these see themselves, or nothing


@pytest.mark.parametrize("mixer", PACKABLE)
def test_nothing_asks_the_device_for_a_number(mixer):
    """Tensors without numbers say so when they are asked for one."""
    with torch.device("meta"):
        model = GPT(replace(MODERN, attention=mixer))
        lengths, tokens = torch.tensor(LENGTHS), torch.zeros(len(LENGTHS), WIDTH, dtype=torch.long)
        found = model.features(tokens, packing=model.packing(lengths, WIDTH, CAPACITY))
        found.square().sum().backward()
    assert found.shape == (CAPACITY, MODERN.n_embd)
