"""What every attention mixer promises: add one to MIXERS and it is tested here.

A mixer with an arrangement of its own is no block's `attn(x)`; it is tested as a model. All is in
double precision: what a kernel rounds is far below what a wrong formula changes.
"""

from functools import cache
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from tests.support.drawn_models import draw_gpt, draw_weights
from wherefrom.models.attention import MIXERS
from wherefrom.models.block import Arrangement
from wherefrom.models.gpt import GPT, GPTConfig

PLAIN = [name for name, mixer in MIXERS.items() if mixer.arrangement is Arrangement]
BLOCK, WIDTH, HEADS, VOCAB = 12, 16, 2, 20


def build_mixer(name: str, **changed) -> nn.Module:
    """From a bare config of a course's kind: only the five fields, nothing of ours."""
    sizes = {"n_embd": WIDTH, "n_head": HEADS, "block_size": BLOCK}
    config = SimpleNamespace(**sizes | {"attn_pdrop": 0.5, "resid_pdrop": 0.5} | changed)
    return draw_weights(MIXERS[name](config), 0.5).eval()


@cache
def build_model(mixer: str) -> GPT:
    config = GPTConfig(
        vocab_size=VOCAB, block_size=BLOCK, n_layer=3, n_head=HEADS, n_embd=WIDTH,
        attention=mixer, ngrams=3, ngram_buckets=64, bottleneck_dim=8, qk_norm=True,
    )  # fmt: skip
    return draw_gpt(config, 0.4).eval()


def random_input(seed: int = 2, length: int = BLOCK) -> Tensor:
    return torch.randn(3, length, WIDTH, generator=torch.Generator().manual_seed(seed)).double()


@pytest.mark.parametrize("name", PLAIN)
def test_the_shortcut_is_the_mix_of_the_weights(name):
    mixer = build_mixer(name)
    for length in (1, 5, mixer.max_input):
        x = random_input(length=length)
        with torch.no_grad():
            expected = mixer.mix(mixer.weights(x), mixer.values(x))
            found = mixer(x)
        assert found.shape == x.shape
        assert found.std() > 0.1
        torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("name", PLAIN)
def test_weights_are_shares_of_what_has_been_read(name):
    mixer = build_mixer(name)
    longest = mixer.max_input
    with torch.no_grad():
        weights = mixer.weights(random_input(length=longest))
    assert weights.shape == (3, HEADS, longest, longest)
    assert (weights >= 0).all()
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, HEADS, longest).double())
    above = torch.ones(longest, longest).triu(1).bool()
    assert (weights[..., above] == 0).all()
    assert (weights[..., ~above] > 0).all()


@pytest.mark.parametrize("name", PLAIN)
def test_dropout_works_in_training_alone(name):
    for dropped in ("attn_pdrop", "resid_pdrop"):
        mixer = build_mixer(name, **{"attn_pdrop": 0.0, "resid_pdrop": 0.0} | {dropped: 0.5})
        x = random_input(length=mixer.max_input)
        with torch.no_grad():
            still = mixer(x)
            assert torch.equal(still, mixer(x))
            mixer.train()
            torch.manual_seed(0)
            first, second = mixer(x), mixer(x)
            assert not torch.allclose(first, second, atol=1e-3)
            torch.manual_seed(0)
            assert torch.equal(first, mixer(x))
            assert torch.equal(still, mixer.eval()(x))


@pytest.mark.parametrize("name", MIXERS)
@given(
    text=st.lists(st.integers(0, VOCAB - 1), min_size=BLOCK, max_size=BLOCK),
    future=st.lists(st.integers(0, VOCAB - 1), min_size=BLOCK, max_size=BLOCK),
    data=st.data(),
)
@settings(max_examples=15, deadline=None)
def test_the_future_cannot_change_the_past(name, text, future, data):
    model = build_model(name)
    length = data.draw(st.integers(2, model.max_input))
    position = data.draw(st.integers(1, length - 1))
    first = torch.tensor([text[:length]])
    second = torch.tensor([text[:position] + future[position:length]])
    with torch.no_grad():
        here, there = model(first), model(second)
        alone = model(first[:, :position])
    torch.testing.assert_close(here[:, :position], there[:, :position], atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(here[:, :position], alone, atol=1e-6, rtol=1e-6)
