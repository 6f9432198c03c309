"""Working on a run in company: starting the other processes, or joining those of torchrun.

`company` is the only way in. In the first process it yields the crew that it leads; in the others
it does not return: they follow until they are dismissed.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from wherefrom.core.errors import Dismissed, UsageError, WherefromError
from wherefrom.core.recipe import Demonstrations, Experiment
from wherefrom.experiments.follower import Follower
from wherefrom.runs.crew import Crew
from wherefrom.runs.families import FAMILIES
from wherefrom.runs.folder import versions
from wherefrom.runs.kinds import recipe_identity
from wherefrom.runs.threads import count_cores, share_threads, usual_threads
from wherefrom.runs.workshop import choose_device, count_gpus
from wherefrom.training.processes import (
    LONGEST_PATIENCE,
    PATIENCE,
    Place,
    Processes,
    find_place,
    leave_word,
    meet,
    open_store,
)

_FOLLOWER = "wherefrom.experiments.follower"
_HERE = "127.0.0.1"
_DELIVERY = 5.0  # seconds in which a process that fails before the meeting may still say why
_GRACE = 10.0  # seconds in which a process that was started here may end by itself
_BUG, _INTERRUPTED = 70, 130


@contextmanager
def company(
    asked: Experiment,
    processes: int | None = None,
    wait: float = PATIENCE,
    *,
    alike: Mapping[str, Any] | None = None,
    apart: bool = False,
    trains: bool = True,
) -> Generator[Crew | None, None, None]:
    """The processes that work on a recipe together; None if this one is alone.

    `processes` are started here unless torchrun has started them. `alike` is what all must have
    been asked for besides the recipe. With `apart`, each process trains models of its own, so none
    is started here: `Workers` does that. If nothing is trained, any recipe will do.
    """
    place = find_place()
    _check_numbers(place, processes, wait)
    size = place.size if place else processes or 1
    if place is None and (size == 1 or apart):
        yield None
        return
    if trains and not apart:
        _require_shareable(asked, size)
    _require_room(asked, place.local_size if place else size)
    hello = _introduce(asked, alike or {})
    with _some_threads(place.local_size if place else size):
        if place is None:
            with _start(size, wait, hello) as crew, _led(crew):
                yield crew
        else:
            with _led(_join(place, wait, asked, hello, apart)) as crew:
                yield crew


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
    """Refuse a recipe whose steps cannot be divided among so many processes."""
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
    what, most = "core", count_cores()
    if device == "cuda":
        what, most = "GPU", count_gpus()
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
def _some_threads(here: int) -> Generator[None, None, None]:
    """Unless the user has said how many, each process has its part of the cores."""
    if os.environ.get("OMP_NUM_THREADS"):
        yield
        return
    os.environ["OMP_NUM_THREADS"] = str(share_threads(usual_threads(), here))
    try:
        yield
    finally:
        del os.environ["OMP_NUM_THREADS"]


# -- processes that others have started ------------------------------------------------


def _join(
    place: Place, wait: float, asked: Experiment, hello: Mapping[str, Any], apart: bool
) -> Crew:
    """Meet the others; only the first process returns from here."""
    store = open_store(place, wait)
    meet(place, store, hello, wait)
    processes = Processes(place, store, wait, gpu=hello["device"] == "cuda")
    if not place.leads:
        raise Dismissed(Follower(processes, asked).follow())
    return Crew(processes, apart)


def deliver(error: BaseException) -> None:
    """Have the first process say why this one, which never came to the meeting, ends."""
    with suppress(Exception, Dismissed):
        place = find_place()
        if place is not None and not place.leads:
            leave_word(open_store(place, _DELIVERY), place.rank, error)


# -- processes that are started here ---------------------------------------------------


@contextmanager
def _start(size: int, wait: float, hello: Mapping[str, Any]) -> Generator[Crew, None, None]:
    place = Place(0, size, _HERE, 0, 0, size)
    store = open_store(place, wait)
    place = replace(place, port=store.underlying_store.port)
    children = [_Child(replace(place, rank=r, local_rank=r), wait, hello) for r in range(1, size)]

    def find_lost() -> str | None:
        return next(filter(None, (child.find_end() for child in children)), None)

    try:
        meet(place, store, hello, wait, find_lost)
        processes = Processes(place, store, wait, gpu=hello["device"] == "cuda")
        processes.find_lost = find_lost
        yield Crew(processes)
    finally:
        for child in children:
            child.end()


class _Child:
    """A process that this one has started, and that ends with it."""

    def __init__(self, place: Place, wait: float, hello: Mapping[str, Any]) -> None:
        self.place, self.errors = place, tempfile.TemporaryFile()  # noqa: SIM115
        device = str(hello["device"])
        self.process = subprocess.Popen(
            [sys.executable, "-m", _FOLLOWER, str(wait), device],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            env=child_environment(os.environ, place),
            start_new_session=True,  # Ctrl-C reaches the first process, which tells the others
        )

    def find_end(self) -> str | None:
        """How the process ended, if it has."""
        if (code := self.process.poll()) is None:
            return None
        if code < 0:
            return f"process {self.place.rank} was killed (signal {-code})"
        return f"process {self.place.rank} ended with code {code}{self._last_line()}"

    def _last_line(self) -> str:
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return f" ({lines[-1]})" if lines else ""

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:  # it hangs
            self.process.kill()
            self.process.wait()
        self.errors.close()


def child_environment(given: Mapping[str, str], place: Place) -> dict[str, str]:
    """What a process finds the package and its place with."""
    source = str(Path(__file__).parents[2])
    paths = [source, *filter(None, [given.get("PYTHONPATH")])]
    return {
        **given,
        "PYTHONPATH": os.pathsep.join(paths),
        "RANK": str(place.rank),
        "WORLD_SIZE": str(place.size),
        "LOCAL_RANK": str(place.local_rank),
        "LOCAL_WORLD_SIZE": str(place.local_size),
        "MASTER_ADDR": place.address,
        "MASTER_PORT": str(place.port),
    }
