"""The rows a model is reading: prompts come in, characters are added, rows are given up.

Rows in use are always the first ones of the store, so every forward pass is dense: a row that
leaves is overwritten by one from the end, in place.

Shapes: R rows, G prompts, N rows named by an index, T new characters, P positions, V vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.generation.language_model import (
    LanguageModel,
    Store,
    device_of,
    groups,
    pad,
    reading_budget,
)


@dataclass
class Transcript:
    """The store of a model that keeps nothing: it holds the text, to be read again each time."""

    tokens_RP: Tensor
    lengths_R: Tensor

    @classmethod
    def empty(cls, rows: int, positions: int, device: torch.device) -> "Transcript":
        integers = {"dtype": torch.long, "device": device}
        return cls(torch.zeros(rows, positions, **integers), torch.zeros(rows, **integers))

    def part(self, start: int, stop: int) -> "Transcript":
        return Transcript(self.tokens_RP[start:stop], self.lengths_R[start:stop])

    def write_tokens(self, tokens_RT: Tensor) -> None:
        new = torch.arange(tokens_RT.shape[1], device=tokens_RT.device)
        self.tokens_RP.scatter_(1, self.lengths_R[:, None] + new, tokens_RT)

    def grow(self, count_R: Tensor) -> None:
        self.lengths_R += count_R

    def move(self, source_N: Tensor, target_N: Tensor, first: int = 0) -> None:
        self.tokens_RP[target_N, first:] = self.tokens_RP[source_N, first:]
        self.lengths_R[target_N] = self.lengths_R[source_N]

    def resized(self, rows: int, positions: int) -> "Transcript":
        more_rows, more = rows - len(self.lengths_R), positions - self.tokens_RP.shape[1]
        tokens_RP = F.pad(self.tokens_RP, (0, more, 0, more_rows))
        return Transcript(tokens_RP, F.pad(self.lengths_R, (0, more_rows)))


class Memory:
    """One model's rows, through its cache if it has one."""

    def __init__(self, model: LanguageModel) -> None:
        self.model, self.device, self.rows = model, device_of(model), 0
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        assert self._store is not None, "reserve() comes first"
        return self._store

    def reserve(self, rows: int, positions: int) -> None:
        """Make room for this many rows and positions; rows grow by doubling."""
        if self._store is None:
            if self.model.cacheable:
                self._store = self.model.new_cache(rows, positions)
            else:
                self._store = Transcript.empty(rows, positions, self.device)
            return
        have_rows, have = self._store.tokens_RP.shape
        if rows > have_rows or positions > have:
            rows = have_rows if rows <= have_rows else max(rows, 2 * have_rows)
            self._store = self._store.resized(rows, max(positions, have))

    def advance(self, tokens: Sequence[int]) -> Tensor:
        """Every row reads one more character; (R, V) for the next."""
        tokens_R1 = torch.tensor(tokens, dtype=torch.long, device=self.device)[:, None]
        one_R = torch.ones_like(tokens_R1[:, 0])
        return self._read(self.store.part(0, self.rows), tokens_R1, one_R)

    def read(self, prompts: Sequence[tuple[int, ...]], copies: int) -> Tensor:
        """Prompts of ascending length become `copies` neighbouring rows each; (G * copies, V)."""
        first, count = self.rows, len(prompts)
        self.store.part(first, first + count).lengths_R.zero_()
        lengths, logits = [len(prompt) for prompt in prompts], list[Tensor]()
        for batch in groups(lengths, reading_budget(self.device)):
            part = self.store.part(first + batch.start, first + batch.stop)
            counts = torch.tensor(lengths[batch], device=self.device)
            logits.append(self._read(part, pad(prompts[batch], self.device), counts))
        self.rows += count * copies
        logits_GV = torch.cat(logits)
        if copies == 1:
            return logits_GV
        spread = torch.arange(count, device=self.device).repeat_interleave(copies)
        new = torch.arange(count * copies, device=self.device)
        self.store.move(first + spread, first + new)
        return logits_GV[spread]

    def arrange(self, sources: Sequence[int], first: int = 0) -> None:
        """Row i becomes what row sources[i] is now; rows past the last are given up.

        `first` says that up to that position both have the same text.
        """
        moves = [(source, row) for row, source in enumerate(sources) if source != row]
        if moves:
            source_N, target_N = torch.tensor(moves, device=self.device).T
            self.store.move(source_N, target_N, first)
        self.rows = len(sources)

    def _read(self, part: Store, tokens_RT: Tensor, count_R: Tensor) -> Tensor:
        """Logits after the last of each row's `count` new characters, (R, V)."""
        last_R = count_R - 1
        if isinstance(part, Transcript):
            part.write_tokens(tokens_RT)
            last_R = last_R + part.lengths_R
            logits_RTV = self.model(part.tokens_RP[:, : int(last_R.max()) + 1])
        else:
            logits_RTV = self.model(tokens_RT, part)
        part.grow(count_R)
        return logits_RTV[torch.arange(len(last_R), device=self.device), last_R]
