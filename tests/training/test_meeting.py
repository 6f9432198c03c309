"""Processes that meet and compare what they were asked for: here they are threads."""

import socket
import threading
from typing import Any

import pytest
import torch.distributed as distributed

from wherefrom.core.errors import (
    Dismissed,
    Mismatch,
    MissingInput,
    Unavailable,
    UsageError,
    WherefromError,
)
from wherefrom.training.meeting import Place, find_place, leave_word, meet, open_store, read_word

GIVEN = {"RANK": "3", "WORLD_SIZE": "8", "MASTER_ADDR": "node-0", "MASTER_PORT": "29500"}


def place(rank: int, size: int) -> Place:
    return Place(rank, size, "127.0.0.1", 0, rank, size)


def test_the_environment_says_which_process_this_is():
    found = find_place(GIVEN | {"LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2"})
    assert found == Place(3, 8, "node-0", 29500, 1, 2)
    assert not found.leads
    assert find_place(GIVEN | {"RANK": "0"}) == Place(0, 8, "node-0", 29500, 0, 8)


@pytest.mark.parametrize("missing", GIVEN)
def test_a_process_of_which_nothing_is_said_is_alone(missing: str):
    assert find_place({k: v for k, v in GIVEN.items() if k != missing}) is None


def test_one_of_one_is_alone_unless_torchrun_has_started_it():
    one = GIVEN | {"RANK": "0", "WORLD_SIZE": "1"}
    assert find_place(one) is None
    assert find_place(one | {"TORCHELASTIC_RUN_ID": "none"}) is not None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("RANK", "first", "RANK: expected a whole number, found 'first'"),
        ("MASTER_PORT", "-1", "MASTER_PORT: expected a whole number, found '-1'"),
        ("RANK", "8", "RANK: expected a number below WORLD_SIZE=8, found 8"),
    ],
)
def test_an_environment_that_makes_no_sense(name: str, value: str, expected: str):
    with pytest.raises(UsageError, match=expected):
        find_place(GIVEN | {name: value})


class Meeting:
    """Processes that are threads, and what each of them ended with."""

    def __init__(self) -> None:
        self.store = distributed.HashStore()
        self.ends: dict[int, object] = {}

    def hold(self, hellos: dict[int, dict[str, Any]], size: int, patience: float = 20.0) -> None:
        def come(rank: int) -> None:
            try:
                meet(place(rank, size), self.store, hellos[rank], patience)
                self.ends[rank] = None
            except (WherefromError, Dismissed) as error:
                self.ends[rank] = error

        threads = [threading.Thread(target=come, args=(rank,)) for rank in hellos]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_processes_that_agree_meet():
    meeting = Meeting()
    same = {"versions": {"torch": "2.11"}, "recipe": {"seed": 0}}
    meeting.hold({0: same, 1: same, 2: {}, 3: same | {"recipe": None}}, 4)
    assert meeting.ends == dict.fromkeys(range(4))


@pytest.mark.parametrize(
    ("theirs", "expected"),
    [
        ({"versions": {"torch": "2.9"}}, r"versions.torch: it has \"2.9\", asked for \"2.11\""),
        ({"recipe": {"seed": 4}}, "recipe.seed: it has 4, asked for 3"),
        ({"device": "cpu"}, 'device: it has "cpu", asked for "cuda"'),
        ({"options": {"minutes": 5}}, "options.minutes: it has 5, asked for null"),
    ],
)
def test_a_process_that_differs_is_named_by_the_first_and_the_others_are_silent(theirs, expected):
    ours = {
        "versions": {"torch": "2.11"},
        "recipe": {"seed": 3},
        "device": "cuda",
        "options": {"minutes": None},
    }
    meeting = Meeting()
    meeting.hold({0: ours, 1: ours, 2: ours | theirs}, 3)
    first, *others = (meeting.ends[rank] for rank in range(3))
    assert isinstance(first, Mismatch)
    with pytest.raises(Mismatch, match=f"^process 2 on .*: {expected}"):
        raise first
    assert [type(end) for end in others] == [Dismissed, Dismissed]
    assert [end.exit_code for end in others] == [78, 78]


def test_those_who_never_come_are_named():
    meeting = Meeting()
    meeting.hold({0: {}, 2: {}}, 4, patience=0.1)
    assert isinstance(meeting.ends[0], Unavailable)
    assert "expected 4 within 0.1 s, found 2; number 1, 3 never came" in str(meeting.ends[0])
    assert isinstance(meeting.ends[2], Dismissed)
    assert meeting.ends[2].exit_code == 69


def test_a_process_that_fails_before_the_meeting_is_not_waited_for():
    meeting = Meeting()
    leave_word(meeting.store, 1, MissingInput("text.txt: expected a file, found none"))
    meeting.hold({0: {}, 2: {}}, 3, patience=1000.0)
    assert isinstance(meeting.ends[0], MissingInput)
    assert str(meeting.ends[0]) == "process 1: text.txt: expected a file, found none"


def test_a_started_process_that_ends_is_not_waited_for():
    with pytest.raises(Unavailable, match="process 1 was killed; run the same command again"):
        meet(place(0, 2), distributed.HashStore(), {}, 1000.0, lambda: "process 1 was killed")


def test_a_bug_is_left_as_one_line():
    store = distributed.HashStore()
    assert read_word(store, 1) is None
    leave_word(store, 1, KeyError("a\nb"))
    word = read_word(store, 1)
    assert word is not None
    assert word.exit_code == 70
    assert str(word) == r"process 1: bug: KeyError('a\nb')"


def test_a_port_that_is_taken_is_named():
    taken = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    there = Place(0, 2, "127.0.0.1", taken.port, 0, 2)
    with pytest.raises(Unavailable, match=f"127.0.0.1:{taken.port}: expected a free port"):
        open_store(there, 1.0, {})


def test_nobody_at_the_address_is_said():
    with socket.socket() as held:  # a port that is taken, and at which nobody listens
        held.bind(("127.0.0.1", 0))
        there = Place(2, 4, "127.0.0.1", held.getsockname()[1], 0, 2)
        with pytest.raises(Unavailable, match=r"the first process within 0.2 s, found none"):
            open_store(there, 0.2, {})
