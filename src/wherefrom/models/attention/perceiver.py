"""A GPT whose middle layers work on a few latents instead of on all characters.

Jaegle et al., "Perceiver: General Perception with Iterative Attention", made causal as the
course does it: latent i stands for the text up to character i, so only as many characters as
there are latents ever reach them.

Shapes: B rows, T positions that ask, S positions asked, M latents, H heads, D head width,
C = H x D.
"""

from typing import Any, ClassVar

import torch
from msgspec.structs import replace
from torch import Tensor, nn

from wherefrom.models.attention.causal import CausalSelfAttention, normalise
from wherefrom.models.attention.mixer import QKV, Mixer, project
from wherefrom.models.block import Arrangement, Block


class DownProjectBlock(Block):
    """The text into latents: learned rows C ask it. There is nothing yet to add the answer to."""

    def __init__(self, config: Any, mixer: type[nn.Module]) -> None:
        super().__init__(config, mixer)
        self.C = nn.Parameter(torch.empty(1, config.bottleneck_dim, config.n_embd))
        nn.init.xavier_uniform_(self.C)

    def forward(self, x_BTC: Tensor) -> Tensor:  # pyright: ignore
        """(B, M, C); of a text shorter than M, only the latents that its positions see."""
        rows, length = x_BTC.shape[:2]
        asking_BMC = self.ln1(self.C[:, :length]).expand(rows, -1, -1)
        latents_BMC = self.attn(x_q=asking_BMC, x_kv=x_BTC)
        return latents_BMC + self.mlp(self.ln2(latents_BMC))


class UpProjectBlock(Block):
    """Back to the text's length: each character asks the latents up to its own position."""

    def forward(self, latents_BMC: Tensor, x_BTC: Tensor) -> Tensor:  # pyright: ignore
        mixed_BTC = self.attn(x_q=x_BTC, x_kv=self.ln1(latents_BMC))
        return mixed_BTC + self.mlp(self.ln2(mixed_BTC))


class Perceiver(Arrangement):
    """Down, plain causal blocks over the latents, and up."""

    least_layers = 3

    @staticmethod
    def build(config: Any, mixer: Any) -> dict[str, nn.Module]:
        sizes = {"block_size": config.bottleneck_dim, "n_layer": config.n_layer - 2}
        inner = replace(config, attention="causal", **sizes)
        return {
            "down_block": DownProjectBlock(config, mixer),
            **Arrangement.build(inner, mixer.inner),
            "up_block": UpProjectBlock(config, mixer),
        }

    @staticmethod
    def run(parts: Any, x: Tensor, *_: Any) -> Tensor:  # pyright: ignore
        """Latents are neither cached nor packed, as the mixer says."""
        latents = parts.down_block(x)
        for block in parts.blocks:
            latents = block(latents)
        return parts.up_block(latents, x)


class CausalCrossAttention(Mixer):
    """Position t of one sequence looks at positions up to t of another, or at all of a shorter one.

    This is what sets a perceiver apart, so the mixers' table has it as 'perceiver'.
    """

    cacheable: ClassVar[bool] = False
    packable: ClassVar[bool] = False
    stackable: ClassVar[bool] = False
    arrangement: ClassVar[type[Arrangement]] = Perceiver
    inner: ClassVar[type[Mixer]] = CausalSelfAttention  # of the latents among themselves

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._add_comparison(config)

    def project(self, x_BTC: Tensor, other_BSC: Tensor) -> QKV:  # pyright: ignore
        """Queries (B, H, T, D) of the one, keys and values (B, H, S, D) of the other."""
        q = self.query(x_BTC).unflatten(-1, (self.n_head, -1)).transpose(1, 2)
        parts = project(other_BSC, self.key, self.value).unflatten(-1, (2, self.n_head, -1))
        k, v = parts.permute(2, 0, 3, 1, 4)
        return (normalise(q), normalise(k), v) if self.qk_norm else (q, k, v)

    def values(self, x_BTC: Tensor) -> Tensor:
        return self.project(x_BTC, x_BTC)[2]

    def forward(self, x_q: Tensor, x_kv: Tensor) -> Tensor:  # pyright: ignore
        """x_q is (B, T, C), x_kv (B, S, C): the names that the course's code has for them."""
        q, k, v = self.project(x_q, x_kv)
        mixed_BHTD = self.attend(q, k, v, self.see(q.shape[2], k.shape[2]))
        return self.join(mixed_BHTD.transpose(1, 2))
