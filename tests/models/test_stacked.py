"""Models of one shape as one: each one's logits are its own, packed and padded."""

import pytest
import torch
from msgspec.structs import replace

from tests.support.drawn_models import draw_gpt
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.gru import GRU, GRUConfig
from wherefrom.models.stacked import stack_models, why_not_stackable

CONFIG = GPTConfig(
    vocab_size=30, block_size=24, n_layer=2, n_head=2, n_embd=16, norm="rms", bias=False,
    embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0, ngrams=3, ngram_buckets=64,
)  # fmt: skip
VANILLA = {"norm": "layer", "bias": True, "ngrams": 0, "activation": "relu2"}
K, B, T = 3, 4, 12


@pytest.mark.parametrize("changed", [{}, VANILLA], ids=["modern", "vanilla"])
@pytest.mark.parametrize("attention", ["causal", "rope", "synthesizer"])
def test_each_model_gives_its_own_logits(attention, changed):
    models = [draw_gpt(replace(CONFIG, attention=attention, **changed), seed=k) for k in range(K)]
    stacked = stack_models(models)
    assert [n for n, _ in stacked.named_parameters()] == [
        n for n, _ in models[0].named_parameters()
    ]
    tokens = torch.randint(0, 30, (K, B, T))
    found = stacked(tokens.flatten(0, 1)).view(K, B, T, -1)
    lengths = torch.tensor([[3, 0, 12, 5], [1, 2, 3, 4], [12, 12, 1, 0]])
    packing = stacked.packing(lengths.flatten(), T, 32)
    packed = stacked.features(tokens.flatten(0, 1), packing=packing).view(K, 32, -1)
    for k, model in enumerate(models):
        torch.testing.assert_close(found[k], model(tokens[k]))
        count = int(lengths[k].sum())
        alone = model.features(tokens[k], packing=model.packing(lengths[k], T, count))
        torch.testing.assert_close(packed[k, :count], alone)


def test_what_cannot_be_stacked_says_why():
    model = GPT(CONFIG)
    assert why_not_stackable([model, GPT(CONFIG)]) is None
    for changed in ({"n_layer": 1}, {"vocab_size": 9}):
        other = GPT(replace(CONFIG, **changed))
        assert why_not_stackable([model, other]) == "their shapes differ"
    perceiver = GPT(replace(CONFIG, attention="perceiver", n_layer=3))
    assert why_not_stackable([perceiver]) == "attention 'perceiver' has no stacked form"
    assert why_not_stackable([GRU(GRUConfig(vocab_size=9))]) == "a GRU has no stacked form"
    dropping = GPT(replace(CONFIG, attn_pdrop=0.1))
    assert "dropout inside attention" in str(why_not_stackable([dropping]))
