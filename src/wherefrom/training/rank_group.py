"""The ranks of one run: processes that run the same command, how they meet, what they exchange.

Every rank runs the whole program. Rank 0 has the user's folder and terminal; the others write into
scratch folders of their own. torchrun says in the environment which rank a process is;
`--processes` starts the ranks of one machine (experiments/launcher.py). They meet at a store, a
small table that all can read and write: torchrun's own, the first rank's, or a file. There each
says what it was asked to do with which versions, and all compare.

A step's gradients are summed once (`sum`); questions and texts are divided, and every rank gets all
answers (`exchange`). What a rank alone can know, a time or a signal, is agreed on before anything
depends on it (`first`, `gather`). What is not a tensor is sent as JSON; nothing is unpickled.
"""

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import torch
import torch.distributed as distributed
from torch import Tensor

from wherefrom.core.errors import Dismissed, Unavailable, WherefromError, error_of
from wherefrom.core.identity import require_same
from wherefrom.core.inside import read_regular

PATIENCE = 300.0  # seconds
LONGEST_PATIENCE = 86_400.0
_POLL = 0.02  # seconds
FAREWELL = 2.0  # seconds in which ranks may still read, or say, why they end
T = TypeVar("T")
_BUG = 70


@dataclass(frozen=True)
class Place:
    """Which rank this is: its number among all, and among those of its machine."""

    rank: int
    size: int
    local_rank: int
    local_size: int
    address: str = "127.0.0.1"
    port: int = 0


def find_place(environment: Mapping[str, str] | None = None) -> Place | None:
    """What torchrun says about this process; None if it has not started it.

    A scheduler may set RANK and the like for every command of a job, so they say nothing alone.
    """
    given = os.environ if environment is None else environment
    if "TORCHELASTIC_RUN_ID" not in given:
        return None
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
    rank, size, local_rank, local_size = (int(given[name]) for name in names)
    address, port = given["MASTER_ADDR"], int(given["MASTER_PORT"])
    return Place(rank, size, local_rank, local_size, address, port)


def open_store(place: Place, patience: float, environment: Mapping[str, str] | None = None) -> Any:
    """Where ranks meet: torchrun keeps it, or else the first rank."""
    given = os.environ if environment is None else environment
    keeps = place.rank == 0 and given.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
    try:
        store = distributed.TCPStore(  # pyright: ignore
            place.address,
            place.port,
            is_master=keeps,
            timeout=timedelta(seconds=patience),
            wait_for_workers=False,
        )
    except (RuntimeError, ValueError) as error:
        wanted = "a free port for the processes to meet at" if keeps else "the first process"
        raise Unavailable(
            f"{place.address}:{place.port}: expected {wanted} within {patience:g} s, found none; "
            "see that all machines name the same address and can reach it (--wait sets the seconds)"
        ) from error
    attempt = given.get("TORCHELASTIC_RESTART_COUNT", "0")
    return distributed.PrefixStore(f"wherefrom/{attempt}", store)  # pyright: ignore


def open_file(path: Path, size: int) -> Any:
    """The same for ranks of one machine: a file, in a folder that only its owner can read."""
    return distributed.FileStore(str(path), size)  # pyright: ignore


def meet(
    place: Place,
    store: Any,
    hello: Mapping[str, Any],
    patience: float,
    find_lost: Callable[[], str | None] = lambda: None,
) -> None:
    """Wait until all ranks are here, and compare what each says of itself.

    Every rank raises the same error: Unavailable names the ranks that never came, Mismatch the
    first rank that differs, and the field.
    """
    try:
        store.set(f"hello/{place.rank}", json.dumps({"host": socket.gethostname(), **hello}))
        _wait_for_all(place, store, patience, find_lost)
        said = [json.loads(store.get(f"hello/{rank}")) for rank in range(place.size)]
        store.set(f"read/{place.rank}", "1")
        if place.rank == 0:  # who keeps the store must not go before the others have read it
            wait_for(lambda: not _find_missing(store, "read", place.size) or None, FAREWELL)
    except RuntimeError as error:
        raise Unavailable("processes: the first is gone; run the same command again") from error
    places = [f"process {rank} on {each.pop('host')}" for rank, each in enumerate(said)]
    advice = "start all processes with the same versions, settings and files"
    _require_same(said, "it", advice, places)


def _wait_for_all(
    place: Place, store: Any, patience: float, find_lost: Callable[[], str | None]
) -> None:
    def look() -> str | None:
        """Who was lost, or "" if all are here."""
        return find_lost() or (None if _find_missing(store, "hello", place.size) else "")

    lost = wait_for(look, patience)
    if lost:
        raise Unavailable(f"{lost}; run the same command again")
    if lost is None:
        missing = _find_missing(store, "hello", place.size)
        names = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise Unavailable(
            f"processes: expected {place.size} within {patience:g} s, found "
            f"{place.size - len(missing)}; number {names} never came: see that its machine was "
            f"started and reaches {place.address}:{place.port} (--wait sets the seconds)"
        )


def _find_missing(store: Any, word: str, size: int) -> list[int]:
    return [rank for rank in range(size) if not store.check([f"{word}/{rank}"])]


def wait_for(look: Callable[[], T | None], seconds: float) -> T | None:
    """What `look` finds within the seconds; None if it finds nothing."""
    end = monotonic() + seconds
    while (found := look()) is None and monotonic() < end:
        sleep(_POLL)
    return found


def leave_word(store: Any, rank: int, error: BaseException) -> None:
    """Leave word of why this rank ends, for the first one to say."""
    code = error.exit_code if isinstance(error, WherefromError) else _BUG
    text = str(error) if isinstance(error, WherefromError) else f"bug: {error!r}"
    store.set(f"word/{rank}", json.dumps({"code": code, "text": " ".join(text.split())}))


def find_word(store: Any, size: int) -> WherefromError | None:
    """Why another rank ended, if it said so."""
    spoken = set(range(size)) - set(_find_missing(store, "word", size))
    if not spoken:
        return None
    word = json.loads(store.get(f"word/{min(spoken)}"))
    return error_of(word["code"], f"process {min(spoken)}: {word['text']}")


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


def _require_same(
    found: Sequence[Any], holder: str, advice: str, places: Sequence[str] | None = None
) -> None:
    for rank, theirs in enumerate(found):
        place = places[rank] if places else f"process {rank}"
        require_same(place, theirs, found[0], holder=holder, advice=advice)
