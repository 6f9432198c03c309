"""Memory that is not there: said before anything is built, or in one line when it fails."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wherefrom.core.errors import OutOfMemory

# What libraries say when they are refused memory; only some of them have an error for it.
_REFUSED = re.compile(
    r"can't allocate memory|not enough memory|out of memory|bad_alloc|cannot allocate|"
    r"unable to allocate|storage size calculation overflowed|array is too big|"
    r"maximum allowed (dimension|size) exceeded|invalid buffer size|"
    r"failed to map segment|_find_and_load.*returned NULL",  # the last two: while importing
    re.IGNORECASE,
)
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


@contextmanager
def allocating(what: str, advice: str) -> Iterator[None]:
    """If memory is refused inside, OutOfMemory says what was too large, and what to do."""
    try:
        yield
    except (MemoryError, RuntimeError, ValueError) as error:
        if not refused(error):
            raise
        raise OutOfMemory(f"{what}: {describe_refusal(error)}; {advice}") from error


def refused(error: BaseException) -> bool:
    """Whether an error means that memory was refused."""
    if isinstance(error, MemoryError):
        return True
    kinds = RuntimeError | ValueError | ImportError | OSError | SystemError
    return isinstance(error, kinds) and bool(_REFUSED.search(str(error)))


def describe_refusal(error: BaseException) -> str:
    """How much was asked for, if the library says it."""
    asked = re.search(r"allocate ([0-9.]+) ?(bytes|[KMGTP]i?B)", str(error))
    if asked is None:
        return "expected enough memory, found too little"
    amount, unit = asked.groups()
    size = amount_of(int(float(amount))) if unit == "bytes" else f"{amount} {unit}"
    return f"expected enough memory, found too little for {size} more"


def require_memory(what: str, needed: int, there: int | None, advice: str) -> None:
    """Refuse what needs more bytes than there are (None: nobody knows).

    A system that promises more memory than it has would end the process without a word.
    """
    if there is not None and needed > there:
        raise OutOfMemory(
            f"{what}: expected at most the {amount_of(there)} of memory that are there, "
            f"found {amount_of(needed)} or more; {advice}"
        )


def find_memory() -> int | None:
    """Bytes that this process may use: the machine's, or its group's if that has fewer."""
    found: list[int] = []
    with suppress(OSError, ValueError, AttributeError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for path in _LIMITS:
        with suppress(OSError, ValueError):
            found.append(int(Path(path).read_text()))  # ValueError: "max", no limit
    return min((size for size in found if size > 0), default=None)


def amount_of(size: int) -> str:
    """Bytes in the unit that people read: 4.2 GB."""
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{round(size / unit, 1):,g} {name}"
    return f"{size} bytes"
