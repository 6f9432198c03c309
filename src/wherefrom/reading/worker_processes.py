"""Reading in several processes, each a copy of this one."""

import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any, TypeVar, cast

_MOST_PROCESSES = 16
_RARELY = 100_000  # new objects between two collections: most are candidates, which have no cycles

T = TypeVar("T")
R = TypeVar("R")

_sharing = [1]  # how many processes use the cores of this machine for one piece of work


def in_processes(work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
    """What `work` gives for each item, in their order; several processes share the work.

    Only on Linux: there a process begins as a copy of this one, so that nothing need be sent to
    it. What is found does not depend on the number of processes. Work may be shared again within
    such a process: then by its part of the cores.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    processes = min(-(-cores // _sharing[0]), len(items), _MOST_PROCESSES)
    if processes < 2 or multiprocessing.current_process().daemon:  # which may have no children
        often = gc.get_threshold()
        gc.set_threshold(_RARELY, *often[1:])
        try:
            yield from map(work, items)
        finally:
            gc.set_threshold(*often)
        return
    context = multiprocessing.get_context("fork")
    taken, children, pipes = context.Value("i", 0), list[Any](), list[Any]()
    try:
        for _ in range(processes):
            receiving, sending = context.Pipe(duplex=False)
            pipes.append(receiving)
            given = (work, items, taken, processes, sending)
            children.append(context.Process(target=_take_turns, args=given))
            children[-1].start()
            sending.close()
        yield from _collect(pipes, len(items))
    finally:
        for child in children:
            child.terminate()
            child.join()


def _collect(pipes: list[Any], count: int) -> Iterator[Any]:
    """The results of `count` items in their order, as the processes send them."""
    found: dict[int, Any] = {}
    for number in range(count):
        while number not in found:
            if not pipes:
                raise RuntimeError("a process that reads has ended before its work was done")
            for pipe in cast(list[Any], wait(pipes)):
                try:
                    done, found[done], error = pipe.recv()
                except EOFError:
                    pipes.remove(pipe)
                else:
                    if error:
                        raise error
        yield found.pop(number)


def _take_turns(
    work: Callable[[Any], Any], items: Sequence[Any], taken: Any, processes: int, pipe: Any
) -> None:
    """Do what no other process has begun, until nothing is left."""
    gc.freeze()  # what was inherited is not looked through again and again
    gc.set_threshold(_RARELY)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process stops all the others
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # nobody waits for what is found any more
    _sharing[0] *= processes
    while True:
        with taken.get_lock():
            number, taken.value = taken.value, taken.value + 1
        if number >= len(items):
            return
        try:
            pipe.send((number, work(items[number]), None))
        except Exception as error:
            pipe.send((number, None, error))
