"""The perceiver against its description, in loops over positions and heads."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tests.support.drawn_models import draw_gpt
from wherefrom.models.attention.perceiver import CausalCrossAttention
from wherefrom.models.gpt import GPT, GPTConfig

BLOCK, LATENTS, WIDTH, HEADS = 11, 5, 12, 3
erf = np.vectorize(math.erf)
CONFIG = GPTConfig(
    vocab_size=20, block_size=BLOCK, n_layer=4, n_head=HEADS, n_embd=WIDTH,
    attention="perceiver", bottleneck_dim=LATENTS,
)  # fmt: skip


class Reference:
    """A course perceiver in numpy, one position and one head at a time."""

    def __init__(self, model: GPT) -> None:
        self.w = {name: value.numpy() for name, value in model.state_dict().items()}

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def mlp(self, name: str, x: np.ndarray) -> np.ndarray:
        hidden = self.linear(f"{name}.0", x)
        return self.linear(f"{name}.2", hidden * (1 + erf(hidden / math.sqrt(2))) / 2)

    def attend(self, name: str, asking: np.ndarray, asked: np.ndarray) -> np.ndarray:
        q = self.linear(f"{name}.query", asking)
        k, v = (self.linear(f"{name}.{part}", asked) for part in ("key", "value"))
        mixed, d = np.zeros_like(q), WIDTH // HEADS
        for t in range(len(asking)):
            seen = min(t + 1, len(asked))
            for own in (slice(h * d, h * d + d) for h in range(HEADS)):
                shares = np.exp([q[t, own] @ k[s, own] / math.sqrt(d) for s in range(seen)])
                mixed[t, own] = shares @ v[:seen, own] / shares.sum()
        return self.linear(f"{name}.proj", mixed)

    def logits(self, tokens: list[int]) -> np.ndarray:
        x = self.w["tok_emb.weight"][tokens] + self.w["pos_emb"][0, : len(tokens)]
        z = self.attend(
            "down_block.attn", self.norm("down_block.ln1", self.w["down_block.C"][0]), x
        )
        z = z + self.mlp("down_block.mlp", self.norm("down_block.ln2", z))
        for block in ("blocks.0", "blocks.1"):
            inner = self.norm(f"{block}.ln1", z)
            z = z + self.attend(f"{block}.attn", inner, inner)
            z = z + self.mlp(f"{block}.mlp", self.norm(f"{block}.ln2", z))
        y = self.attend("up_block.attn", x, self.norm("up_block.ln1", z))
        y = y + self.mlp("up_block.mlp", self.norm("up_block.ln2", y))
        return self.norm("ln_f", y) @ self.w["head.weight"].T


def test_it_is_its_description():
    model = draw_gpt(CONFIG, 0.4).eval()
    for length in (1, LATENTS - 1, LATENTS, LATENTS + 1, BLOCK):
        tokens = torch.randint(20, (2, length), generator=torch.Generator().manual_seed(1))
        with torch.no_grad():
            found = model(tokens)
        expected = torch.tensor(np.stack([Reference(model).logits(row) for row in tokens.tolist()]))
        assert found.std() > 0.3
        torch.testing.assert_close(found, expected, atol=1e-8, rtol=0)


@pytest.mark.parametrize("qk_norm", [False, True])
def test_the_cross_shortcut_is_the_mix_of_the_weights(qk_norm):
    sizes = {"n_embd": WIDTH, "n_head": HEADS, "block_size": 8}
    torch.manual_seed(0)
    mixer = CausalCrossAttention(
        SimpleNamespace(**sizes, attn_pdrop=0.1, resid_pdrop=0.1, qk_norm=qk_norm)
    ).eval()
    for asking, asked in ((5, 5), (3, 8), (8, 3), (1, 8), (8, 1)):
        x, other = torch.randn(2, asking, WIDTH), torch.randn(2, asked, WIDTH)
        with torch.no_grad():
            weights = mixer.weights(x, other)
            expected = mixer.mix(weights, mixer.values(other))
            found = mixer(x, other)
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        seen = [[s <= t for s in range(asked)] for t in range(asking)]
        assert (weights > 0)[0, 0].tolist() == seen


def test_latents_begin_in_glorots_range():
    """Xavier's bound for a (1, M, C) tensor: sqrt(6 / (M C + C))."""
    torch.manual_seed(0)
    latents = GPT(GPTConfig(vocab_size=20, attention="perceiver")).down_block.C
    bound = math.sqrt(6 / (32 * 256 + 256))
    assert latents.shape == (1, 32, 256)
    assert latents.abs().max() <= bound
    assert latents.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
