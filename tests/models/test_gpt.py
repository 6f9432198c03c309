"""The GPT against Transformers' GPT-2, against a forward pass in numpy, and against the course.

gpt2_logits.json holds what Transformers' GPT-2 computes from the same weights and texts; it names
the versions that made it. `wherefrom export --check` compares with the one that is installed.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch import nn

from wherefrom.core.errors import UsageError
from wherefrom.models.gpt import GPT, GPTConfig

COURSE = GPTConfig(vocab_size=256)
SMALL = GPTConfig(vocab_size=12, block_size=10, n_layer=2, n_head=2, n_embd=16)
MODERN = replace(
    SMALL, n_layer=1, attention="rope", norm="rms", activation="relu2", bias=False, ngrams=0
)


def build(config: GPTConfig, seed: int = 0) -> GPT:
    torch.manual_seed(seed)
    return GPT(config).eval()


def randomise(model: nn.Module, spread: float, seed: int = 1) -> None:
    """Every parameter away from where it starts: positions, biases and norms too."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator) * spread)


def tokens(config: GPTConfig, rows: int = 3, seed: int = 2) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(config.vocab_size, (rows, config.block_size), generator=generator)


def set_by_formula(model: nn.Module, spread: float) -> None:
    """Parameter k gets spread x sin(k + i²) at its place i; norms get 1 more.

    No generator is needed, so every version of torch has these weights. Squares, since a matrix of
    sines of evenly spaced numbers would have rank 2.
    """
    with torch.no_grad():
        for k, (name, parameter) in enumerate(sorted(model.named_parameters())):
            place = np.arange(parameter.numel(), dtype=np.float64)
            values = spread * np.sin(k + place**2) + bool(re.search(r"ln\w*\.weight", name))
            parameter.copy_(torch.from_numpy(values).view_as(parameter))


# Sizes, spread, length of the texts, and every how manieth position and character is kept.
GPT2_CASES = {
    "course": (COURSE, 0.1, 128, 25),
    "small": (SMALL, 0.3, 10, 1),
    "short": (SMALL, 0.3, 7, 1),
}
GPT2_FILE = Path(__file__).with_name("gpt2_logits.json")


def gpt2_case(name: str) -> tuple[GPT, torch.Tensor, int]:
    config, spread, length, kept = GPT2_CASES[name]
    model = GPT(config).eval()
    set_by_formula(model, spread)
    return model, (torch.arange(2 * length) ** 2 % 101 % config.vocab_size).view(2, length), kept


def test_parameter_counts_are_the_courses():
    def count(**changed) -> int:
        with torch.device("meta"):  # only shapes are of interest
            return sum(p.numel() for p in GPT(replace(COURSE, **changed)).parameters())

    assert count() == count(qk_norm=True) == 3_323_392
    assert count(attention="rope") == count(attention="rope", qk_norm=True) == 3_290_624
    assert count(attention="synthesizer") == 3_076_988
    assert count(attention="perceiver") == 3_331_584
    assert count(attention="perceiver", bottleneck_dim=64) == 3_339_776


@pytest.mark.parametrize("name", GPT2_CASES)
def test_logits_are_those_of_gpt2_with_the_same_weights(name):
    model, text, kept = gpt2_case(name)
    with torch.no_grad():
        found = model(text)[:, ::kept, ::kept]
    expected = torch.tensor(json.loads(GPT2_FILE.read_text())[name])
    assert expected.std() > 0.5
    torch.testing.assert_close(found, expected, atol=3e-5, rtol=0)


def names_of_block(block: str, linears: str = "key query value proj", attn: str = "") -> set[str]:
    children = ["ln1", "ln2", "mlp.0", "mlp.2", *(f"attn.{name}" for name in linears.split())]
    found = {f"{block}.{child}.{p}" for child in children for p in ("weight", "bias")}
    return found | {f"{block}.attn.{name}" for name in ("mask", *attn.split())}


def test_state_names_are_mingpts_masks_included():
    def names(config: GPTConfig) -> set[str]:
        return set(GPT(config).state_dict())

    ends = {"tok_emb.weight", "ln_f.weight", "ln_f.bias", "head.weight"}
    blocks = names_of_block("blocks.0") | names_of_block("blocks.1")
    assert names(SMALL) == ends | blocks | {"pos_emb"}
    assert names(replace(SMALL, attention="rope")) == ends | blocks
    synthesized = [names_of_block(f"blocks.{i}", "w1 value proj", "w2 b2") for i in range(2)]
    assert names(replace(SMALL, attention="synthesizer")) == ends.union({"pos_emb"}, *synthesized)
    perceiver = replace(SMALL, attention="perceiver", n_layer=4, bottleneck_dim=6)
    crossing = names_of_block("down_block") | names_of_block("up_block") | {"down_block.C"}
    assert names(perceiver) == ends | blocks | crossing | {"pos_emb"}


