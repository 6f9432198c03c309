"""Ranks that meet and compare what they were asked for: here they are threads."""

import socket
import threading
from typing import Any

import pytest
import torch.distributed as distributed

from wherefrom.core.errors import Mismatch, OutOfMemory, Unavailable, WherefromError
from wherefrom.training.meeting import (
    Place,
    find_place,
    find_word,
    leave_word,
    meet,
    open_store,
)

PLACE = {"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"}
PLACE |= {"MASTER_ADDR": "node-0", "MASTER_PORT": "29500"}


def test_torchrun_says_which_rank_this_is():
    found = find_place(PLACE | {"TORCHELASTIC_RUN_ID": "none"})
    assert found == Place(3, 8, 1, 2, "node-0", 29500)


def test_a_scheduler_may_say_the_same_of_every_process():
    assert find_place(PLACE) is None


def hold(hellos: dict[int, dict[str, Any]], size: int, patience: float = 20.0) -> dict[int, Any]:
    """What each rank ends with, if these come and say this."""
    store, ends = distributed.HashStore(), {}

    def come(rank: int) -> None:
        try:
            ends[rank] = meet(Place(rank, size, rank, size), store, hellos[rank], patience)
        except WherefromError as error:
            ends[rank] = error

    threads = [threading.Thread(target=come, args=(rank,)) for rank in hellos]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ends


def test_ranks_that_agree_meet():
    same = {"versions": {"torch": "2.11"}, "recipe": {"seed": 0}}
    assert hold(dict.fromkeys(range(4), same), 4) == dict.fromkeys(range(4))


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ({"versions": {"torch": "2.9"}}, r"versions.torch: it has \"2.9\", asked for \"2.11\""),
        ({"recipe": {"seed": 4}}, "recipe.seed: it has 4, asked for 3"),
        ({"device": "cpu"}, 'device: it has "cpu", asked for "cuda"'),
        ({"options": {"minutes": 5}}, "options.minutes: it has 5, asked for null"),
    ],
)
def test_a_rank_that_differs_is_named_by_all(theirs, expected):
    ours = {
        "versions": {"torch": "2.11"},
        "recipe": {"seed": 3},
        "device": "cuda",
        "options": {"minutes": None},
    }
    ends = hold({0: ours, 1: ours, 2: ours | theirs}, 3)
    for rank in range(3):
        with pytest.raises(Mismatch, match=f"^process 2 on .*: {expected}"):
            raise ends[rank]


def test_those_who_never_come_are_named():
    ends = hold({0: {}, 2: {}}, 4, patience=0.1)
    for rank in (0, 2):
        assert isinstance(ends[rank], Unavailable)
        assert "expected 4 within 0.1 s, found 2; number 1, 3 never came" in str(ends[rank])


def test_a_started_rank_that_ends_is_not_waited_for():
    with pytest.raises(Unavailable, match="process 1 was killed; run the same command again"):
        meet(Place(0, 2, 0, 2), distributed.HashStore(), {}, 1e3, lambda: "process 1 was killed")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyError("a\nb"), 70, r"process 1: bug: KeyError('a\nb')"),
        (OutOfMemory("model: too large"), 71, "process 1: model: too large"),
    ],
)
def test_why_a_rank_ended_is_left_as_one_line(error, code, said):
    store = distributed.HashStore()
    leave_word(store, 1, error)
    assert find_word(store, 1) is None
    word = find_word(store, 3)
    assert word is not None
    assert (word.exit_code, str(word)) == (code, said)


def test_a_port_that_is_taken_is_named():
    taken = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    there = Place(0, 2, 0, 2, "127.0.0.1", taken.port)
    with pytest.raises(Unavailable, match=f"127.0.0.1:{taken.port}: expected a free port"):
        open_store(there, 1.0, {})


def test_nobody_at_the_address_is_said():
    with socket.socket() as held:  # a port that is taken, and at which nobody listens
        held.bind(("127.0.0.1", 0))
        there = Place(2, 4, 0, 2, "127.0.0.1", held.getsockname()[1])
        with pytest.raises(Unavailable, match=r"the first process within 0.2 s, found none"):
            open_store(there, 0.2, {})
