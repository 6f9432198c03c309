"""The processes that work on one run: who they are, and the few things that pass between them.

The first process (rank 0) leads: it alone runs the command, writes files and prints. The others
follow: they wait for what it says (`hear`), and take part in sums and broadcasts. Messages are
JSON, weights and gradients are tensors; nothing is unpickled. `meeting.py` brings them together. A
process that trains alone loads nothing of this.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from wherefrom.core.errors import Dismissed, Unavailable, WherefromError
from wherefrom.training.meeting import Place, leave_word, read_word

if TYPE_CHECKING:
    from torch import Tensor

_POLL = 0.02  # seconds
_FAREWELL = 2.0  # seconds in which a process that goes may still say why
_BETWEEN = timedelta(days=30)  # followers wait so long for a word: the first may write for hours


class Processes:
    """A group that has met. `rank` and `size` say which process of how many this is."""

    def __init__(self, place: Place, store: Any, patience: float, gpu: bool) -> None:
        """All processes are here: `meet` has seen them."""
        import torch
        import torch.distributed as distributed

        self.rank, self.size = place.rank, place.size
        self.patience, self.store, self._distributed = patience, store, distributed
        self.device = torch.device("cuda", place.local_rank) if gpu else torch.device("cpu")
        if gpu:
            torch.cuda.set_device(self.device)
        self.in_step = True  # all are where the first one believes them to be
        # How a process was lost, if whoever started it knows.
        self.find_lost: Callable[[], str | None] = lambda: None
        with self._explaining():
            distributed.init_process_group(
                "cpu:gloo,cuda:nccl" if gpu else "gloo",
                store=torch.distributed.PrefixStore("group", store),  # pyright: ignore
                rank=self.rank,
                world_size=self.size,
                timeout=timedelta(seconds=patience),
            )
            self._words: Any = distributed.new_group(backend="gloo", timeout=_BETWEEN)

    @property
    def rows(self) -> slice:
        """The rows of each step that are this process's: every size-th."""
        return slice(self.rank, None, self.size)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What all do at once. Where it fails in one process, the others wait in vain inside."""
        self.in_step = False
        yield
        self.in_step = True

    # -- numbers --------------------------------------------------------------------

    def sum(self, tensor: "Tensor") -> None:
        """Add up the tensors of all processes, in place; all have the same bits afterwards."""
        with self._explaining():
            self._distributed.all_reduce(tensor)

    def share(self, tensors: Sequence["Tensor"]) -> None:
        """Copy the first process's values into the tensors of all others."""
        import torch

        with self._explaining(), torch.no_grad():
            for kind in dict.fromkeys(t.dtype for t in tensors):
                own = [t for t in tensors if t.dtype == kind]
                flat = torch.cat([t.detach().to(self.device).flatten() for t in own])
                self._distributed.broadcast(flat, 0)
                if self.rank:
                    pieces = flat.split([t.numel() for t in own])
                    for tensor, piece in zip(own, pieces, strict=True):
                        tensor.copy_(piece.view(tensor.shape))

    # -- words ----------------------------------------------------------------------

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something to all others, who `hear` it."""
        self._send(json.dumps(message).encode())

    def hear(self) -> dict[str, Any]:
        """Wait for the next thing that the first process says."""
        return json.loads(self._send(b""))

    def _send(self, data: bytes) -> bytes:
        import torch

        with self._explaining():
            length = torch.tensor([len(data)])
            self._distributed.broadcast(length, 0, group=self._words)
            content = torch.zeros(int(length), dtype=torch.uint8)
            if self.rank == 0:
                content.copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
            self._distributed.broadcast(content, 0, group=self._words)
        return content.numpy().tobytes()

    def gather(self, value: Any) -> list[Any]:
        """What every process has, in the order of their numbers."""
        import torch

        data = torch.frombuffer(bytearray(json.dumps(value).encode()), dtype=torch.uint8)
        return [json.loads(each.numpy().tobytes()) for each in self.gather_numbers(data)]

    def gather_numbers(self, own: "Tensor") -> list["Tensor"]:
        """Every process's row of numbers, whatever its length; on the CPU."""
        import torch

        with self._explaining():
            lengths = torch.zeros(self.size, dtype=torch.long)
            lengths[self.rank] = len(own)
            self._distributed.all_reduce(lengths, group=self._words)
            padded = own.new_zeros(int(lengths.max()))
            padded[: len(own)] = own
            found = [torch.zeros_like(padded) for _ in range(self.size)]
            self._distributed.all_gather(found, padded, group=self._words)
        return [each[:length] for each, length in zip(found, lengths.tolist(), strict=True)]

    # -- what goes wrong --------------------------------------------------------------

    def report(self, error: BaseException) -> None:
        """Leave word of why this process ends, for the first one to say."""
        leave_word(self.store, self.rank, error)

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """One line instead of a library's report when another process does not answer."""
        try:
            yield
        except RuntimeError as error:
            if self.rank:
                raise Dismissed(Unavailable.exit_code) from error
            raise self._explain(error) from error

    def _explain(self, error: RuntimeError) -> WherefromError:
        end = monotonic() + _FAREWELL
        while monotonic() < end:
            for rank in range(1, self.size):
                if (word := read_word(self.store, rank)) is not None:
                    return word
            if (lost := self.find_lost()) is not None:
                return Unavailable(f"{lost}; {_AGAIN}")
            sleep(_POLL)
        if "timed out" in str(error).lower():
            return Unavailable(
                f"processes: expected all {self.size} to answer within {self.patience:g} s, and "
                f"one did not; {_AGAIN} (--wait sets the seconds)"
            )
        return Unavailable(f"processes: one of the {self.size} is gone without a word; {_AGAIN}")

    def leave(self) -> None:
        self._distributed.destroy_process_group()


_AGAIN = "what was trained is saved up to the last checkpoint, and the same command continues there"
