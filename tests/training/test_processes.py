"""What passes between processes; a group of one gets back what it gives."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
import torch
import torch.distributed as distributed

from wherefrom.core.errors import Dismissed, OutOfMemory, Unavailable
from wherefrom.training.meeting import Place, leave_word
from wherefrom.training.processes import Processes


def place(rank: int, size: int) -> Place:
    return Place(rank, size, "127.0.0.1", 0, rank, size)


@pytest.fixture
def single() -> Iterator[Processes]:
    """A group of one: what it exchanges comes back."""
    store = distributed.HashStore()
    store.set_timeout(timedelta(seconds=20))
    group = Processes(place(0, 1), store, 20.0, gpu=False)
    yield group
    group.leave()


def test_a_group_of_one(single: Processes):
    weights = [torch.arange(6.0).view(2, 3), torch.tensor(7), torch.tensor([0.5])]
    single.share(weights)
    assert weights[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    total = torch.tensor([1.0, 2.0])
    single.sum(total)
    assert total.tolist() == [1, 2]
    assert single.gather({"é": [0.1, None]}) == [{"é": [0.1, None]}]
    single.tell({"do": "nothing"})
    assert single.rows == slice(0, None, 1)
    single.rank, single.size = 1, 3
    assert single.rows == slice(1, None, 3)


def fail(message: str) -> Callable[..., None]:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError(message)

    return failing


class _Broken:
    def __init__(self, message: str) -> None:
        self.all_reduce = fail(message)


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
def test_a_lost_process_is_explained_in_one_line(
    single: Processes, monkeypatch, message, word, lost, error, expected
):
    monkeypatch.setattr("wherefrom.training.processes._FAREWELL", 0.1)
    monkeypatch.setattr(single, "_distributed", _Broken(message))
    monkeypatch.setattr(single, "size", 2)
    monkeypatch.setattr(single, "patience", 7.0)
    single.find_lost = lambda: lost
    if word is not None:
        leave_word(single.store, 1, word)
    with pytest.raises(error) as raised:
        single.sum(torch.zeros(1))
    assert str(raised.value).startswith(expected)
    assert "\n" not in str(raised.value)
    monkeypatch.undo()


def test_a_follower_that_loses_the_first_ends_without_a_word(single: Processes, monkeypatch):
    monkeypatch.setattr(single, "_distributed", _Broken("Connection closed by peer"))
    monkeypatch.setattr(single, "rank", 1)
    with pytest.raises(Dismissed) as raised:
        single.sum(torch.zeros(1))
    assert raised.value.exit_code == 69
    monkeypatch.undo()
