"""How many threads torch computes with."""

import os

import pytest
import torch

from wherefrom.core.errors import UsageError
from wherefrom.experiments.resources import require_threads, use_threads, usual_threads


@pytest.fixture(autouse=True)
def _as_before():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_a_number_is_taken_as_it_is(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for given, count in ((1, 1), (2, 2), (0, 3)):
        assert use_threads(given) == torch.get_num_threads() == count


def test_the_most_grow_with_the_machine_and_a_recipe_of_a_larger_one_is_cut(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    require_threads(256)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(UsageError, match=r"from 0 to 16 .* found 17"):
        require_threads(17)
    with pytest.raises(UsageError, match="found 17"):
        use_threads(17, 1)
    assert use_threads(None, 17) == 16
    monkeypatch.setenv("OMP_NUM_THREADS", "100000")
    assert use_threads(0) == 16


def test_the_users_own_number_or_a_thread_for_each_core_is_the_default(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    usual = {"1": 1, "4,2": 4, " 2 ": 2, "": 3, "0": 3, "-1": 3, "many": 3}
    for given, count in usual.items():
        monkeypatch.setenv("OMP_NUM_THREADS", given)
        assert usual_threads() == count, given
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert usual_threads() == 3
