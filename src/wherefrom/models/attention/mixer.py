"""What the attention mixers share: a mixer says what it projects and scores, and the rest follows.

Shapes: B rows, T characters, S characters looked at, N slots of a packing, H heads, D head width,
C = H x D.
"""

import math
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention

from wherefrom.models.affine import affine
from wherefrom.models.attention.kv_cache import Cache
from wherefrom.models.attention.packing import BLOCK, Packing
from wherefrom.models.block import Arrangement
from wherefrom.models.dropout import Dropout

_NARROWEST = 16  # numbers of a head that torch's block-wise attention takes
_OPTIONS: Any = {f"BLOCK_{side}": BLOCK for side in ("M", "N", "M1", "N1", "M2", "N2")}

QKV = tuple[Tensor, Tensor, Tensor]


class Mixer(nn.Module):
    """`weights` says where each position looks, `mix` averages the `values` there.

    `forward` is the fused shortcut of the three, tested equal. Built from anything with n_embd,
    n_head, block_size, attn_pdrop and resid_pdrop (and bias, default true).
    """

    cacheable: ClassVar[bool] = True  # can go on from a Cache: knows positions that it is told
    packable: ClassVar[bool] = True  # takes a Packing
    positional: ClassVar[bool] = False  # brings positions; else the model adds learned ones
    compares: ClassVar[bool] = True  # scores are products of queries and keys
    stackable: ClassVar[bool] = True  # has a form for several models at once (stacked.py)
    unread: ClassVar[int] = 0  # how much shorter than block_size the longest input is
    arrangement: ClassVar[type[Arrangement]] = Arrangement
    attn_drop: nn.Dropout
    resid_drop: nn.Dropout
    proj: nn.Linear
    mask: Tensor

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.n_head: int = config.n_head
        self.max_input: int = config.block_size - self.unread

    def _linear(self, config: Any) -> nn.Linear:
        return nn.Linear(config.n_embd, config.n_embd, bias=getattr(config, "bias", True))

    def _add_output(self, config: Any) -> None:
        """The children that every mixer ends with; print-outs show the order they are made in."""
        self.attn_drop = Dropout(config.attn_pdrop)
        self.resid_drop = Dropout(config.resid_pdrop)
        self.proj = self._linear(config)
        block = config.block_size
        self.register_buffer("mask", torch.ones(block, block).tril().view(1, 1, block, block))

    def _add_comparison(self, config: Any) -> None:
        """The children of a mixer that compares queries with keys."""
        self.key = self._linear(config)
        self.query = self._linear(config)
        self.value = self._linear(config)
        self._add_output(config)
        self.qk_norm: bool = getattr(config, "qk_norm", False)

    def project(self, x_BTC: Tensor, positions_BT: Tensor | None = None) -> QKV:
        """Queries, keys and values, each (B, H, T, D); keys that nobody needs have width 0."""
        raise NotImplementedError

    def score(self, q_BHTD: Tensor, k_BHSD: Tensor) -> Tensor:
        """How well each query and each key fit, (B, H, T, S)."""
        return q_BHTD @ k_BHSD.mT / math.sqrt(k_BHSD.shape[-1])

    def share(self, q_BHTD: Tensor, k_BHSD: Tensor, seen: Tensor | None = None) -> Tensor:
        """The weights (B, H, T, S): rows sum to one, over positions up to their own."""
        seen = self.see(q_BHTD.shape[2], k_BHSD.shape[2]) if seen is None else seen
        return self.score(q_BHTD, k_BHSD).masked_fill(~seen, -1e10).softmax(-1)

    def see(self, asking: int, asked: int) -> Tensor:
        """The top left corner of the causal triangle, whichever side is longer."""
        return self.mask[:, :, :asking, :asked] != 0

    def weights(self, x_BTC: Tensor, *others: Tensor) -> Tensor:
        """How much position t takes from position s: (B, H, T, S), rows sum to one."""
        return self.share(*self.project(x_BTC, *others)[:2])

    def values(self, x_BTC: Tensor) -> Tensor:
        """What each position gives to those that look at it: (B, H, T, D)."""
        return self.project(x_BTC)[2]

    def mix(self, weights_BHTS: Tensor, values_BHSD: Tensor) -> Tensor:
        """The weighted values, heads side by side, through the output projection."""
        return self.join((self.attn_drop(weights_BHTS) @ values_BHSD).transpose(1, 2))

    def forward(
        self,
        x: Tensor,
        positions_BT: Tensor | None = None,
        cache: Cache | None = None,
        layer: int = 0,
        packing: Packing | None = None,
    ) -> Tensor:
        """x is (B, T, C), or (N, C) with a packing."""
        if packing is not None:  # one row of slots to what works position by position
            q, k, v = self.project(x[None], packing.positions_N[None])
            return self.join(self._attend_packed(q, k, v, packing))
        q, k, v = self.project(x, positions_BT)
        seen = None
        if cache is not None:
            assert positions_BT is not None
            k, v = cache.write(layer, k, v, positions_BT)
            seen = torch.arange(v.shape[2], device=v.device) <= positions_BT[:, None, :, None]
        return self.join(self.attend(q, k, v, seen).transpose(1, 2))

    def attend(
        self, q_BHTD: Tensor, k_BHSD: Tensor, v_BHSD: Tensor, seen: Tensor | None = None
    ) -> Tensor:
        """Each position's weighted values, (B, H, T, D); without `seen`, of positions so far."""
        if not self.compares:
            return self.attn_drop(self.share(q_BHTD, k_BHSD, seen)) @ v_BHSD
        dropout = self.attn_drop.p if self.training else 0.0
        return F.scaled_dot_product_attention(
            q_BHTD, k_BHSD, v_BHSD, seen, dropout, is_causal=seen is None
        )

    def _attend_packed(
        self, q_1HND: Tensor, k_1HND: Tensor, v_1HND: Tensor, packing: Packing
    ) -> Any:
        """Each slot's weighted values, (N, H, D), of its own row.

        A compiled step on a GPU compares the slots as they stand; else rows get their padding.
        """
        dropping = self.training and self.attn_drop.p > 0
        wide = v_1HND.shape[-1] >= _NARROWEST
        if packing.blocks is not None and self.compares and wide and not dropping:
            q, k = q_1HND.to(v_1HND.dtype), k_1HND.to(v_1HND.dtype)
            blocks = packing.blocks
            mixed: Any = flex_attention(q, k, v_1HND, block_mask=blocks, kernel_options=_OPTIONS)
            return mixed[0].transpose(0, 1)
        parts = (part[0].transpose(0, 1) for part in (q_1HND, k_1HND, v_1HND))
        mixed_BHTD = self.attend(*(packing.spread(part).transpose(1, 2) for part in parts))
        return packing.pack(mixed_BHTD.transpose(1, 2))

    def join(self, mixed_HD: Tensor) -> Tensor:
        return self.resid_drop(self.proj(mixed_HD.flatten(-2)))


def project(x: Tensor, *layers: nn.Linear) -> Tensor:
    """x through all layers in one product, (B, T, layers x C)."""
    weight = torch.cat([layer.weight for layer in layers], -2)
    bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers], -1)
    return affine(x, weight, bias)
