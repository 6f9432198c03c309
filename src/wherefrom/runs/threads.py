"""How many CPU threads torch computes with.

The number is no part of a recipe's identity, but it changes the order in which sums are taken, and
so the last bits of a model: a run that is resumed computes with the number it began with.
"""

import os

import torch

from wherefrom.core.errors import UsageError

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
