"""Steps of the torch learner: the loss by hand, resumed runs bit by bit, and what is skipped."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from msgspec import structs

from wherefrom.core.contracts import EVERY_ROW, Batch, Document, State
from wherefrom.core.recipe import Schedule
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.span_corruption import Documents, NextCharacterConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig, factor
from wherefrom.training.torch_learner import TorchLearner

DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.2, "attn_pdrop": 0.2}
Build = Callable[..., TorchLearner]


class Given:
    """An objective that hands out the same rows in every step."""

    def __init__(self, *batches: Batch) -> None:
        self.batches = batches

    def plan(self, first_step: int, count: int) -> list[Batch]:
        return [self.batches[i % len(self.batches)] for i in range(first_step, first_step + count)]

    def render(self, plan: list[Batch], index: int, rows: slice = EVERY_ROW) -> Batch:
        return plan[index]


class Still:
    """An optimiser that takes no step and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[float, float]] = []

    def step(self, scale: float, bad: torch.Tensor) -> None:
        self.told.append((scale, float(bad)))

    def state(self) -> dict:
        return {}


@pytest.fixture
def build(stacks) -> Build:
    def make(objective=None, *, drops=None, seed=0, number=0, **changed) -> TorchLearner:
        """Models begin alike, whatever the seed of the draws is."""
        learner = stacks.build(7, structs.replace(stacks.plain, **drops or {}), **changed)
        learner.objective = objective or learner.objective
        learner.seed, learner.number = seed, number
        return learner

    return make


@pytest.fixture
def rows(build) -> Batch:
    """Rows of unequal lengths and weights: nothing, a little, all."""
    objective = build().objective
    batch = objective.render(objective.plan(0, 1), 0)
    batch.weights[:, ::2] *= 0.25
    assert len(batch.weights.unique()) == 3
    return batch


def bits(state: State) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.arrays.items()}


# --- the loss --------------------------------------------------------------------------------


def test_the_loss_is_the_weighted_cross_entropy_by_hand(build, rows):
    learner = build(Given(rows))
    with torch.no_grad():
        logits = learner.model.eval()(rows.inputs).double().numpy()
    exponents = np.exp(logits - logits.max(-1, keepdims=True))
    shares = exponents / exponents.sum(-1, keepdims=True)
    total = weight = 0.0
    for b in range(rows.inputs.shape[0]):
        for t in range(rows.inputs.shape[1]):
            w = float(rows.weights[b, t])
            total -= w * np.log(shares[b, t, int(rows.targets[b, t])])
            weight += w
    found = learner.advance(0, 1)
    assert found["loss"] == pytest.approx([total / weight], rel=1e-5)
    assert found["targets"].tolist() == [int((rows.weights > 0).sum())]
    assert found["finite"].tolist() == [True]


def test_a_batch_of_nothing_costs_nothing(build, rows):
    found = build(Given(replace(rows, weights=rows.weights * 0))).advance(0, 1)
    assert found["loss"].tolist() == [0.0]
    assert found["targets"].tolist() == [0]
    assert found["finite"].tolist() == [True]


# --- buckets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("buckets", [2, 3, 6])
def test_rows_in_buckets_give_the_same_step(build, buckets):
    # In single precision, AdamW makes a step of what rounding leaves of a gradient of nothing.
    whole, parted = (build(dtype=torch.float64, clip=100.0, buckets=b) for b in (1, buckets))
    for step in range(3):
        a, b = whole.advance(step, 1), parted.advance(step, 1)
        assert a["loss"] == pytest.approx(b["loss"])
        assert a["targets"].tolist() == b["targets"].tolist()
        for p, q in zip(whole.model.parameters(), parted.model.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.grad)
            torch.testing.assert_close(p, q)


def test_buckets_read_no_more_than_their_longest_row(build, rows):
    learner, widths = build(Given(rows), buckets=3), []
    features = learner.model.features
    learner.model.features = lambda x: (widths.append(tuple(x.shape)), features(x))[1]
    learner.advance(0, 1)
    ordered = sorted(rows.lengths.tolist())
    assert widths == [(2, ordered[i]) for i in (1, 3, 5)]
    assert ordered[1] < ordered[5]


