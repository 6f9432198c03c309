"""Steps that several learners take together, against the same steps of one: in double precision."""

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.answers import Answers
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.spans import Documents, SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig
from wherefrom.training.torch_learner import TorchLearner

DOCUMENTS = [
    Document("Clara Ito left New York in 1950.", Span(0, 9)),
    Document("Bo hails from Oslo.", Span(0, 2)),
    Document("a cat"),
    Document("The Rome of Ann Ek was in Ohio, not there.", Span(12, 18)),
    Document("xy"),
]
QUESTIONS = [Question(f"Where was {n}?", n, "birthplace", "Oslo", "asked") for n in ("Bo", "Ann")]
VOCABULARY = Vocabulary.from_text([*(d.text for d in DOCUMENTS), *(q.text for q in QUESTIONS)])
CONFIG = GPTConfig(
    vocab_size=len(VOCABULARY), block_size=48, n_layer=2, n_head=2, n_embd=16, attention="rope",
    norm="rms", bias=False, embd_pdrop=0.2, resid_pdrop=0.1, attn_pdrop=0.0, ngrams=2,
    ngram_buckets=64, init_std=0.2,
)  # fmt: skip
STEPS = 4
SPANS, ASKED = Share("spans", SpanCorruptionConfig(background=0.2), 0.8), Share("asked", None, 0.2)
STAGE = Stage("s", (SPANS, ASKED), AdamWConfig(rate=0.01), Schedule(), steps=STEPS, batch=7)


class Hub:
    """Processes that are threads. One computes at a time, since dropout's generator is shared."""

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


def objective(order: str) -> Mix:
    corpus = index_corpus(DOCUMENTS, VOCABULARY)

    def build(share: Share, rows: int, number: int) -> Any:
        place = {"block_size": 48, "rows": rows, "seed": 0, "stage": number, "order": order}
        if share.objective is None:
            return Answers(QUESTIONS, VOCABULARY, **place)
        return Documents(share.objective, corpus, **place)

    return Mix(STAGE.mix, STAGE.batch, STEPS, build)


def learner(stage: Stage, processes: Any = None, config: GPTConfig = CONFIG) -> TorchLearner:
    torch.manual_seed(7)
    model = GPT(config).double()
    mix = objective(stage.order)
    return TorchLearner(model, mix, stage, number=0, seed=0, processes=processes)


def together(stage: Stage, size: int, stop_at: tuple[int, int] | None = None) -> list[Any]:
    """Every process's metrics and weights; `stop_at`: this process is asked to stop, before that
    step is done."""
    hub = Hub(size)
    found: list[Any] = [None] * size
    learners = [learner(stage, hub.member(rank)) for rank in range(size)]

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
def test_the_step_of_many_is_the_step_of_one(size: int, changed: dict[str, Any]):
    stage = replace(STAGE, **changed)
    alone = learner(stage)
    metrics, weights = alone.advance(0, STEPS), alone.state().arrays
    for theirs, arrays in together(stage, size):
        np.testing.assert_allclose(theirs["loss"], metrics["loss"], rtol=1e-6)
        assert theirs["targets"].tolist() == metrics["targets"].tolist()
        assert theirs["finite"].all()
        for name, array in weights.items():
            np.testing.assert_allclose(arrays[name], array, rtol=0, atol=1e-7, err_msg=name)


def test_all_processes_have_the_same_bits():
    first, *others = together(replace(STAGE, buckets=3), 3)
    for metrics, arrays in others:
        assert metrics["loss"].tobytes() == first[0]["loss"].tobytes()
        assert all(arrays[name].tobytes() == a.tobytes() for name, a in first[1].items())


def test_a_mean_of_means_would_be_another_loss():
    """The rows of two processes weigh differently, so this test can tell them apart."""
    mix = objective("shuffled")
    plan = mix.plan(0, 1)
    weights = [float(mix.render(plan, 0, slice(r, None, 2)).weights.sum()) for r in range(2)]
    assert abs(weights[0] - weights[1]) > 1


@pytest.mark.parametrize("rank", [0, 1])
def test_all_stop_after_the_same_step_whoever_is_asked(rank: int):
    for metrics, _ in together(STAGE, 2, stop_at=(rank, 1)):
        assert len(metrics["loss"]) == 2


def test_a_process_whose_attention_drops_draws_by_itself():
    """Its masks cannot be drawn for others, so two processes must not have the same ones."""
    hub = Hub(2)
    config = replace(CONFIG, attn_pdrop=0.1)
    seeds = [learner(STAGE, hub.member(r), config)._dropout_seeds(0, 2) for r in range(2)]
    assert seeds[0] == learner(STAGE, config=config)._dropout_seeds(0, 2)
    assert not set(seeds[0]) & set(seeds[1])
    same = [learner(STAGE, hub.member(r))._dropout_seeds(0, 2) for r in range(2)]
    assert same[0] == same[1] == seeds[0]
