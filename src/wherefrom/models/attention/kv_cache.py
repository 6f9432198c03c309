"""What a decoder keeps of the characters it has already read.

Shapes: R rows, N rows named by an index, H heads, P positions held, D head width, L layers.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Cache:
    """Keys and values of every layer, and the characters themselves, row by row.

    Keys have width 0 where a mixer has none.
    Rows have lengths of their own. What lies past a row's length is rubbish: it is masked when
    read and overwritten when the row grows.
    """

    keys_LRHPD: Tensor
    values_LRHPD: Tensor
    tokens_RP: Tensor
    lengths_R: Tensor
    reach: int = 0  # positions that the latest writing went up to

    @classmethod
    def empty(
        cls, shape: tuple[int, int, int, int], widths: tuple[int, int], like: Tensor
    ) -> "Cache":
        """Room for text, on the device of `like`: layers, rows, heads and positions.

        `widths` are those of a head's keys and of its values.
        """
        keys, values = (like.new_zeros(*shape, width) for width in widths)
        tokens = torch.zeros(shape[1], shape[3], dtype=torch.long, device=like.device)
        return cls(keys, values, tokens, tokens.new_zeros(shape[1]))

    def write_tokens(self, tokens_RT: Tensor) -> Tensor:
        """Put new characters after each row's own; their positions, (R, T).

        Lengths do not change: the caller knows how many of the T are real and calls `grow`.
        """
        new = torch.arange(tokens_RT.shape[1], device=tokens_RT.device)
        positions_RT = self.lengths_R[:, None] + new
        self.tokens_RP.scatter_(1, positions_RT, tokens_RT)
        self.reach = int(positions_RT.max()) + 1  # here, so that a GPU is asked once a step
        return positions_RT

    def grow(self, count_R: Tensor) -> None:
        self.lengths_R += count_R

    def write(
        self, layer: int, keys_RHTD: Tensor, values_RHTD: Tensor, positions_RT: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Keep the new keys and values; those of all positions up to the furthest one."""
        index = positions_RT[:, None, :, None]
        self.keys_LRHPD[layer].scatter_(2, index.expand_as(keys_RHTD), keys_RHTD)
        self.values_LRHPD[layer].scatter_(2, index.expand_as(values_RHTD), values_RHTD)
        held = slice(self.reach)
        return self.keys_LRHPD[layer, :, :, held], self.values_LRHPD[layer, :, :, held]

    def part(self, start: int, stop: int) -> "Cache":
        """Those rows, in the same memory: what is written there is written here."""
        rows = slice(start, stop)
        kept = self.keys_LRHPD[:, rows], self.values_LRHPD[:, rows]
        return Cache(*kept, self.tokens_RP[rows], self.lengths_R[rows])

    def move(self, source_N: Tensor, target_N: Tensor, first: int = 0) -> None:
        """Copy rows over others in place, from position `first` on; up to there they are equal."""
        held = slice(first, int(self.lengths_R[source_N].max()))
        for kept_LRHPD in (self.keys_LRHPD, self.values_LRHPD):
            kept_LRHPD[:, target_N, :, held] = kept_LRHPD[:, source_N, :, held]
        self.tokens_RP[target_N, held] = self.tokens_RP[source_N, held]
        self.lengths_R[target_N] = self.lengths_R[source_N]
