"""Several processes that work on one run: starting the others, or joining those of torchrun.

`company` is the only way in. In the first process it yields the crew that it leads; in the others
it does not return: they follow until they are dismissed.
"""

import hashlib
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from wherefrom.core.environment import setting
from wherefrom.core.errors import Dismissed, UsageError, WherefromError
from wherefrom.core.recipe import Demonstrations, Experiment
from wherefrom.experiments.many_runs.pool import Pool
from wherefrom.experiments.processes.follower import Follower
from wherefrom.runs.crew import Crew
from wherefrom.runs.families import FAMILIES
from wherefrom.runs.folder import versions
from wherefrom.runs.kinds import recipe_identity
from wherefrom.runs.threads import count_cores, share_threads, usual_threads
from wherefrom.runs.workshop import choose_device, count_gpus
from wherefrom.training.meeting import (
    LONGEST_PATIENCE,
    PATIENCE,
    Place,
    find_place,
    leave_word,
    meet,
    open_file,
    open_store,
)
from wherefrom.training.processes import Processes

_DELIVERY = 5.0  # seconds in which a process that fails before the meeting may still say why
_BUG, _INTERRUPTED = 70, 130
_HERE = "127.0.0.1"
_LOOPBACK = {"linux": "lo", "darwin": "lo0"}  # by platform


@contextmanager
def company(
    asked: Experiment,
    processes: int | None = None,
    wait: float = PATIENCE,
    *,
    alike: Mapping[str, Any] | None = None,
    trains: bool = True,
) -> Generator[Crew | None, None, None]:
    """The processes that work on a recipe together; None if this one is alone.

    `processes` are started here unless torchrun has started them. `alike` is what all must have
    been asked for besides the recipe. If nothing is trained, any recipe will do.
    """
    place = find_place()
    _check_numbers(place, processes, wait)
    size = place.size if place else processes or 1
    if place is None and size == 1:
        yield None
        return
    if trains and size > 1:
        _require_shareable(asked, size)
    here = place.local_size if place else size
    _require_room(asked, here)
    hello = _introduce(asked, alike or {})
    with setting("OMP_NUM_THREADS", str(share_threads(usual_threads(), here))):
        if place is None:
            with _start_companions(size, wait, hello) as crew, _led(crew):
                yield crew
        else:
            with _led(_join(place, wait, asked, hello)) as crew:
                yield crew


def count_apart(processes: int | None, wait: float = PATIENCE) -> int:
    """How many models are trained at once, each by a process that the first one starts (`Workers`).

    Under torchrun these are as many as it has started, which have nothing else to do.
    """
    place = find_place()
    _check_numbers(place, processes, wait)
    if place is None:
        _require_at_most("core", count_cores(), processes or 1)
        return processes or 1
    if place.local_size < place.size:
        raise UsageError(
            "torchrun: expected one machine, since every model is trained by a process of its "
            f"own, found {place.local_size} of {place.size} processes on this one; start the "
            "command on every machine without torchrun, each with models of its own"
        )
    if not place.leads:
        raise Dismissed(0)
    return place.size


@contextmanager
def _led(crew: Crew) -> Generator[Crew, None, None]:
    """Lead the crew, and dismiss it with the exit code that this process will have."""
    code = _BUG
    try:
        with crew.leading():
            yield crew
        code = 0
    except WherefromError as error:
        code = error.exit_code
        raise
    except KeyboardInterrupt:
        code = _INTERRUPTED
        raise
    finally:
        crew.dismiss(code)


def _check_numbers(place: Place | None, processes: int | None, wait: float) -> None:
    if processes is not None and processes < 1:
        raise UsageError(f"--processes: expected at least 1, found {processes}")
    if not 0 < wait <= LONGEST_PATIENCE:
        raise UsageError(
            f"--wait: expected seconds above 0, at most {LONGEST_PATIENCE:g}, found {wait:g}"
        )
    if place is not None and processes not in (None, 1, place.size):
        raise UsageError(
            f"--processes: expected none, since torchrun has started {place.size}, found "
            f"{processes}; leave it out"
        )


