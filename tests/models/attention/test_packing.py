"""Packing against what plain loops would pack, and against the padded rows it stands for."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import Tensor

from tests.support.drawn_models import draw_gpt
from wherefrom.models.attention import MIXERS, Packing
from wherefrom.models.gpt import GPT, GPTConfig

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


@pytest.mark.parametrize("mixer", PACKABLE)
def test_nothing_asks_the_device_for_a_number(mixer):
    """Tensors without numbers say so when they are asked for one."""
    with torch.device("meta"):
        model = GPT(replace(MODERN, attention=mixer))
        lengths, tokens = torch.tensor(LENGTHS), torch.zeros(len(LENGTHS), WIDTH, dtype=torch.long)
        found = model.features(tokens, packing=model.packing(lengths, WIDTH, CAPACITY))
        found.square().sum().backward()
    assert found.shape == (CAPACITY, MODERN.n_embd)
