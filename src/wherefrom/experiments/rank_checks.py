"""What several processes may be asked for, and what they must have in common."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Demonstrations, Experiment
from wherefrom.runs.families import FAMILIES
from wherefrom.runs.folder import versions
from wherefrom.runs.kinds import recipe_identity
from wherefrom.runs.threads import count_cores
from wherefrom.runs.workshop import choose_device, count_gpus
from wherefrom.training.meeting import LONGEST_PATIENCE, PATIENCE, Place, find_place


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
        _require_room(asked, here)
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


def _require_room(asked: Experiment, here: int) -> None:
    """Refuse more ranks on this machine than it has cores, or GPUs."""
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


def introduce(asked: Experiment, alike: Mapping[str, Any]) -> dict[str, Any]:
    """What all ranks must have in common, but for the data, which are compared when read."""
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
