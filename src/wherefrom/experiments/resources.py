"""How many CPU threads and processes a command may take, and what its ranks must have in common.

The number of threads is no part of a recipe's identity, but it changes the order in which sums are
taken, and so the last bits of a model: a run that is resumed computes with the number it began
with.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Demonstrations, Experiment
from wherefrom.runs.families import FAMILIES, recipe_identity
from wherefrom.runs.folder import versions
from wherefrom.runs.workshop import choose_device, count_gpus
from wherefrom.training.rank_group import LONGEST_PATIENCE, PATIENCE, Place, find_place

_A_CORE, _ANYWHERE = 4, 16


def use_threads(asked: int | None, otherwise: int = 0) -> int:
    """Set torch's number of threads to what is asked for, or otherwise to a recipe's own number.

    0 means `usual_threads`. Returns the number.
    """
    count = otherwise if asked is None else asked
    if asked is None:  # a recipe of a larger machine
        count = min(count, most_threads())
    require_threads(count)
    torch.set_num_threads(count or min(usual_threads(), most_threads()))
    return torch.get_num_threads()


def require_threads(count: int) -> None:
    """Refuse a number that makes no sense here."""
    most = most_threads()
    if not isinstance(count, int) or not 0 <= count <= most:  # pyright: ignore
        raise UsageError(
            f"threads: expected a whole number from 0 to {most} ({_A_CORE} for each core here, and "
            f"{_ANYWHERE} anywhere: more of them only wait), found {count!r}"
        )


def most_threads() -> int:
    """The most that make sense here; a system may refuse to start more, and end the process."""
    return max(_ANYWHERE, _A_CORE * (os.cpu_count() or 1))


def usual_threads() -> int:
    """OMP_NUM_THREADS if the user has set it, or else one for each core of this process."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list is for nesting
    if given.isdecimal() and int(given) > 0:
        return int(given)
    return count_cores()


def count_cores() -> int:
    """The cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def share_threads(cores: int, processes: int) -> int:
    """CPU threads of each process, if the user has not said how many."""
    return max(1, cores // processes)


def count_apart(processes: int | None) -> int:
    """How many models are trained at once, each by a process of its own."""
    if find_place() is not None:
        raise UsageError(
            "torchrun: expected a command that trains one model, found several models, which "
            "share no step; start it without torchrun, with --processes N"
        )
    _check_numbers(None, processes, PATIENCE)
    _require_at_most("core", count_cores(), processes or 1)
    return processes or 1


def count_ranks(
    asked: Experiment, place: Place | None, processes: int | None, wait: float, trains: bool
) -> tuple[int, int]:
    """How many ranks there are in all, and on this machine; refuses what cannot be."""
    _check_numbers(place, processes, wait)
    size = place.size if place else processes or 1
    here = place.local_size if place else size
    if size > 1:
        if trains:
            _require_shareable(asked, size)
        gpus = choose_device(asked.device).type == "cuda"
        what, most = ("GPU", count_gpus()) if gpus else ("core", count_cores())
        _require_at_most(what, most, here)
    return size, here


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
    """Refuse a recipe whose steps cannot be divided among `size` ranks."""
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


def _require_at_most(what: str, most: int, here: int) -> None:
    if here > most:
        raise UsageError(
            f"--processes: expected at most {most}, one for each {what} of this machine, found "
            f"{here}; more would only wait for each other"
        )


def introduce(asked: Experiment, alike: Mapping[str, Any]) -> dict[str, Any]:
    """What all ranks must have in common; the data are compared when they are read."""
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
