"""The synthesizer against its formula, in loops."""

import math
from types import SimpleNamespace

import pytest
import torch

from wherefrom.models.attention.synthesizer import SynthesizerAttention

BLOCK, WIDTH, HEADS = 9, 12, 3


def build(**changed) -> SynthesizerAttention:
    sizes = {"n_embd": WIDTH, "n_head": HEADS, "block_size": BLOCK}
    torch.manual_seed(0)
    config = SimpleNamespace(**sizes | {"attn_pdrop": 0.1, "resid_pdrop": 0.1} | changed)
    return SynthesizerAttention(config).double().eval()


def test_it_begins_as_the_course_says():
    mixer = build(n_embd=256, n_head=8, block_size=128)
    assert mixer.w2.shape == (32, 127)
    assert mixer.w2.abs().max() <= 0.001
    assert mixer.w2.std().item() == pytest.approx(0.001 / math.sqrt(3), rel=0.05)
    assert mixer.b2.shape == (127,)
    assert not mixer.b2.any()
    assert mixer.max_input == 127


@pytest.mark.parametrize("length", [1, 4, BLOCK - 1])
@pytest.mark.parametrize("bias", [True, False])
def test_it_is_its_formula(length, bias):
    mixer = build(bias=bias)
    for parameter in mixer.parameters():
        torch.nn.init.normal_(parameter)
    x = torch.randn(2, length, WIDTH, dtype=torch.float64)
    w1, value, proj, d = mixer.w1, mixer.value, mixer.proj, WIDTH // HEADS

    def through(layer, vector):
        found = layer.weight.detach() @ vector
        return found + layer.bias.detach() if bias else found

    expected = torch.zeros_like(x)
    for row in range(2):
        hidden = [through(w1, x[row, t]).clamp(min=0) for t in range(length)]
        values = [through(value, x[row, t]) for t in range(length)]
        for t in range(length):
            mixed = torch.zeros(WIDTH, dtype=torch.float64)
            for head in range(HEADS):
                own = slice(head * d, head * d + d)
                scores = [
                    float(hidden[t][own] @ mixer.w2[:, s].detach() + mixer.b2[s].detach())
                    for s in range(t + 1)
                ]
                shares = [math.exp(score - max(scores)) for score in scores]
                for s in range(t + 1):
                    mixed[own] += shares[s] / sum(shares) * values[s][own]
            expected[row, t] = through(proj, mixed)
    with torch.no_grad():
        found = mixer(x)
    assert found.std() > 1
    torch.testing.assert_close(found, expected, atol=1e-8, rtol=0)
