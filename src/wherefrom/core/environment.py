"""The process and the libraries below us: settings that they read once, and freed memory.

The settings are read when torch is loaded. What the user has set stays as it is.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress

# An OpenMP thread that waits for another spins, unless it is told to sleep. Beside busy processes
# two threads then spin most of the time, each waiting for the other to get a core: they are two to
# eleven times slower than one thread. Threads that sleep lose a tenth or two on an idle machine
# (docs/research/LOG.md). Their number stays the same, and so do the bits of a result.
WAITING = {"OMP_WAIT_POLICY": "passive"}
_OTHER_WAYS = ("GOMP_SPINCOUNT", "KMP_BLOCKTIME")  # of two runtimes, to say how long to spin

# torch's allocator hands freed pages back at once and asks for them again a moment later. If it
# keeps them, a training step at the course's sizes is 7 to 20 % faster.
ALLOCATOR = {"MIMALLOC_PURGE_DELAY": "-1"}

# When a rank goes or does not come, torch's C++ prints a page of its frames in every other one.
_AS_RANK = {"TORCH_CPP_LOG_LEVEL": "FATAL"}

_NEW_OBJECTS = 50_000  # after which Python looks for unreachable ones; usually 700


def prepare_library() -> None:
    """What a program that imports the package gets; too late if torch is loaded already."""
    if "torch" not in sys.modules and not any(name in os.environ for name in _OTHER_WAYS):
        _set_defaults(WAITING)


def prepare_command() -> None:
    """What the command line gets besides: the memory of its process is its own.

    Loading torch and reading a text make a million objects that live to the end. Python would look
    for unreachable ones among them whenever 700 more are there, a tenth of a report's time.
    """
    _set_defaults(ALLOCATOR)
    if "TORCHELASTIC_RUN_ID" in os.environ:  # torchrun has started it
        _set_defaults(_AS_RANK)
    gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])


def keep_imported() -> None:
    """For commands that are waited for, after their imports: what was imported stays to the end.

    Python goes through all objects once more when it ends, which takes half a second with torch's.
    """
    gc.freeze()


def release_memory() -> None:
    """Give freed memory back to the system.

    C's allocator keeps what a large model leaves for whatever comes next: 1.8 GB after a model of
    12 layers of 768. Only glibc has a way to ask it for them; elsewhere this does nothing.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def silence() -> None:
    """Nothing is printed from here on, by libraries either: another process speaks for this one."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


@contextmanager
def setting(name: str, value: str | None) -> Generator[None, None, None]:
    """While entered, a variable has a value, for this process and those that it starts.

    What the user has set stays as it is; None sets nothing.
    """
    if os.environ.get(name) or value is None:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def _set_defaults(settings: dict[str, str]) -> None:
    for name, value in settings.items():
        os.environ.setdefault(name, value)
