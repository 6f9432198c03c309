"""What passes between ranks; a group of one gets back what it gives."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as distributed

from wherefrom.core.errors import Dismissed, Mismatch, OutOfMemory, Unavailable, WherefromError
from wherefrom.training import rank_group
from wherefrom.training.rank_group import (
    Place,
    Ranks,
    agree,
    current_ranks,
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


def test_a_rank_that_differs_is_named_by_all():
    ours = {"versions": {"torch": "2.11"}, "device": "cuda"}
    ends = hold({0: ours, 1: ours, 2: ours | {"device": "cpu"}}, 3)
    for rank in range(3):
        with pytest.raises(Mismatch, match=r'^process 2 on .*: device: it has "cpu", asked for'):
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
    assert (word.exit_code, str(word)) == (code, said)


def test_a_port_that_is_taken_is_named():
    taken = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    there = Place(0, 2, 0, 2, "127.0.0.1", taken.port)
    with pytest.raises(Unavailable, match=f"127.0.0.1:{taken.port}: expected a free port"):
        open_store(there, 1.0, {})


@pytest.fixture
def single() -> Iterator[Ranks]:
    """A group of one: what it exchanges comes back."""
    store = distributed.HashStore()
    store.set_timeout(timedelta(seconds=20))
    group = Ranks(Place(0, 1, 0, 1), store, 20.0, gpu=False)
    yield group
    if distributed.is_initialized():
        distributed.destroy_process_group()


def test_a_group_of_one(single: Ranks):
    assert (current_ranks(), agree(5)) == (None, 5)
    weights = [torch.arange(6.0).view(2, 3), torch.tensor(7), torch.tensor([0.5])]
    with single.taking_part():
        assert current_ranks() is single
        assert agree({"seconds": 0.5}) == {"seconds": 0.5}
        single.share(weights)
        total = torch.tensor([1.0, 2.0])
        single.sum(total)
        assert single.gather({"é": [0.1, None]}) == [{"é": [0.1, None]}]
        assert single.exchange("work", [3]) == [[3]]
    assert weights[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert total.tolist() == [1, 2]
    assert current_ranks() is None
    single.rank, single.size = 1, 3
    assert single.rows == slice(1, None, 3)


def test_ranks_that_are_given_other_work_are_refused(single: Ranks, monkeypatch):
    monkeypatch.setattr(single, "gather", lambda own: [own, {"work": "other", "done": []}])
    with pytest.raises(Mismatch, match=r'process 1: work: it has "other", .* the same files'):
        single.exchange(["Where was Bo born?"], [])
    monkeypatch.setattr(single, "gather", lambda own: [own, {"sha256": "b"}])
    with pytest.raises(Mismatch, match=r'process 1: sha256: its data has "b", asked for "a"; look'):
        single.compare({"sha256": "a"}, "its data", "look")


@pytest.mark.parametrize("content", [b"", bytes(range(256)) * 3])
def test_a_file_is_written_by_the_others(single: Ranks, monkeypatch, tmp_path: Path, content):
    """This one is the second rank; the first says how long the file is, and what is in it."""
    monkeypatch.setattr(single, "rank", 1)
    monkeypatch.setattr(single, "first", lambda _: len(content))

    def share(tensors: list[torch.Tensor]) -> None:
        tensors[0].copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))

    monkeypatch.setattr(single, "share", share)
    single.share_file(tmp_path / "stages" / "state")
    assert (tmp_path / "stages" / "state").read_bytes() == content


def fail(message: str) -> Callable[..., None]:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError(message)

    return failing


@pytest.mark.parametrize(
    ("message", "word", "lost", "error", "expected"),
    [
        (
            "[pair.cc:553] Connection closed by peer", None, None, Unavailable,
            "processes: one of the 2 is gone without a word; what was trained is saved",
        ),
        (
            "Timed out waiting 7000ms for recv operation", None, None, Unavailable,
            "processes: expected all 2 to answer within 7 s, and one did not; what was trained",
        ),
        ("Connection reset", None, "process 1 was killed (signal 9)", Unavailable, "process 1 was"),
        ("Connection reset", OutOfMemory("model: too large"), None, OutOfMemory, "process 1: mod"),
    ],
)  # fmt: skip
def test_a_lost_rank_is_explained_in_one_line(
    single: Ranks, monkeypatch, message, word, lost, error, expected
):
    monkeypatch.setattr(rank_group, "FAREWELL", 0.1)
    monkeypatch.setattr(rank_group, "distributed", SimpleNamespace(all_reduce=fail(message)))
    monkeypatch.setattr(single, "size", 2)
    monkeypatch.setattr(single, "patience", 7.0)
    single.find_lost = lambda: lost
    if word is not None:
        leave_word(single.store, 1, word)
    with pytest.raises(error) as raised:
        single.sum(torch.zeros(1))
    assert str(raised.value).startswith(expected)
    assert "\n" not in str(raised.value)


def test_a_rank_that_loses_the_first_ends_without_a_word(single: Ranks, monkeypatch):
    broken = SimpleNamespace(all_reduce=fail("Connection closed by peer"))
    monkeypatch.setattr(rank_group, "distributed", broken)
    monkeypatch.setattr(single, "rank", 1)
    with pytest.raises(Dismissed) as raised:
        single.sum(torch.zeros(1))
    assert raised.value.exit_code == 69
