"""Steps of the torch learner: the loss by hand, resumed runs bit by bit, and what is skipped."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import EVERY_ROW, Batch, Document, Learner, Span, State
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.spans import Documents, NextCharacterConfig, SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig
from wherefrom.training.schedules import factor
from wherefrom.training.torch_learner import TorchLearner

DOCUMENTS = [
    Document("Clara Ito left New York in 1950.", Span(0, 9)),
    Document("Bo hails from Oslo.", Span(0, 2)),
    Document("a cat"),
    Document("The Rome of Ann Ek was in Ohio, not there.", Span(12, 18)),
    Document("xy"),
]
VOCABULARY = Vocabulary.from_text(d.text for d in DOCUMENTS)
SPANS = SpanCorruptionConfig(windows=0.3, salient=0.6, background=0.2)
CONFIG = GPTConfig(
    vocab_size=len(VOCABULARY), block_size=48, n_layer=2, n_head=2, n_embd=16, attention="rope",
    norm="rms", bias=False, embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0, ngrams=2,
    ngram_buckets=64, init_std=0.2,
)  # fmt: skip
DROPPING = replace(CONFIG, embd_pdrop=0.2, resid_pdrop=0.2, attn_pdrop=0.2)
STAGE = Stage("s", (Share("x", None),), AdamWConfig(rate=0.01), Schedule(), steps=10, batch=8)


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


def documents(config=SPANS, rows: int = 8) -> Documents:
    corpus = index_corpus(DOCUMENTS, VOCABULARY)
    return Documents(config, corpus, block_size=48, rows=rows, seed=0, stage=0)


def build(
    config: GPTConfig = CONFIG,
    objective=None,
    *,
    seed: int = 0,
    number: int = 0,
    dtype=torch.float32,
    **changed,
) -> TorchLearner:
    torch.manual_seed(7)
    stage, model = replace(STAGE, **changed), GPT(config).to(dtype)
    return TorchLearner(model, objective or documents(), stage, number=number, seed=seed)


def rows_of_a_step(step: int = 0) -> Batch:
    objective = documents()
    return objective.render(objective.plan(step, 1), 0)


def bits(state: State) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in state.arrays.items()}


# --- the loss --------------------------------------------------------------------------------


def test_the_loss_is_the_weighted_cross_entropy_by_hand():
    learner, batch = build(), rows_of_a_step()
    with torch.no_grad():
        logits = learner.model.eval()(batch.inputs).double().numpy()
    exponents = np.exp(logits - logits.max(-1, keepdims=True))
    shares = exponents / exponents.sum(-1, keepdims=True)
    total = weight = 0.0
    for b in range(batch.inputs.shape[0]):
        for t in range(batch.inputs.shape[1]):
            w = float(batch.weights[b, t])
            total -= w * np.log(shares[b, t, int(batch.targets[b, t])])
            weight += w
    assert len(batch.weights.unique()) == 3  # nothing, background, all
    found = learner.advance(0, 1)
    assert found["loss"] == pytest.approx([total / weight], rel=1e-5)
    assert found["targets"].tolist() == [int((batch.weights > 0).sum())]
    assert found["finite"].tolist() == [True]


def test_a_batch_of_nothing_costs_nothing():
    batch = rows_of_a_step()
    empty = Batch(batch.inputs, batch.targets, batch.weights * 0, batch.lengths)
    found = build(objective=Given(empty)).advance(0, 1)
    assert found["loss"].tolist() == [0.0]
    assert found["targets"].tolist() == [0]
    assert found["finite"].tolist() == [True]


# --- buckets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("buckets", [2, 3, 8])
def test_rows_in_buckets_give_the_same_step(buckets):
    # In single precision, AdamW makes a step of what rounding leaves of a gradient of nothing.
    whole, parted = (build(dtype=torch.float64, clip=100.0, buckets=b) for b in (1, buckets))
    for step in range(3):
        a, b = whole.advance(step, 1), parted.advance(step, 1)
        assert a["loss"] == pytest.approx(b["loss"])
        assert a["targets"].tolist() == b["targets"].tolist()
        for p, q in zip(whole.model.parameters(), parted.model.parameters(), strict=True):
            torch.testing.assert_close(p.grad, q.grad)
            torch.testing.assert_close(p, q)


def test_buckets_read_no_more_than_their_longest_row():
    learner, widths = build(buckets=4), []
    features = learner.model.features
    learner.model.features = lambda x: (widths.append(tuple(x.shape)), features(x))[1]
    batch = rows_of_a_step()
    learner.advance(0, 1)
    ordered = sorted(batch.lengths.tolist())
    assert widths == [(2, ordered[i]) for i in (1, 3, 5, 7)]
    assert ordered[1] < ordered[7]


def test_rows_that_predict_nothing_may_fill_a_bucket():
    """Documents of one character have no target in plain reading."""
    documents = [Document("x"), Document("y"), Document("a cat")]
    corpus = index_corpus(documents, VOCABULARY)
    objective = Documents(NextCharacterConfig(), corpus, block_size=48, rows=3, seed=0, stage=0)
    for buckets in (1, 3):
        found = build(objective=objective, buckets=buckets, batch=3).advance(0, 2)
        assert found["targets"].tolist() == [4, 4]
        assert found["finite"].all()


# --- what is random --------------------------------------------------------------------------


@pytest.mark.parametrize("optimiser", [AdamWConfig(rate=0.01), MuonConfig()], ids=lambda c: c.kind)
@pytest.mark.parametrize("buckets", [1, 3])
def test_a_resumed_run_is_the_same_to_the_last_bit(optimiser, buckets):
    settings = {"optimiser": optimiser, "buckets": buckets}
    straight: Learner = build(DROPPING, **settings)
    whole = straight.advance(0, 6)
    first = build(DROPPING, **settings)
    early = first.advance(0, 6, stopped=iter([False, False, True]).__next__)
    kept = first.state()
    torch.manual_seed(99)
    torch.rand(17)
    second = TorchLearner(GPT(DROPPING), documents(), first.stage, number=0, seed=0)
    second.load(kept)
    late = second.advance(3, 3)
    assert bits(second.state()) == bits(straight.state())
    for name, values in whole.items():
        np.testing.assert_array_equal(np.concatenate((early[name], late[name])), values)
    assert bits(kept) != bits(straight.state())


def test_each_step_drops_something_else_and_the_same_thing_again():
    batch = rows_of_a_step()

    def losses(first: int = 0, disturb: int = 0, **address: int) -> list[float]:
        learner = build(DROPPING, Given(batch), **address)
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


def test_the_optimiser_is_told_the_schedules_factor():
    schedule = Schedule("cosine", 0.2, 0.1)
    learner, still = build(schedule=schedule), Still()
    learner.optimisers = [still]
    learner.advance(0, 4)
    learner.advance(4, 2)
    assert still.told == [(factor(schedule, step, 10), 0.0) for step in range(6)]


@pytest.mark.parametrize("clip", [0.01, 1e6])
def test_gradients_are_cut_to_the_clip(clip):
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


def test_only_the_step_that_is_not_finite_is_left_out():
    """A weight of infinity makes one step's loss infinite; the run goes on as if without it."""
    batch = rows_of_a_step()
    bad = Batch(batch.inputs, batch.targets, batch.weights.clone(), batch.lengths)
    bad.weights[0, 3] = float("inf")
    with_bad = build(objective=Given(batch, bad, batch), schedule=Schedule("constant", 0.0))
    without = build(objective=Given(batch), schedule=Schedule("constant", 0.0))
    assert with_bad.advance(0, 3)["finite"].tolist() == [True, False, True]
    without.advance(0, 1)
    without.advance(2, 1)
    assert bits(with_bad.state()) == bits(without.state())


# --- loading ---------------------------------------------------------------------------------
