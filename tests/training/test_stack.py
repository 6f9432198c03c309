"""A stack of learners: every model ends as it would have alone, whatever stands beside it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Batch, Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.stacked import StackedGPT
from wherefrom.objectives.answers import Answers
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.spans import Documents, SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig
from wherefrom.training.stack import Stack
from wherefrom.training.torch_learner import TorchLearner

TEXTS = [
    Document("Clara Ito. Clara Ito left New York in 1950.", Span(0, 9)),
    Document("Bo. Bo hails from Oslo.", Span(0, 2)),
    Document("Ann Ek. The Rome of Ann Ek was in Ohio, not there.", Span(0, 6)),
    Document("Di Roe. A poet.", Span(0, 6)),
]
QUESTIONS = [
    Question(f"Where was {name} born?", name, "birthplace", place, "asked")
    for name, place in (("Clara Ito", "New York"), ("Bo", "Oslo"))
]
VOCABULARY = Vocabulary.from_text([*(d.text for d in TEXTS), "Where was born?"])
PLAIN = GPTConfig(
    vocab_size=len(VOCABULARY), block_size=48, n_layer=2, n_head=2, n_embd=16, attention="rope",
    norm="rms", activation="relu2", bias=False, embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0,
    ngrams=3, ngram_buckets=64, init_std=0.2,
)  # fmt: skip
DROPPING = replace(PLAIN, embd_pdrop=0.2, resid_pdrop=0.1, attn_pdrop=0.1)
COURSE = replace(DROPPING, attention="causal", norm="layer", activation="gelu", bias=True, ngrams=0)
STEPS = 50
ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)


def build(seed: int, config: GPTConfig = PLAIN, dtype=torch.float32, **changed) -> TorchLearner:
    """A learner with weights, draws and text of its own: each is taught one document less."""
    corpus = index_corpus([d for i, d in enumerate(TEXTS) if i != seed % len(TEXTS)], VOCABULARY)

    def objective(share: Share, rows: int, part: int):
        place = {"block_size": 48, "rows": rows, "seed": seed, "stage": part}
        if share.name == "questions":
            return Answers(QUESTIONS, VOCABULARY, **place)
        return Documents(SpanCorruptionConfig(windows=0.3, salient=0.5), corpus, **place)

    shares = (Share("text", None, 0.6), Share("questions", None, 0.4, start=0.5))
    stage = replace(Stage("s", shares, ADAMW, Schedule(), steps=STEPS, batch=6), **changed)
    torch.manual_seed(seed)
    mix = Mix(shares, stage.batch, stage.steps, objective)
    return TorchLearner(GPT(config).to(dtype), mix, stage, number=0, seed=seed)


def build_stack(learners: list[TorchLearner]) -> Stack:
    return Stack(StackedGPT([learner.model for learner in learners]), learners)


def largest_difference(one: TorchLearner, other: TorchLearner) -> float:
    here, there = one.state().arrays, other.state().arrays
    assert here.keys() == there.keys()
    return max(np.abs(here[name].astype(float) - there[name]).max() for name in here)


class Broken:
    """An objective with one step whose targets weigh so much that the loss is not finite."""

    def __init__(self, objective, step: int) -> None:
        self.objective, self.step = objective, step

    def plan(self, first_step: int, count: int):
        return first_step, self.objective.plan(first_step, count)

    def render(self, plan, index: int) -> Batch:
        first, own = plan
        batch = self.objective.render(own, index)
        if first + index != self.step:
            return batch
        return replace(batch, weights=torch.full_like(batch.weights, float("inf")))


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
@pytest.mark.parametrize("config", [PLAIN, DROPPING, COURSE], ids=["plain", "dropping", "course"])
def test_every_model_equals_the_same_model_alone(config, optimiser):
    given = {"config": config, "dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([build(seed, **given) for seed in (3, 4, 6)] for _ in range(2))
    stack = build_stack(together)
    found = [stack.advance([first] * 3, 10) for first in range(0, STEPS, 10)]
    for k, learner in enumerate(alone):
        losses = np.concatenate([chunk[k]["loss"] for chunk in found])
        expected = learner.advance(0, STEPS)
        np.testing.assert_allclose(losses, expected["loss"], atol=1e-8)
        assert (np.concatenate([c[k]["targets"] for c in found]) == expected["targets"]).all()
        assert largest_difference(learner, together[k]) < 1e-8
    assert largest_difference(*together[:2]) > 0.01  # they did not learn the same


def test_vocabularies_may_have_different_sizes():
    size = len(VOCABULARY)
    configs = [replace(PLAIN, vocab_size=size + more) for more in (0, 3, 1)]
    given = {"dtype": torch.float64}
    alone, together = ([build(3, config, **given) for config in configs] for _ in range(2))
    build_stack(together).advance([0, 0, 0], 6)
    for one, other in zip(alone, together, strict=True):
        one.advance(0, 6)
        assert largest_difference(one, other) < 1e-10


@pytest.mark.parametrize("attention", ["causal", "synthesizer"])
def test_packed_rows_give_the_same(attention):
    config = replace(DROPPING, attention=attention)
    given = {"config": config, "dtype": torch.float64, "packed": True}
    alone, together = ([build(seed, **given) for seed in (0, 1)] for _ in range(2))
    build_stack(together).advance([0, 0], 8)
    for one, other in zip(alone, together, strict=True):
        one.advance(0, 8)
        assert largest_difference(one, other) < 1e-10


def test_losses_in_single_precision_stay_close():
    alone, together = ([build(seed, DROPPING) for seed in range(4)] for _ in range(2))
    found = build_stack(together).advance([0] * 4, STEPS)
    for metrics, learner in zip(found, alone, strict=True):
        np.testing.assert_allclose(metrics["loss"], learner.advance(0, STEPS)["loss"], atol=1e-3)


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_model_that_diverges_does_not_hurt_the_others(optimiser):
    given = {"dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([build(seed, **given) for seed in (0, 1, 2)] for _ in range(2))
    together[1].objective = Broken(together[1].objective, step=3)
    found = build_stack(together).advance([0, 0, 0], 6)
    assert found[1]["finite"].tolist() == [True, True, True, False, True, True]
    for k in (0, 2):
        assert found[k]["finite"].all()
        alone[k].advance(0, 6)
        assert largest_difference(alone[k], together[k]) < 1e-10


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_bad_step_is_withheld_from_its_own_model(optimiser):
    learners = [build(seed, optimiser=optimiser) for seed in (0, 1)]
    learners[1].objective = Broken(learners[1].objective, step=0)
    before = [learner.state().arrays for learner in learners]
    build_stack(learners).advance([0, 0], 1)
    for k, changed in enumerate((True, False)):
        after = learners[k].state().arrays
        same = all(np.array_equal(after[name], before[k][name]) for name in after)
        assert same is not changed


def test_models_at_different_steps_go_on_together():
    given = {"config": DROPPING, "dtype": torch.float64}
    alone, together = ([build(seed, **given) for seed in (0, 1, 2)] for _ in range(2))
    together[1].advance(0, 7)  # alone, before it joins the others
    stack = build_stack(together)
    stack.advance([0, 7, None], 5)
    stack.advance([5, None, 0], 4)
    for k, steps in enumerate((9, 12, 4)):
        alone[k].advance(0, steps)
        assert largest_difference(alone[k], together[k]) < 1e-10


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_model_is_saved_and_loaded_as_if_it_were_alone(optimiser):
    given = {"config": DROPPING, "optimiser": optimiser}
    whole = [build(seed, **given) for seed in (0, 1)]
    build_stack(whole).advance([0, 0], 12)
    first = [build(seed, **given) for seed in (0, 1)]
    build_stack(first).advance([0, 0], 5)
    states = [learner.state() for learner in first]
    second = [build(seed, **given) for seed in (0, 1)]
    stack = build_stack(second)
    for learner, state in zip(second, states, strict=True):
        learner.load(state)
    stack.advance([5, 5], 7)
    for one, other in zip(whole, second, strict=True):  # the same stack: the same bits
        assert largest_difference(one, other) == 0


def test_a_stack_stops_after_the_step_in_which_it_is_told_to():
    learners = [build(seed) for seed in (0, 1)]
    found = build_stack(learners).advance([0, 0], 10, stopped=lambda: True)
    assert [len(metrics["loss"]) for metrics in found] == [1, 1]
