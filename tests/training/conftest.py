"""Learners of small models with texts of their own, alone and in a stack."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from wherefrom.core.contracts import Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.stacked import stack_models
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.question_rows import Answers
from wherefrom.objectives.span_corruption import Documents, SpanCorruptionConfig
from wherefrom.training.captured import CapturedSteps, Updates
from wherefrom.training.optimisers import AdamWConfig
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
STEPS = 16
ADAMW = AdamWConfig(rate=0.01)


def build(
    seed: int,
    config: GPTConfig = PLAIN,
    dtype=torch.float32,
    ranks=None,
    device: str = "cpu",
    **changed,
) -> TorchLearner:
    """A learner with weights, draws and text of its own: each is taught one document less."""
    here = torch.device(device)
    documents = [d for i, d in enumerate(TEXTS) if i != seed % len(TEXTS)]
    corpus = index_corpus(documents, VOCABULARY, here)

    def objective(share: Share, rows: int, part: int):
        place = {"block_size": 48, "rows": rows, "seed": seed, "stage": part}
        place["order"] = stage.order
        if share.name == "questions":
            return Answers(QUESTIONS, VOCABULARY, device=here, **place)
        return Documents(SpanCorruptionConfig(windows=0.3, salient=0.5), corpus, **place)

    shares = (Share("text", None, 0.6), Share("questions", None, 0.4, start=0.5))
    stage = replace(Stage("s", shares, ADAMW, Schedule(), steps=STEPS, batch=6), **changed)
    torch.manual_seed(seed)
    mix = Mix(shares, stage.batch, stage.steps, objective)
    model = GPT(config).to(here, dtype)
    return TorchLearner(model, mix, stage, number=0, seed=seed, ranks=ranks)


def capture(learner: TorchLearner) -> TorchLearner:
    """The learner with steps as a GPU captures them."""
    stage = learner.stage
    given = {"clip": stage.clip, "arithmetic": stage.arithmetic, "steps": stage.steps}
    updates = Updates(learner.model, learner.optimisers)
    learner.captured = CapturedSteps(learner.model, [learner.objective], updates, **given)
    return learner


def build_stack(learners: list[TorchLearner]) -> Stack:
    return Stack(stack_models([learner.model for learner in learners]), learners)


def largest_difference(one: TorchLearner, other: TorchLearner) -> float:
    here, there = one.state().arrays, other.state().arrays
    assert here.keys() == there.keys()
    return max(np.abs(here[name].astype(float) - there[name]).max() for name in here)


@pytest.fixture(scope="session")
def stacks() -> SimpleNamespace:
    """What builds learners and stacks of them, and compares them."""
    return SimpleNamespace(
        plain=PLAIN,
        steps=STEPS,
        build=build,
        capture=capture,
        build_stack=build_stack,
        largest_difference=largest_difference,
    )
