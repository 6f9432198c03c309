"""What a transformer is stacked from: a mixer and an MLP, each behind a norm.

Mixers import this file to say how they are stacked, so nothing of theirs is imported here.

Shapes: B rows, T characters, C width.
"""

from typing import TYPE_CHECKING, Any

import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.dropout import Dropout

if TYPE_CHECKING:
    from wherefrom.models.attention.kv_cache import Cache
    from wherefrom.models.attention.packing import Packing


class SquaredReLU(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x).square()


def norm(config: Any) -> nn.Module:
    return nn.RMSNorm(config.n_embd) if config.norm == "rms" else nn.LayerNorm(config.n_embd)


def mlp(config: Any) -> nn.Sequential:
    width, bias = config.n_embd, config.bias
    return nn.Sequential(
        nn.Linear(width, 4 * width, bias=bias),
        nn.GELU() if config.activation == "gelu" else SquaredReLU(),
        nn.Linear(4 * width, width, bias=bias),
        Dropout(config.resid_pdrop),
    )


class Block(nn.Module):
    """Pre-norm: x + attention(norm(x)), then x + mlp(norm(x)).

    x is (B, T, C), or (N, C) with a packing.
    """

    def __init__(self, config: Any, mixer: type[nn.Module]) -> None:
        super().__init__()
        self.ln1, self.ln2 = norm(config), norm(config)
        self.attn: Any = mixer(config)
        self.mlp = mlp(config)

    def forward(
        self,
        x: Tensor,
        positions: Tensor | None = None,
        cache: "Cache | None" = None,
        layer: int = 0,
        packing: "Packing | None" = None,
    ) -> Tensor:
        x = x + self.attn(self.ln1(x), positions, cache, layer, packing)
        return x + self.mlp(self.ln2(x))


class Arrangement:
    """What stands between a GPT's embeddings and its last norm: blocks, one after the other.

    A mixer that wants anything else brings an arrangement of its own.
    """

    least_layers = 1

    @staticmethod
    def build(config: Any, mixer: type[nn.Module]) -> dict[str, nn.Module]:
        """The GPT's children of these names, in order; `blocks` is among them."""
        return {"blocks": nn.Sequential(*(Block(config, mixer) for _ in range(config.n_layer)))}

    @staticmethod
    def run(
        parts: Any,
        x: Tensor,
        positions: Tensor | None,
        cache: "Cache | None",
        packing: "Packing | None",
    ) -> Tensor:
        """x through the children, which are attributes of `parts`."""
        for layer, block in enumerate(parts.blocks):
            x = block(x, positions, cache, layer, packing)
        return x
