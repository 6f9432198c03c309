"""The character GPT: minGPT's module tree, vanilla and modern as one config.

Shapes: B rows, T characters, C width, V vocabulary.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.config import check
from wherefrom.core.errors import nearest
from wherefrom.models.attention.cache import Cache
from wherefrom.models.attention.mixers import MIXERS
from wherefrom.models.gelu import GELU
from wherefrom.models.ngrams import NgramEmbedding


@dataclass(frozen=True)
class GPTConfig:
    """The defaults are the course's vanilla model: 3,323,392 parameters with 256 characters."""

    kind: ClassVar[str] = "gpt"
    vocab_size: int = 0  # 0: as many as the run's vocabulary has
    block_size: int = 128
    n_layer: int = 4
    n_head: int = 8
    n_embd: int = 256
    attention: str = "causal"
    norm: str = "layer"  # layer, rms
    activation: str = "gelu"  # gelu, relu2
    bias: bool = True
    embd_pdrop: float = 0.1
    resid_pdrop: float = 0.1
    attn_pdrop: float = 0.1
    ngrams: int = 0  # longest hashed n-gram added to the input; 0: none
    ngram_buckets: int = 4096
    init_std: float = 0.02
    zero_residual: bool = False  # blocks begin as the identity
    rope_base: float = 10000.0

    def __post_init__(self) -> None:
        mixers = f"a mixer; {nearest(self.attention, MIXERS)}"
        check(self.attention in MIXERS, "GPTConfig", "attention", self.attention, mixers)
        check(self.norm in ("layer", "rms"), "GPTConfig", "norm", self.norm, "layer or rms")
        acts = ("gelu", "relu2")
        check(self.activation in acts, "GPTConfig", "activation", self.activation, "gelu or relu2")
        for name in ("block_size", "n_layer", "n_head", "n_embd"):
            check(getattr(self, name) > 0, "GPTConfig", name, getattr(self, name), "above 0")
        fits = self.n_embd % self.n_head == 0
        check(fits, "GPTConfig", "n_embd", self.n_embd, f"a multiple of n_head={self.n_head}")
        even = self.attention != "rope" or self.n_embd // self.n_head % 2 == 0
        check(even, "GPTConfig", "n_embd", self.n_embd, "an even width for each head with rope")
        check(self.ngrams == 0 or self.ngrams > 1, "GPTConfig", "ngrams", self.ngrams, "0 or 2 up")
        for name in ("embd_pdrop", "resid_pdrop", "attn_pdrop"):
            value = getattr(self, name)
            check(0 <= value < 1, "GPTConfig", name, value, "a share from 0, below 1")


class SquaredReLU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x).square()


class Block(nn.Module):
    """Pre-norm: x + attention(norm(x)), then x + mlp(norm(x))."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        width, bias = config.n_embd, config.bias
        self.ln1, self.ln2 = _norm(config), _norm(config)
        self.attn = MIXERS[config.attention](config)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width, bias=bias),
            GELU() if config.activation == "gelu" else SquaredReLU(),
            nn.Linear(4 * width, width, bias=bias),
            nn.Dropout(config.resid_pdrop),
        )

    @property
    def out(self) -> nn.Linear:
        """The layer that writes the MLP's result into the residual stream."""
        layer = self.mlp[2]
        assert isinstance(layer, nn.Linear)
        return layer

    def forward(
        self, x: Tensor, positions: Tensor | None = None, cache: Cache | None = None, layer: int = 0
    ) -> Tensor:
        x = x + self.attn(self.ln1(x), positions, cache, layer)
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    """Characters to logits. `features` stops before the head, so that a loss can select first."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        check(config.vocab_size > 0, "GPTConfig", "vocab_size", config.vocab_size, "above 0")
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.n_embd)
        if not MIXERS[config.attention].positional:
            self.pos_emb = nn.Parameter(torch.zeros(1, config.block_size, config.n_embd))
        if config.ngrams:
            self.ngram_emb = NgramEmbedding(config.ngrams, config.ngram_buckets, config.n_embd)
        self.drop = nn.Dropout(config.embd_pdrop)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.n_layer)))
        self.ln_f = _norm(config)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self._initialise()

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, 0.0, self.config.init_std)
            if isinstance(module, nn.Linear) and module.bias is not None:
                nn.init.zeros_(module.bias)
        if self.config.ngrams:
            nn.init.zeros_(self.ngram_emb.table.weight)
        if self.config.zero_residual:
            for block in self.layers:
                nn.init.zeros_(block.attn.proj.weight)
                nn.init.zeros_(block.out.weight)

    @property
    def layers(self) -> list[Block]:
        return [block for block in self.blocks if isinstance(block, Block)]

    @property
    def max_input(self) -> int:
        """The longest input that every mixer takes."""
        return min(block.attn.max_input for block in self.layers)

    @property
    def cacheable(self) -> bool:
        return all(block.attn.cacheable for block in self.layers)

    def new_cache(self, rows: int, positions: int) -> Cache:
        config = self.config
        width = config.n_embd // config.n_head
        return Cache.empty(
            config.n_layer, rows, config.n_head, positions, width, self.head.weight.detach()
        )

    def features(self, tokens_BT: Tensor, cache: Cache | None = None) -> Tensor:
        """(B, T, C) before the head. With a cache, the tokens follow each row's own text."""
        positions = cache.write_tokens(tokens_BT) if cache is not None else None
        x = self.tok_emb(tokens_BT)
        if hasattr(self, "pos_emb"):
            length = tokens_BT.shape[1]
            x = x + (self.pos_emb[:, :length] if positions is None else self.pos_emb[0, positions])
        if self.config.ngrams:
            x = x + self._ngrams(tokens_BT, cache, positions)
        x = self.drop(x)
        for layer, block in enumerate(self.blocks):
            x = block(x, positions, cache, layer)
        return self.ln_f(x)

    def _ngrams(self, tokens: Tensor, cache: Cache | None, positions: Tensor | None) -> Tensor:
        if cache is None or positions is None:
            return self.ngram_emb(tokens)
        # The new characters with the few before them; in front of the text stands pad.
        back = self.config.ngrams - 1
        first = positions[:, :1] - back
        wanted = first + torch.arange(tokens.shape[1] + back, device=tokens.device)
        context = cache.tokens_RP.gather(1, wanted.clamp(min=0))
        return self.ngram_emb(torch.where(wanted < 0, 0, context))[:, back:]

    def forward(self, tokens_BT: Tensor, cache: Cache | None = None) -> Tensor:
        return self.head(self.features(tokens_BT, cache))


def _norm(config: GPTConfig) -> nn.Module:
    if config.norm == "rms":
        return nn.RMSNorm(config.n_embd)
    return nn.LayerNorm(config.n_embd)