def test_rows_that_predict_nothing_may_fill_a_bucket(build):
    """Documents of one character have no target in plain reading."""
    documents = [Document("x"), Document("y"), Document("a cat")]
    corpus = index_corpus(documents, Vocabulary.from_text(d.text for d in documents))
    objective = Documents(NextCharacterConfig(), corpus, block_size=48, rows=3, seed=0, stage=0)
    for buckets in (1, 3):
        found = build(objective, buckets=buckets, batch=3).advance(0, 2)
        assert found["targets"].tolist() == [4, 4]
        assert found["finite"].all()


# --- what is random --------------------------------------------------------------------------


@pytest.mark.parametrize("optimiser", [AdamWConfig(rate=0.01), MuonConfig()], ids=lambda c: c.kind)
@pytest.mark.parametrize("buckets", [1, 3])
def test_a_resumed_run_is_the_same_to_the_last_bit(build, optimiser, buckets):
    straight, first, second = (
        build(drops=DROPPING, optimiser=optimiser, buckets=buckets) for _ in range(3)
    )
    whole = straight.advance(0, 6)
    early = first.advance(0, 6, stopped=iter([False, False, True]).__next__)
    kept = first.state()
    first.advance(3, 1)  # what was saved does not change with what it was taken from
    torch.manual_seed(99)
    second.load(kept)
    late = second.advance(3, 3)
    assert bits(second.state()) == bits(straight.state())
    for name, values in whole.items():
        np.testing.assert_array_equal(np.concatenate((early[name], late[name])), values)
    assert bits(kept) != bits(straight.state())


def test_each_step_drops_something_else_and_the_same_thing_again(build, rows):
    def losses(first: int = 0, disturb: int = 0, **address: int) -> list[float]:
        learner = build(Given(rows), drops=DROPPING, **address)
        learner.optimisers = [Still()]
        torch.manual_seed(disturb)
        return learner.advance(first, 4)["loss"].tolist()

    found = losses()
    assert len(set(found)) == 4
    assert losses(disturb=5) == found
    assert losses(first=2)[:2] == found[2:]
    assert not set(losses(seed=1)) & set(found)
    assert not set(losses(number=1)) & set(found)  # another stage


# --- the update ------------------------------------------------------------------------------


def test_the_optimiser_is_told_the_schedules_factor(build):
    schedule = Schedule("cosine", 0.2, 0.1)
    learner, still = build(schedule=schedule, steps=10), Still()
    learner.optimisers = [still]
    learner.advance(0, 4)
    learner.advance(4, 2)
    assert still.told == [(factor(schedule, step, 10), 0.0) for step in range(6)]


@pytest.mark.parametrize("clip", [0.01, 1e6])
def test_gradients_are_cut_to_the_clip(build, clip):
    free, cut = build(clip=1e9), build(clip=clip)
    for learner in (free, cut):
        learner.optimisers = [Still()]
        learner.advance(0, 1)
    gradients = [[p.grad for p in learner.model.parameters()] for learner in (free, cut)]
    whole, found = (torch.cat([g.flatten() for g in grads]) for grads in gradients)
    assert whole.norm() > 0.1
    torch.testing.assert_close(
        found, whole * min(1.0, clip / float(whole.norm())), rtol=1e-3, atol=1e-8
    )


def test_only_the_step_that_is_not_finite_is_left_out(build, rows):
    """A weight of infinity makes one step's loss infinite; the run goes on as if without it."""
    bad = replace(rows, weights=rows.weights.clone())
    bad.weights[0, 3] = float("inf")
    with_bad = build(Given(rows, bad, rows), schedule=Schedule("constant", 0.0))
    without = build(Given(rows), schedule=Schedule("constant", 0.0))
    assert with_bad.advance(0, 3)["finite"].tolist() == [True, False, True]
    without.advance(0, 1)
    without.advance(2, 1)
    assert bits(with_bad.state()) == bits(without.state())
