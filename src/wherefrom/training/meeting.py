"""How the ranks of one run find each other, and see that they belong together.

torchrun says in the environment which rank a process is; `--processes` starts the ranks of one
machine (experiments/launcher.py). They meet at a store, a small table that all can read and write:
torchrun's own, the first rank's, or a file. There each says what it was asked to do with which
versions, and all compare.
"""

import json
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import torch.distributed as distributed

from wherefrom.core.errors import Unavailable, WherefromError, error_of
from wherefrom.core.identity import require_same

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

    Every rank raises the same error: Unavailable names those who never came, Mismatch the first
    rank that differs, and the field.
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
    first, *others = ({k: v for k, v in each.items() if k != "host"} for each in said)
    for rank, theirs in enumerate(others, start=1):
        require_same(
            f"process {rank} on {said[rank]['host']}",
            theirs,
            first,
            holder="it",
            advice="start all processes with the same versions, settings and files",
        )


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
