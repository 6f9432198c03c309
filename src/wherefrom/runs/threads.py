"""How many CPU threads torch computes with.

The number is no part of a recipe's identity, but it changes the order in which sums are taken, and
so the last bits of a model: a run that is resumed computes with the number it began with.
"""

import os

import torch


def use_threads(count: int = 0) -> int:
    """Set torch's number of threads (0: `usual_threads`), and return it."""
    torch.set_num_threads(count or usual_threads())
    return torch.get_num_threads()


def usual_threads() -> int:
    """OMP_NUM_THREADS if the user has set it, or else one for each core of this process."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list is for nesting
    if given.isdecimal() and int(given) > 0:
        return int(given)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1
