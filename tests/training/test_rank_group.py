"""What passes between ranks; a group of one gets back what it gives."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as distributed

from wherefrom.core.errors import Dismissed, Mismatch, OutOfMemory, Unavailable
from wherefrom.training import rank_group
from wherefrom.training.meeting import Place, leave_word
from wherefrom.training.rank_group import Ranks, agree, current_ranks


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
