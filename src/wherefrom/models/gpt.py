"""The character GPT: minGPT's module tree, vanilla and modern as one config.

Shapes: B rows, T characters, N slots of a packing, C width, V vocabulary.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from wherefrom.core.bounds import (
    MOST_LAYERS,
    MOST_SYMBOLS,
    MOST_UNITS,
    check_choice,
    check_number,
    check_share,
    check_vocabulary,
    check_whole,
)
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.errors import nearest
from wherefrom.models.attention.kv_cache import Cache
from wherefrom.models.attention.mixer import Mixer
from wherefrom.models.attention.mixers import MIXERS
from wherefrom.models.attention.packing import Packing
from wherefrom.models.block import norm
from wherefrom.models.dropout import Dropout
from wherefrom.models.ngrams import NgramEmbedding

LONGEST_BLOCK = 2**17  # characters: one head's weights on them are 64 GB
LONGEST_NGRAM = 32


class GPTConfig(TaggedConfig, frozen=True, tag="gpt"):
    """The defaults are the course's vanilla model: 3,323,392 parameters with 256 characters."""

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
    qk_norm: bool = False  # queries and keys, where there are any, of one length
    bottleneck_dim: int = 32  # latents of a perceiver

    def __post_init__(self) -> None:
        mixers = f"a mixer; {nearest(self.attention, MIXERS)}"
        check(self.attention in MIXERS, "GPTConfig", "attention", self.attention, mixers)
        check_choice(self, "norm", ("layer", "rms"))
        check_choice(self, "activation", ("gelu", "relu2"))
        check_vocabulary(self)
        mixer = MIXERS[self.attention]
        square = "attention takes its square"
        check_whole(self, "block_size", 1 + mixer.unread, LONGEST_BLOCK, square)
        least = mixer.arrangement.least_layers
        check_whole(self, "n_layer", least, MOST_LAYERS, f"with {self.attention}")
        for name in ("n_head", "n_embd", "bottleneck_dim"):
            check_whole(self, name, 1, MOST_UNITS)
        fits = self.n_embd % self.n_head == 0
        check(fits, "GPTConfig", "n_embd", self.n_embd, f"a multiple of n_head={self.n_head}")
        even = self.attention != "rope" or self.n_embd // self.n_head % 2 == 0
        check(even, "GPTConfig", "n_embd", self.n_embd, "an even width for each head with rope")
        fits = self.ngrams == 0 or 2 <= self.ngrams <= LONGEST_NGRAM
        wanted = f"0, or a length from 2 to {LONGEST_NGRAM}"
        check(fits, "GPTConfig", "ngrams", self.ngrams, wanted)
        check_whole(self, "ngram_buckets", 1, MOST_SYMBOLS)
        check_number(self, "init_std", 0, 100)
        check_number(self, "rope_base", 1, 1e12, "positions of 1 are all turned alike")
        for name in ("embd_pdrop", "resid_pdrop", "attn_pdrop"):
            check_share(self, name)

    @property
    def least_weights(self) -> int:
        """No more weights than a model of this config has, whatever its attention."""
        tables = self.vocab_size + self.ngram_buckets * max(self.ngrams - 1, 0)
        return (8 * self.n_layer * self.n_embd + tables) * self.n_embd

    @property
    def least_activations(self) -> int:
        """No more numbers than training keeps for one character: a block keeps a dozen widths."""
        return 8 * self.n_layer * self.n_embd

    @property
    def max_input(self) -> int:
        """The longest input that the mixer takes."""
        return self.block_size - MIXERS[self.attention].unread


class GPT(nn.Module):
    """Characters to logits. `features` stops before the head, so that a loss can select first."""

    mixers: ClassVar[Mapping[str, type[Mixer]]] = MIXERS  # a subclass may bring its own
    blocks: Any

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        check(config.vocab_size > 0, "GPTConfig", "vocab_size", config.vocab_size, "above 0")
        self.config = config
        self.mixer = mixer = self.mixers[config.attention]
        self.cacheable, self.packable = mixer.cacheable, mixer.packable
        self.max_input: int = config.block_size - mixer.unread  # the longest
        self.tok_emb = nn.Embedding(config.vocab_size, config.n_embd)
        if not mixer.positional:
            self.pos_emb = nn.Parameter(torch.zeros(1, config.block_size, config.n_embd))
        if config.ngrams:
            self.ngram_emb = NgramEmbedding(config.ngrams, config.ngram_buckets, config.n_embd)
        self.drop = Dropout(config.embd_pdrop)
        for name, part in mixer.arrangement.build(config, mixer).items():
            self.add_module(name, part)
        self.ln_f = norm(config)
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
            for block in self.blocks:
                nn.init.zeros_(block.attn.proj.weight)
                nn.init.zeros_(block.mlp[2].weight)

    def packing(self, lengths_B: Tensor, width: int, capacity: int) -> Packing:
        """How rows of those lengths go through the model without their padding."""
        return Packing.of(lengths_B, width, capacity)

    def new_cache(self, rows: int, positions: int) -> Cache:
        config = self.config
        width = config.n_embd // config.n_head
        widths = (width if self.mixer.compares else 0, width)
        shape = config.n_layer, rows, config.n_head, positions
        return Cache.empty(shape, widths, self.head.weight.detach())

    def features(
        self, tokens_BT: Tensor, cache: Cache | None = None, packing: Packing | None = None
    ) -> Tensor:
        """(B, T, C) before the head. With a cache, the tokens follow each row's own text.

        With a packing, (N, C): only attention itself sees the rows and their padding.
        """
        assert cache is None or packing is None, "what is read with a cache is not packed"
        tokens, positions = tokens_BT, None
        if cache is not None:
            positions = cache.write_tokens(tokens_BT)
        if packing is not None:
            tokens, positions = packing.pack(tokens_BT), packing.positions_N
        x = self.tok_emb(tokens)
        if not self.mixer.positional:
            x = x + self._positions(x.shape, positions)
        if self.config.ngrams:
            x = x + self._ngrams(tokens_BT, cache, positions, packing)
        x = self.drop(x)
        x = self.mixer.arrangement.run(self, x, positions, cache, packing)
        return self.ln_f(x)

    def _positions(self, shape: torch.Size, positions: Tensor | None) -> Tensor:
        return self.pos_emb[:, : shape[1]] if positions is None else self.pos_emb[0, positions]

    def _ngrams(
        self,
        tokens: Tensor,
        cache: Cache | None,
        positions: Tensor | None,
        packing: Packing | None,
    ) -> Tensor:
        if cache is None or positions is None:
            return self.ngram_emb(tokens, packing)
        # The new characters with the few before them; in front of the text stands pad.
        back = self.config.ngrams - 1
        first = positions[:, :1] - back
        wanted = first + torch.arange(tokens.shape[1] + back, device=tokens.device)
        context = cache.tokens_RP.gather(1, wanted.clamp(min=0))
        return self.ngram_emb(torch.where(wanted < 0, 0, context))[:, back:]

    def forward(self, tokens_BT: Tensor, cache: Cache | None = None) -> Tensor:
        return self.head(self.features(tokens_BT, cache))
