"""A pool of processes: what a task gives back, how it ended, and what a process is started with."""

import math
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.core.files import parse_jsonl
from wherefrom.experiments.pool import Ended, Pool, choose_gpu


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A process that is given one task after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHELASTIC_RUN_ID", "7")
        with Pool(1, threads=3, gpus=0) as made:
            made.give("pid", os.getpid)
            yield made


def result(pool: Pool, function: Any, *arguments: Any) -> Ended:
    pool.wait()
    pool.give("name", function, *arguments)
    assert not pool.has_room()
    found = pool.wait()
    assert (list(found), pool.has_room()) == (["name"], True)
    return found["name"]


def test_a_process_does_one_task_after_the_other(pool: Pool):
    first, second = result(pool, os.getpid), result(pool, os.getpid)
    assert first == second != Ended(os.getpid())
    assert result(pool, math.hypot, 3, 4) == Ended(5.0)


def test_a_process_works_alone_with_its_threads(pool: Pool):
    expected = {"TORCHELASTIC_RUN_ID": None, "OMP_NUM_THREADS": "3", "CUDA_VISIBLE_DEVICES": ""}
    assert {name: result(pool, os.getenv, name).value for name in expected} == expected


def test_errors_come_back_and_the_process_goes_on(pool: Pool):
    damaged = result(pool, parse_jsonl, b"{", "rows.jsonl")
    assert damaged.code == Damaged.exit_code
    assert "rows.jsonl" in damaged.message
    bug = result(pool, operator.truediv, 1, 0)
    assert bug == Ended(code=70, message="ZeroDivisionError: division by zero")
    assert result(pool, Lock).code == 70, "what cannot be sent back is a bug"
    with pytest.raises((AttributeError, TypeError)):
        pool.give("a lock", id, Lock())
    assert result(pool, abs, -1) == Ended(1)


@pytest.mark.parametrize(
    ("function", "number", "expected"),
    [(signal.raise_signal, signal.SIGKILL, "was killed (signal 9)"),
     (os._exit, 3, "ended with code 3 (it said nothing)")],
)  # fmt: skip
def test_a_process_that_dies_is_noticed_and_not_replaced(function, number, expected):
    with Pool(2, threads=1) as pool:
        pool.give("good", time.sleep, 0)
        pool.give("bad", function, number)
        found: dict[str, Ended] = {}
        while len(found) < 2:
            found |= pool.wait()
        assert found["good"] == Ended()
        assert str(found["bad"]) == expected
        assert pool.size == 1


@pytest.mark.parametrize("saves", [True, False])
def test_processes_end_with_the_pool(saves: bool):
    with Pool(2, threads=1, saves=saves) as pool:
        pool.give("a", os.getpid)
        pid = pool.wait()["a"].value
        pool.give("b", time.sleep, 1000)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_program_without_a_guard_is_not_run_again(tmp_path: Path):
    """The methods of `multiprocessing` import the main program in every process they start."""
    program = tmp_path / "program.py"
    program.write_text(
        "import os; from wherefrom.experiments.pool import Pool\n"
        "print('once')\n"
        "with Pool(1, threads=1) as pool:\n"
        "    pool.give('a', os.getppid)\n"
        "    assert pool.wait()['a'].value == os.getpid()\n"
    )
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("once\n", "")


def test_processes_take_turns_with_the_gpus_that_their_starter_sees():
    for seen, number, gpus, expected in (("", 3, 4, "2"), ("4,5", 4, 2, "5"), ("7", 1, 0, "")):
        assert choose_gpu({"CUDA_VISIBLE_DEVICES": seen}, number, gpus) == expected
