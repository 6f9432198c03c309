import torch
from torch import nn
from torch.nn import functional as F

from .attention import CausalSelfAttention, SynthesizerAttention


class GPTConfig:
    embd_pdrop = resid_pdrop = attn_pdrop = 0.1
    synthesizer = False

    def __init__(self, vocab_size, block_size, **kwargs):
        self.vocab_size, self.block_size = vocab_size, block_size
        vars(self).update(kwargs)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.n_embd
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        kind = SynthesizerAttention if config.synthesizer else CausalSelfAttention
        self.attn = kind(config)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width),
            nn.Dropout(config.resid_pdrop),
        )  # fmt: skip

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.tok_emb = nn.Embedding(config.vocab_size, config.n_embd)
        self.pos_emb = nn.Parameter(torch.zeros(1, config.block_size, config.n_embd))
        self.drop = nn.Dropout(config.embd_pdrop)
        self.blocks = nn.Sequential(*(Block(config) for _ in range(config.n_layer)))
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.block_size = config.block_size
        self.apply(self._start)

    def _start(self, module):
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def get_block_size(self):
        return self.block_size

    def forward(self, idx, targets=None):
        x = self.drop(self.tok_emb(idx) + self.pos_emb[:, : idx.shape[1]])
        logits = self.head(self.ln_f(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
