"""The GPT of the assignment: the library's, under the course's names and habits."""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from msgspec.structs import replace
from torch import Tensor, nn

from wherefrom.models import block, gpt
from wherefrom.models.attention import perceiver
from wherefrom.models.attention.mixer import Mixer

from . import attention


class GPTConfig:
    """Anything may be set on it; the flags say which variant is meant."""

    embd_pdrop = 0.1
    resid_pdrop = 0.1
    attn_pdrop = 0.1
    n_layer = 4
    n_head = 8
    n_embd = 256
    additive = False
    synthesizer = False
    perceiver = False
    bottleneck_dim: int | None = None
    rope = False

    def __init__(self, vocab_size: int, block_size: int, **kwargs: Any) -> None:
        self.vocab_size = vocab_size
        self.block_size = block_size
        for name, value in kwargs.items():
            setattr(self, name, value)


def library_config(config: Any) -> gpt.GPTConfig:
    """The library's config of the same model; a duck-typed one may leave out what is usual."""
    flags = ("perceiver", "rope", "synthesizer")
    asked = next((flag for flag in flags if getattr(config, flag, False)), "causal")
    names = ("vocab_size", "block_size", "n_layer", "n_head", "n_embd", "bottleneck_dim",
             "embd_pdrop", "resid_pdrop", "attn_pdrop")  # fmt: skip
    given = {name: getattr(config, name, None) for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    return gpt.GPTConfig(attention=asked, **given)


def feed_forward(config: Any) -> nn.Sequential:
    """What follows attention in every block."""
    width = config.n_embd
    inner, outer = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
    return nn.Sequential(inner, nn.GELU(), outer, nn.Dropout(config.resid_pdrop))


class DownProjectBlock(nn.Module):
    """The text (B, T, C) into latents (B, bottleneck_dim, C).

    [part g: perceiver]. Children: ln1, ln2, attn (a CausalCrossAttention), mlp
    (feed_forward) and the parameter C, (1, bottleneck_dim, n_embd), Xavier uniform. The rows of C,
    after ln1, ask the text: attn(x_kv, x_q). Nothing is added to what attn gives; the mlp, with
    ln2 before it, has its usual residual.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        ### [part g: perceiver]
        ### START_CODE_HERE ###
        self.ln1, self.ln2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn = attention.CausalCrossAttention(config)
        self.mlp = feed_forward(config)
        self.C = nn.Parameter(torch.empty(1, config.bottleneck_dim, config.n_embd))
        nn.init.xavier_uniform_(self.C)
        ### END_CODE_HERE ###

    def forward(self, x_input: Tensor) -> Tensor:
        ### [part g: perceiver]
        ### START_CODE_HERE ###
        latents = self.attn(x_kv=x_input, x_q=self.ln1(self.C))
        return latents + self.mlp(self.ln2(latents))
        ### END_CODE_HERE ###


class UpProjectBlock(nn.Module):
    """Latents back to the text's length (B, T, C): each position of y asks the latents.

    [part g: perceiver]. Children: ln1, ln2, attn, mlp, as above. The raw y asks
    the latents x after ln1; the residuals are as above.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        ### [part g: perceiver]
        ### START_CODE_HERE ###
        self.ln1, self.ln2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn = attention.CausalCrossAttention(config)
        self.mlp = feed_forward(config)
        ### END_CODE_HERE ###

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        ### [part g: perceiver]
        ### START_CODE_HERE ###
        mixed = self.attn(x_kv=self.ln1(x), x_q=y)
        return mixed + self.mlp(self.ln2(mixed))
        ### END_CODE_HERE ###


class Latents(perceiver.Perceiver):
    """A perceiver of the blocks above: what a student wrote there is what the model uses."""

    @staticmethod
    def build(config: Any, mixer: Any) -> dict[str, nn.Module]:
        sizes = {"block_size": config.bottleneck_dim, "n_layer": config.n_layer - 2}
        inner = replace(config, attention="causal", **sizes)
        return {
            "down_block": DownProjectBlock(config),
            **block.Arrangement.build(inner, mixer.inner),
            "up_block": UpProjectBlock(config),
        }


attention.CausalCrossAttention.arrangement = Latents


class GPT(gpt.GPT):
    """Characters to (logits, loss); pads, number 0, are never to be predicted."""

    # What a student wrote there is what the model uses.
    mixers: ClassVar[Mapping[str, type[Mixer]]] = {
        "causal": attention.CausalSelfAttention,
        "rope": attention.RotarySelfAttention,
        "synthesizer": attention.SynthesizerAttention,
        "perceiver": attention.CausalCrossAttention,
    }

    def __init__(self, config: Any) -> None:
        super().__init__(library_config(config))
        self.block_size: int = config.block_size
        print(f"number of parameters: {sum(p.numel() for p in self.parameters())}")

    def get_block_size(self) -> int:
        return self.block_size

    def forward(  # pyright: ignore
        self, idx: Tensor, targets: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """idx, and targets if there are any, are (B, T)."""
        length = idx.shape[1]
        assert length <= self.max_input, f"the model reads {self.max_input} at most, not {length}"
        logits = self.head(self.features(idx))
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
        return logits, loss
