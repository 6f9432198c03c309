"""Settings of the libraries below us that they read only once, when torch is loaded.

What the user has set in the environment stays as it is.
"""

import os
import sys

# An OpenMP thread that waits for another spins, unless it is told to sleep. Beside a busy process
# two threads then spin most of the time, each waiting for the other to get a core: two threads are
# three to twelve times slower than one. Threads that sleep lose a tenth on an idle machine.
# The number of threads stays the same, and so do the bits of a result.
WAITING = {"OMP_WAIT_POLICY": "passive"}
_OTHER_WAYS = ("GOMP_SPINCOUNT", "KMP_BLOCKTIME")  # of two runtimes, to say how long to spin

# torch's allocator hands freed pages back at once and asks for them again a moment later. If it
# keeps them, a training step at the course's sizes is 7 to 20 % faster.
ALLOCATOR = {"MIMALLOC_PURGE_DELAY": "-1"}


def prepare_library() -> None:
    """What a program that imports the package gets; too late if torch is loaded already."""
    if "torch" not in sys.modules and not any(name in os.environ for name in _OTHER_WAYS):
        _set_defaults(WAITING)


def prepare_command() -> None:
    """What the command line gets besides: the memory of its process is its own."""
    _set_defaults(ALLOCATOR)


def _set_defaults(settings: dict[str, str]) -> None:
    for name, value in settings.items():
        os.environ.setdefault(name, value)
