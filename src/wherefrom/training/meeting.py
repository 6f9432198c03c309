"""How processes that work on one run find each other, and see that they belong together.

torchrun, or a scheduler, says in the environment which process this is (`find_place`). They meet at
a store, a small table that all can read and write: torchrun's own, the first process's, or a file
on one machine. There each says what it was asked to do with what versions, and the first compares.
"""

import json
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from wherefrom.core.errors import Dismissed, Unavailable, UsageError, WherefromError, error_of
from wherefrom.core.identity import require_same

PATIENCE = 300.0  # seconds
LONGEST_PATIENCE = 86_400.0
VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
LOCAL_VARIABLES = ("LOCAL_RANK", "LOCAL_WORLD_SIZE")
_POLL = 0.02  # seconds
_FAREWELL = 2.0  # seconds in which those who are sent away may read why


@dataclass(frozen=True)
class Place:
    """Which process this is: its number among all, and among those of its machine."""

    rank: int
    size: int
    address: str
    port: int
    local_rank: int
    local_size: int

    @property
    def leads(self) -> bool:
        return self.rank == 0


def find_place(environment: Mapping[str, str] | None = None) -> Place | None:
    """What torchrun or a scheduler says about this process; None: it works alone."""
    given = os.environ if environment is None else environment
    if not all(given.get(name) for name in VARIABLES):
        return None
    if given["WORLD_SIZE"] == "1" and "TORCHELASTIC_RUN_ID" not in given:
        return None  # some systems say so of every process
    numbers = _read_numbers(given)
    rank, size = numbers["RANK"], numbers["WORLD_SIZE"]
    if not rank < size:
        raise UsageError(f"RANK: expected a number below WORLD_SIZE={size}, found {rank}")
    local = (numbers[name] for name in LOCAL_VARIABLES)
    return Place(rank, size, given["MASTER_ADDR"], numbers["MASTER_PORT"], *local)


def _read_numbers(given: Mapping[str, str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    usual = {"LOCAL_RANK": given["RANK"], "LOCAL_WORLD_SIZE": given["WORLD_SIZE"]}
    for name in ("RANK", "WORLD_SIZE", "MASTER_PORT", *LOCAL_VARIABLES):
        text = given.get(name) or usual[name]
        if not text.isdecimal():
            raise UsageError(f"{name}: expected a whole number, found '{text}'; use torchrun")
        numbers[name] = int(text)
    return numbers


def open_store(place: Place, patience: float, environment: Mapping[str, str] | None = None) -> Any:
    """Where processes meet: torchrun keeps it, or else the first process."""
    import torch.distributed as distributed

    given = os.environ if environment is None else environment
    kept = given.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    keeps = place.leads and not kept
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
    """The same for processes of one machine: a file, in a folder that only its owner can read."""
    import torch.distributed as distributed

    return distributed.FileStore(str(path), size)  # pyright: ignore


def meet(
    place: Place,
    store: Any,
    hello: Mapping[str, Any],
    patience: float,
    find_lost: Callable[[], str | None] = lambda: None,
) -> None:
    """Wait until all processes are here, and compare what each says of itself.

    The first process raises if one never comes, or differs: Mismatch names the first field. The
    others are Dismissed then. A hello is a table of what must agree; `None` agrees with anything.
    """
    if not place.leads:
        _follow(place, store, hello, patience)
        return
    try:
        _welcome(place, store, hello, patience, find_lost)
    except WherefromError as error:
        store.set("welcome", str(error.exit_code))
        _wait_for_readers(store, range(1, place.size))
        raise
    store.set("welcome", "0")


def _follow(place: Place, store: Any, hello: Mapping[str, Any], patience: float) -> None:
    """Say hello to the first process, and wait for its welcome."""
    try:
        store.set(_hello(place.rank), json.dumps({"host": socket.gethostname(), **hello}))
        store.wait(["welcome"], timedelta(seconds=2 * patience + _FAREWELL))
        code = int(store.get("welcome"))
        store.set(_read(place.rank), "1")
    except RuntimeError as error:  # the first process, or its machine, is gone
        raise Dismissed(Unavailable.exit_code) from error
    if code:
        raise Dismissed(code)


def _wait_for_readers(store: Any, ranks: Iterable[int]) -> None:
    """The first process keeps the store: it must not go before the others know why."""
    here, end = [rank for rank in ranks if store.check([_hello(rank)])], monotonic() + _FAREWELL
    while monotonic() < end and not all(store.check([_read(rank)]) for rank in here):
        sleep(_POLL)


def _welcome(
    place: Place,
    store: Any,
    hello: Mapping[str, Any],
    patience: float,
    find_lost: Callable[[], str | None],
) -> None:
    others, end = range(1, place.size), monotonic() + patience
    while missing := [rank for rank in others if not _has_come(store, rank)]:
        if lost := find_lost():
            raise Unavailable(f"{lost}; run the same command again")
        if monotonic() > end:
            names = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
            raise Unavailable(
                f"processes: expected {place.size} within {patience:g} s, found "
                f"{place.size - len(missing)}; number {names} never came: see that its machine was "
                f"started and reaches {place.address}:{place.port} (--wait sets the seconds)"
            )
        sleep(_POLL)
    for rank in others:
        _compare(rank, json.loads(store.get(_hello(rank))), hello)


def _has_come(store: Any, rank: int) -> bool:
    if (word := read_word(store, rank)) is not None:
        raise word
    return store.check([_hello(rank)])


def _compare(rank: int, theirs: dict[str, Any], hello: Mapping[str, Any]) -> None:
    host = theirs.pop("host")
    shared = {name: value for name, value in theirs.items() if value is not None}
    require_same(
        f"process {rank} on {host}",
        shared,
        {name: value for name, value in hello.items() if name in shared},
        holder="it",
        advice="start all processes with the same versions, settings and files",
    )


def leave_word(store: Any, rank: int, error: BaseException) -> None:
    code = error.exit_code if isinstance(error, WherefromError) else 70
    text = str(error) if isinstance(error, WherefromError) else f"bug: {error!r}"
    store.set(_word(rank), json.dumps({"code": code, "text": " ".join(text.split())}))


def read_word(store: Any, rank: int) -> WherefromError | None:
    """Why a process ended, if it said so."""
    try:
        if not store.check([_word(rank)]):
            return None
        word = json.loads(store.get(_word(rank)))
    except RuntimeError:  # the store is gone too
        return None
    return error_of(word["code"], f"process {rank}: {word['text']}")


def _hello(rank: int) -> str:
    return f"hello/{rank}"


def _read(rank: int) -> str:
    return f"read/{rank}"


def _word(rank: int) -> str:
    return f"word/{rank}"
