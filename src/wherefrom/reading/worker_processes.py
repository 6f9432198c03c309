"""Reading in several processes, each a copy of this one."""

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

_MOST_PROCESSES = 16
_RARELY = 100_000  # new objects between two collections: most are candidates, which have no cycles

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """What `work` gives for each item, in their order; several processes share the work.

    Only on Linux: there a process begins as a copy of this one, so that nothing need be sent to
    it. What is found does not depend on the number of processes.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    processes = min(cores, len(items), _MOST_PROCESSES)
    if processes < 2 or multiprocessing.current_process().daemon:  # which may have no children
        yield from map(work, items)
        return
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, _inherit, (work,)) as pool:
        yield from pool.imap(_do_part, items)


_inherited: list[Callable[[Any], Any]] = []  # in a process that reads for another one


def _inherit(work: Callable[[Any], Any]) -> None:
    gc.freeze()  # what was inherited is not looked through again and again
    gc.set_threshold(_RARELY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process stops all the others
    _inherited.append(work)


def _do_part(item: Any) -> Any:
    return _inherited[-1](item)
