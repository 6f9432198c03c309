"""Steps that several learners take together, against the same steps of one: in double precision."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from wherefrom.training.optimisers import MuonConfig
from wherefrom.training.torch_learner import TorchLearner

STEPS = 4
SHARED = {"steps": STEPS, "batch": 7}
DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.1}


class Hub:
    """Ranks that are threads. One computes at a time, since dropout's generator is shared."""

    def __init__(self, size: int) -> None:
        self.size, self.turn = size, threading.Lock()
        self.barrier = threading.Barrier(size)
        self.given: list[Any] = [None] * size

    def member(self, rank: int) -> "Member":
        return Member(self, rank)


class Member:
    def __init__(self, hub: Hub, rank: int) -> None:
        self.hub, self.rank, self.rows = hub, rank, slice(rank, None, hub.size)

    def sum(self, tensor: torch.Tensor) -> None:
        self.hub.given[self.rank] = tensor.clone()
        self.hub.turn.release()
        self.hub.barrier.wait()
        tensor.copy_(torch.stack(self.hub.given).sum(0))
        self.hub.barrier.wait()
        self.hub.turn.acquire()


@pytest.fixture
def learner(stacks) -> Callable[..., TorchLearner]:
    def build(changed: dict[str, Any], ranks: Any = None, **drops: float) -> TorchLearner:
        config = replace(stacks.plain, **DROPPING | drops)
        return stacks.build(0, config, torch.float64, ranks, **SHARED | changed)

    return build


def together(learner, changed, size: int, stop_at: tuple[int, int] | None = None) -> list[Any]:
    """Every rank's metrics and weights; `stop_at`: this rank is asked to stop, before that
    step is done."""
    hub = Hub(size)
    found: list[Any] = [None] * size
    learners = [learner(changed, hub.member(rank)) for rank in range(size)]

    def run(rank: int) -> None:
        asked = iter(range(STEPS))
        stopped = lambda: stop_at is not None and (rank, next(asked)) == stop_at  # noqa: E731
        with hub.turn:
            metrics = learners[rank].advance(0, STEPS, stopped)
            found[rank] = metrics, learners[rank].state().arrays

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize(
    ("size", "changed"),
    [
        (7, {}),
        (3, {"buckets": 3}),
        (2, {"buckets": 3, "packed": True}),
        (3, {"packed": True, "order": "file"}),
        (2, {"optimiser": MuonConfig(), "buckets": 2, "clip": 0.05}),
    ],
    ids=["adamw", "buckets", "packed", "file order", "muon"],
)
def test_the_step_of_many_is_the_step_of_one(learner, size: int, changed: dict[str, Any]):
    alone = learner(changed)
    metrics, weights = alone.advance(0, STEPS), alone.state().arrays
    found = together(learner, changed, size)
    for theirs, arrays in found:
        np.testing.assert_allclose(theirs["loss"], metrics["loss"], rtol=1e-6)
        assert theirs["targets"].tolist() == metrics["targets"].tolist()
        assert theirs["finite"].all()
        for name, array in weights.items():
            np.testing.assert_allclose(arrays[name], array, rtol=0, atol=1e-7, err_msg=name)
            assert arrays[name].tobytes() == found[0][1][name].tobytes(), "every rank has the bits"


@pytest.mark.parametrize("rank", [0, 1])
def test_all_stop_after_the_same_step_whoever_is_asked(learner, rank: int):
    for metrics, _ in together(learner, {}, 2, stop_at=(rank, 1)):
        assert len(metrics["loss"]) == 2


def test_a_rank_whose_attention_drops_draws_by_itself(learner):
    """Its masks cannot be drawn for others, so two ranks must not have the same ones."""
    hub = Hub(2)
    seeds = [learner({}, hub.member(r), attn_pdrop=0.1)._dropout_seeds(0, 2) for r in range(2)]
    assert seeds[0] == learner({}, attn_pdrop=0.1)._dropout_seeds(0, 2)
    assert not set(seeds[0]) & set(seeds[1])
    same = [learner({}, hub.member(r))._dropout_seeds(0, 2) for r in range(2)]
    assert same[0] == same[1] == seeds[0]
