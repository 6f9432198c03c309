"""The ranks of one run: processes that run the same command, and the few things they exchange.

Every rank runs the whole program. Rank 0 has the user's folder and terminal; the others write into
scratch folders of their own. A step's gradients are summed once (`sum`); questions and texts are
divided, and every rank gets all answers (`exchange`). What a rank alone can know, a time or a
signal, is agreed on before anything depends on it (`first`, `gather`). What is not a tensor is
sent as JSON; nothing is unpickled. `meeting.py` brings the ranks together.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as distributed
from torch import Tensor

from wherefrom.core.errors import Dismissed, Unavailable, WherefromError
from wherefrom.core.identity import require_same
from wherefrom.core.inside import read_regular
from wherefrom.training.meeting import FAREWELL, Place, find_word, wait_for

_AGAIN = "what was trained is saved up to the last checkpoint, and the same command continues there"
_ranks: "Ranks | None" = None


def current_ranks() -> "Ranks | None":
    """The ranks that this process is one of; None if it works alone."""
    return _ranks


def agree(value: Any) -> Any:
    """What the first rank has of a value that each may have otherwise, such as a time."""
    return value if _ranks is None else _ranks.first(value)


class Ranks:
    """A group that has met. `rank` and `size` say which rank of how many this is."""

    def __init__(
        self,
        place: Place,
        store: Any,
        patience: float,
        gpu: bool,
        find_lost: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`find_lost` says how a rank was lost, if whoever started it knows."""
        self.rank, self.size = place.rank, place.size
        self.patience, self.store, self.find_lost = patience, store, find_lost
        self.device = torch.device("cuda", place.local_rank) if gpu else torch.device("cpu")
        if gpu:
            torch.cuda.set_device(self.device)
        with self._explaining():
            distributed.init_process_group(
                "cpu:gloo,cuda:nccl" if gpu else "gloo",
                store=distributed.PrefixStore("group", store),  # pyright: ignore
                rank=self.rank,
                world_size=self.size,
                timeout=timedelta(seconds=patience),
            )

    @contextmanager
    def taking_part(self) -> Iterator[None]:
        """While entered, these are the current ranks; at its end all wait for each other."""
        global _ranks
        before, _ranks = _ranks, self
        try:
            yield
            self.gather(None)
        finally:
            _ranks = before
            distributed.destroy_process_group()

    @property
    def rows(self) -> slice:
        """The rows of each step that are this rank's: every size-th."""
        return slice(self.rank, None, self.size)

    def sum(self, tensor: Tensor) -> None:
        """Add up the tensors of all ranks, in place; all have the same bits afterwards."""
        with self._explaining():
            distributed.all_reduce(tensor)

    def share(self, tensors: Sequence[Tensor]) -> None:
        """Copy the first rank's values into the tensors of all others."""
        with self._explaining(), torch.no_grad():
            for kind in dict.fromkeys(t.dtype for t in tensors):
                own = [t for t in tensors if t.dtype == kind]
                flat = torch.cat([t.detach().to(self.device).flatten() for t in own])
                distributed.broadcast(flat, 0)
                pieces = flat.split([t.numel() for t in own])
                for tensor, piece in zip(own, pieces, strict=True):
                    tensor.copy_(piece.view(tensor.shape))

    def share_file(self, path: Path) -> None:
        """Write the first rank's file in all others."""
        content = bytearray(read_regular(path) if self.rank == 0 else b"")
        content += bytes(self.first(len(content)) - len(content))
        if content:
            self.share([torch.frombuffer(content, dtype=torch.uint8)])
        if self.rank:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def gather(self, value: Any) -> list[Any]:
        """What every rank has, in their order: anything that JSON can hold."""
        data = torch.frombuffer(bytearray(json.dumps(value).encode()), dtype=torch.uint8)
        with self._explaining():
            lengths = torch.zeros(self.size, dtype=torch.long)
            lengths[self.rank] = len(data)
            distributed.all_reduce(lengths)
            padded = data.new_zeros(int(lengths.max()))
            padded[: len(data)] = data
            found = [torch.zeros_like(padded) for _ in range(self.size)]
            distributed.all_gather(found, padded)
        each = zip(found, lengths.tolist(), strict=True)
        return [json.loads(data[:length].numpy().tobytes()) for data, length in each]

    def first(self, value: Any) -> Any:
        """What the first rank has."""
        return self.gather(value if self.rank == 0 else None)[0]

    def compare(self, value: Any, holder: str, advice: str) -> None:
        """Raise Mismatch, in every rank, if one has another value than the first."""
        _require_same(self.gather(value), holder, advice)

    def exchange(self, work: Any, own: Any) -> list[Any]:
        """Every rank's part of some work, in their order; Mismatch if one was given other work."""
        digest = hashlib.sha256(repr(work).encode()).hexdigest()
        found = self.gather({"work": digest, "done": own})
        _require_same(
            [{"work": each["work"]} for each in found], "it", "give all processes the same files"
        )
        return [each["done"] for each in found]

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """One line instead of a library's report when another rank does not answer."""
        try:
            yield
        except RuntimeError as error:
            if self.rank:  # the first one says it
                raise Dismissed(Unavailable.exit_code) from error
            raise self._explain(error) from error

    def _explain(self, error: RuntimeError) -> WherefromError:
        with suppress(RuntimeError):  # the store may be gone too
            if (word := wait_for(self._find_reason, FAREWELL)) is not None:
                return word
        if "timed out" in str(error).lower():
            return Unavailable(
                f"processes: expected all {self.size} to answer within {self.patience:g} s, and "
                f"one did not; {_AGAIN} (--wait sets the seconds)"
            )
        return Unavailable(f"processes: one of the {self.size} is gone without a word; {_AGAIN}")

    def _find_reason(self) -> WherefromError | None:
        """Why another rank ended, if it said so or whoever started it knows."""
        lost = self.find_lost()
        word = find_word(self.store, self.size)
        return word or (Unavailable(f"{lost}; {_AGAIN}") if lost else None)


def _require_same(found: Sequence[Any], holder: str, advice: str) -> None:
    first, *others = found
    for rank, theirs in enumerate(others, start=1):
        require_same(f"process {rank}", theirs, first, holder=holder, advice=advice)
