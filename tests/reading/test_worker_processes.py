"""Work that several processes share: its order, its errors, and work within work."""

import os
import sys

import pytest

from wherefrom.reading.worker_processes import in_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux")


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)))


def test_results_are_in_the_order_of_the_items():
    found = [*in_processes(lambda i: (i * i, os.getpid()), range(50))]
    assert [square for square, _ in found] == [i * i for i in range(50)]
    assert os.getpid() not in {process for _, process in found}


def test_work_is_shared_again_by_the_cores_that_are_left():
    def inner(i: int) -> tuple[int, list[int]]:
        return os.getpid(), [*in_processes(lambda _: os.getpid(), range(i))]

    two, alone = in_processes(inner, [8, 1])
    assert two[0] not in two[1]
    assert alone[1] == [alone[0]]
    assert all(own == [process] * 8 for process, own in in_processes(inner, [8] * 4))


def test_an_error_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        list(in_processes(lambda i: 1 // i, [2, 1, 0]))


def test_a_process_that_is_killed_is_noticed():
    with pytest.raises(RuntimeError, match="ended before its work was done"):
        list(in_processes(lambda _: os._exit(9), range(4)))
