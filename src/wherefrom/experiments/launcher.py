"""Running one piece of work on several ranks: those of torchrun, or `--processes` of this machine.

Every rank does the same work on a run folder. Rank 0 has the user's; each of the others has a copy
of it, in a scratch folder, which is thrown away in the end.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from wherefrom.core.artifact import LOCK
from wherefrom.core.environment import setting, silence
from wherefrom.core.errors import Dismissed, Unavailable, WherefromError
from wherefrom.core.inside import inside
from wherefrom.core.recipe import Experiment
from wherefrom.experiments.pool import Pool
from wherefrom.experiments.resources import count_ranks, introduce, share_threads, usual_threads
from wherefrom.runs.layout import EVIDENCE, INDEX
from wherefrom.training.rank_group import (
    PATIENCE,
    Place,
    Ranks,
    find_place,
    leave_word,
    meet,
    open_file,
    open_store,
)

_LOOPBACK = {"linux": "lo", "darwin": "lo0"}  # by platform
_LEFT_OUT = (INDEX, EVIDENCE, "retrained")  # folders of a run that no rank needs a copy of
T = TypeVar("T")


def run_on_ranks(
    work: Callable[[Path], T],
    path: Path,
    asked: Experiment,
    processes: int | None = None,
    wait: float = PATIENCE,
    *,
    alike: Mapping[str, Any] | None = None,
    trains: bool = True,
) -> T:
    """Do the work of a recipe on a run folder, on as many ranks as there are.

    `processes` are started here unless torchrun has started them; of torchrun's, only the first
    returns. `alike` is what all must have been asked for besides the recipe. If nothing is trained,
    any recipe is allowed.
    """
    place = find_place()
    size, here = count_ranks(asked, place, processes, wait, trains)
    if place is None and size == 1:
        return work(path)
    take_part = partial(_take_part, work, introduce(asked, alike or {}), wait)
    with setting("OMP_NUM_THREADS", str(share_threads(usual_threads(), here))):
        if place is None:
            return _start(take_part, path, size)
        return _join(take_part, path, place, wait)


def _take_part(
    work: Callable[[Path], T],
    hello: Mapping[str, Any],
    wait: float,
    place: Place,
    store: Any,
    path: Path,
    find_lost: Callable[[], str | None] = lambda: None,
) -> T:
    """What every rank does: meet the others, and work on the folder, or on a copy of it."""
    meet(place, store, hello, wait, find_lost)
    try:
        ranks = Ranks(place, store, wait, hello["device"] == "cuda", find_lost)
        with ranks.taking_part():
            _copy_folder(ranks, path)
            return work(path)
    except Exception as error:
        with suppress(RuntimeError):  # the store may be gone
            leave_word(store, place.rank, error)
        raise


def _start(take_part: Callable[..., T], path: Path, size: int) -> T:
    """Be rank 0, with the others as tasks of a pool.

    They meet in a folder of their own, and speak on the machine's own interface: nobody outside
    this machine can reach them, whatever name it has in a network.
    """
    with (
        tempfile.TemporaryDirectory(prefix="wherefrom-") as folder,
        setting("GLOO_SOCKET_IFNAME", _LOOPBACK.get(sys.platform)),
        Pool(size - 1, usual_threads(), saves=False) as pool,
    ):
        for rank in range(1, size):
            pool.give(rank, _follow, take_part, Place(rank, size, rank, size), Path(folder))

        def find_lost() -> str | None:
            """How a rank ended; not one that ended because another one did."""
            ended = pool.wait(0).items()
            lost = [f"process {n} {end}" for n, end in ended if end.code != Unavailable.exit_code]
            return lost[0] if lost else None

        store = open_file(Path(folder) / "meeting", size)
        return take_part(Place(0, size, 0, size), store, path, find_lost)


def _follow(take_part: Callable[..., Any], place: Place, folder: Path) -> None:
    """What a process does that was started here."""
    store = open_file(folder / "meeting", place.size)
    take_part(place, store, folder / f"rank-{place.rank}")


def _join(take_part: Callable[..., T], path: Path, place: Place, wait: float) -> T:
    """Take part as torchrun says; only the first rank speaks, and returns."""
    if place.local_rank:
        silence()
    store = open_store(place, wait)  # the first of each machine says if it cannot be reached
    if place.rank == 0:
        return take_part(place, store, path)
    silence()
    with tempfile.TemporaryDirectory(prefix="wherefrom-") as folder:
        try:
            take_part(place, store, Path(folder) / "run")
        except WherefromError as error:
            raise Dismissed(error.exit_code) from error
    raise Dismissed(0)


def _copy_folder(ranks: Ranks, path: Path) -> None:
    """Give every other rank the files of the first one's run folder, if there is one.

    So all know what is trained already, and go on from the same checkpoint.
    """
    found: list[str] = []
    for folder, folders, files in os.walk(path) if ranks.rank == 0 else ():
        folders[:] = [name for name in folders if name not in _LEFT_OUT]
        here = (Path(folder) / name for name in files if name != LOCK)
        found += [file.relative_to(path).as_posix() for file in here if not file.is_symlink()]
    for name in ranks.first(sorted(found)):
        ranks.share_file(inside(path, name))