def _require_shareable(asked: Experiment, size: int) -> None:
    """Refuse a recipe whose steps cannot be divided among `size` processes."""
    advice = "leave --processes out, or train several seeds at once (--seeds)"
    if isinstance(asked, Demonstrations):
        raise UsageError(
            f"--processes: expected a recipe that trains a model, found '{asked.name}', whose "
            "demonstrations one process computes; leave --processes out"
        )
    if not FAMILIES[asked.model.kind].shareable:
        raise UsageError(
            f"--processes: expected a model that torch trains, found '{asked.model.kind}', which "
            f"one process trains in numpy; {advice}"
        )
    for stage in asked.stages:
        if stage.batch < size:
            raise UsageError(
                f"--processes: expected at most {stage.batch}, one for each row of a step of stage "
                f"'{stage.name}', found {size}; raise stages.{stage.name}.batch or take fewer"
            )


def _require_room(asked: Experiment, here: int) -> None:
    """Refuse more processes on this machine than it has cores, or GPUs."""
    device = choose_device(asked.device).type
    if device == "mps" and here > 1:
        raise UsageError(f"--processes: expected 1 on device 'mps', found {here}")
    if device == "cuda":
        _require_at_most("GPU", count_gpus(), here)
    else:
        _require_at_most("core", count_cores(), here)


def _require_at_most(what: str, most: int, here: int) -> None:
    if here > most:
        raise UsageError(
            f"--processes: expected at most {most}, one for each {what} of this machine, found "
            f"{here}; more would only wait for each other"
        )


def _introduce(asked: Experiment, alike: Mapping[str, Any]) -> dict[str, Any]:
    """What all processes must have in common, but for the data, which are compared when read."""
    return {
        "versions": versions() | {"source": _hash_source()},
        "recipe": recipe_identity(asked),
        "options": dict(alike),
        "device": choose_device(asked.device).type,
    }


def _hash_source() -> str:
    """Source trees of one version may differ."""
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _start_companions(
    size: int, wait: float, hello: Mapping[str, Any]
) -> Generator[Crew, None, None]:
    """Processes of one machine meet in a folder of their own, and speak on its own interface:
    nobody outside this machine can reach them, whatever name it has in a network."""
    gpu, place = hello["device"] == "cuda", Place(0, size, _HERE, 0, 0, size)
    lost: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="wherefrom-") as folder,
        setting("GLOO_SOCKET_IFNAME", _LOOPBACK.get(sys.platform)),
        Pool(size - 1, usual_threads(), saves=False) as pool,
    ):
        meeting = Path(folder) / "meeting"
        store = open_file(meeting, size)
        for rank in range(1, size):
            theirs = replace(place, rank=rank, local_rank=rank)
            pool.give(rank, _follow, theirs, meeting, wait, gpu)

        def find_lost() -> str | None:
            lost.extend(f"process {rank} {ended}" for rank, ended in pool.wait(0).items())
            return lost[0] if lost else None

        meet(place, store, hello, wait, find_lost)
        processes = Processes(place, store, wait, gpu)
        processes.find_lost = find_lost
        yield Crew(processes)


def _follow(place: Place, meeting: Path, wait: float, gpu: bool) -> None:
    """What a process does that was started here; all that must agree came from the first."""
    store = open_file(meeting, place.size)
    meet(place, store, {}, wait)
    Follower(Processes(place, store, wait, gpu)).follow()


def _join(place: Place, wait: float, asked: Experiment, hello: Mapping[str, Any]) -> Crew:
    """Meet the others; only the first process returns from here."""
    store = open_store(place, wait)
    meet(place, store, hello, wait)
    processes = Processes(place, store, wait, gpu=hello["device"] == "cuda")
    if not place.leads:
        raise Dismissed(Follower(processes, asked).follow())
    return Crew(processes)


def deliver(error: BaseException) -> bool:
    """Have the first process say why this one, which never came to the meeting, ends.

    False if it cannot be reached.
    """
    with suppress(Exception, Dismissed):
        place = find_place()
        if place is not None and not place.leads:
            leave_word(open_store(place, _DELIVERY), place.rank, error)
            return True
    return False