def test_weights_begin_as_the_course_says():
    model = build(COURSE)
    state = model.state_dict()
    assert not state["pos_emb"].any()
    for name, value in state.items():
        if name.endswith("bias"):
            assert not value.any(), name
        elif re.search(r"ln[12_]", name):
            assert bool((value == 1).all()), name
        elif name.endswith("weight"):
            assert abs(value.mean()) < 1e-3, name
            assert value.std().item() == pytest.approx(0.02, rel=0.03), name
    assert model.head.weight is not model.tok_emb.weight


def test_blocks_that_begin_at_zero_pass_their_input_on():
    model = build(replace(SMALL, zero_residual=True))
    text = tokens(SMALL)
    expected = model.ln_f(model.tok_emb(text))
    torch.testing.assert_close(model.features(text), expected, atol=1e-6, rtol=0)


def test_ngrams_change_nothing_until_they_have_learnt():
    plain, with_ngrams = build(SMALL), build(replace(SMALL, ngrams=3, ngram_buckets=32))
    assert not with_ngrams.ngram_emb.table.weight.any()
    own = with_ngrams.state_dict()
    plain.load_state_dict({name: own[name] for name in plain.state_dict()})
    text = tokens(SMALL)
    assert torch.equal(plain(text), with_ngrams(text))
    nn.init.normal_(with_ngrams.ngram_emb.table.weight)
    assert not torch.allclose(plain(text), with_ngrams(text), atol=1e-2)


def test_the_modern_form_is_its_formulas():
    """RMSNorm, rotated queries and keys, squared ReLU, no bias: one layer in numpy."""
    model = build(MODERN)
    randomise(model, 0.4)
    assert not any("bias" in name for name, _ in model.named_parameters())
    w = {name: value.double().numpy() for name, value in model.state_dict().items()}
    text = tokens(MODERN, rows=1)
    length, heads, width = 10, 2, 8

    def norm(x, name):
        scale = np.sqrt((x**2).mean(-1, keepdims=True) + np.finfo(np.float32).eps)
        return x / scale * w[f"{name}.weight"]

    def rotated(x):  # T, H, D: the pair (i, i + D/2) as a complex number
        turns = 10000.0 ** (-np.arange(width // 2) * 2 / width)
        angles = np.arange(length)[:, None, None] * turns
        pairs = (x[..., : width // 2] + 1j * x[..., width // 2 :]) * np.exp(1j * angles)
        return np.concatenate((pairs.real, pairs.imag), -1)

    x = w["tok_emb.weight"][text[0].numpy()]
    inner = norm(x, "blocks.0.ln1")
    q, k, v = (
        (inner @ w[f"blocks.0.attn.{name}.weight"].T).reshape(length, heads, width)
        for name in ("query", "key", "value")
    )
    q, k = rotated(q), rotated(k)
    mixed = np.zeros((length, heads, width))
    for t in range(length):
        for h in range(heads):
            scores = np.exp([q[t, h] @ k[s, h] / np.sqrt(width) for s in range(t + 1)])
            mixed[t, h] = scores @ v[: t + 1, h] / scores.sum()
    x = x + mixed.reshape(length, -1) @ w["blocks.0.attn.proj.weight"].T
    hidden = norm(x, "blocks.0.ln2") @ w["blocks.0.mlp.0.weight"].T
    x = x + np.maximum(hidden, 0) ** 2 @ w["blocks.0.mlp.2.weight"].T
    expected = norm(x, "ln_f") @ w["head.weight"].T

    with torch.no_grad():
        found = model(text)[0].double().numpy()
    assert np.abs(expected).max() > 1
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("attention", ["causal", "rope"])
def test_normalised_queries_and_keys_have_one_length_and_turn_as_before(attention):
    """Only their direction counts: scaling a head's query and key weights changes nothing."""
    config = replace(SMALL, attention=attention, qk_norm=True, bias=False)
    model, plain = build(config), build(replace(config, qk_norm=False))
    randomise(model, 0.3)
    plain.load_state_dict(model.state_dict())
    mixer = model.blocks[0].attn
    x = torch.randn(2, 10, 16, generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        q, k, v = mixer.project(x, None)
        for found, own in zip((q, k), plain.blocks[0].attn.project(x, None)[:2], strict=True):
            length = own.square().mean(-1, keepdim=True).sqrt()  # turning keeps it
            torch.testing.assert_close(found, own / length, atol=1e-4, rtol=1e-4)
        assert torch.equal(v, plain.blocks[0].attn.project(x, None)[2])
        before = mixer(x)
        mixer.query.weight *= 3
        mixer.key.weight *= 0.5
        torch.testing.assert_close(mixer(x), before, atol=1e-4, rtol=1e-4)
        mixer.value.weight *= 2
        assert not torch.allclose(mixer(x), before, atol=1e-2)


def test_a_model_needs_a_vocabulary():
    with pytest.raises(UsageError, match=r"GPTConfig.vocab_size: expected above 0, found 0"):
        GPT(GPTConfig())
