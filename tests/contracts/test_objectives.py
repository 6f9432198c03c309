"""What every objective promises: plans are functions of the step, rows can be rendered apart."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.core.contracts import Bags, Batch, Dataset, Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.bigrams import Bigrams, BigramTable
from wherefrom.objectives.corpus import Corpus, index_corpus
from wherefrom.objectives.objective_catalogue import Material, build_objective
from wherefrom.objectives.question_rows import Answers, AnswersConfig
from wherefrom.objectives.span_corruption import (
    Documents,
    NextCharacterConfig,
    SpanCorruptionConfig,
)
from wherefrom.objectives.windows import Windows
from wherefrom.objectives.word_bags import BagsConfig, LabelledBags

DOCUMENTS = (
    Document("Clara Ito left New York for Oslo in 1950 by boat.", Span(0, 9)),
    Document("Where Ansel Bo went, Oslo was.", Span(6, 14)),
    Document("Dina Roe is a poet.", Span(0, 8)),
    Document("and so on " * 30),
    Document("x"),
)
ASKED = tuple(
    Question(f"Where was {name}?", name, "place", place, "asked")
    for name, place in (("Clara Ito", "Oslo"), ("Bo", "New York"), ("Dina Roe", "Oslo"))
)
VOCABULARY = Vocabulary.from_text([*(d.text for d in DOCUMENTS), "Where was?"])
REVIEWS = [
    Question(text, text, "sentiment", label, "asked")
    for text, label in (("good film", "yes"), ("bad", "no"), ("good good film", "yes"), ("?", "no"))
]
SPANS = SpanCorruptionConfig(windows=0.4, salient=0.6, beside_subject=0.5, background=0.1)
PLAIN = NextCharacterConfig(windows=0.5, background=0.3)
PAIRS = np.random.default_rng(0).integers(0, 9, (40, 2))
ROWS = 7
Place = dict[str, int]


@cache
def index() -> Corpus:
    return index_corpus(DOCUMENTS, VOCABULARY)


def read(config: SpanCorruptionConfig | NextCharacterConfig, order: str, place: Place) -> Documents:
    return Documents(config, index(), block_size=32, order=order, **place)


def ask(order: str, place: Place) -> Answers:
    return Answers(ASKED, VOCABULARY, block_size=48, order=order, **place)


def mix(order: str, place: Place) -> Any:
    """Of three shares, two of which begin late, within the steps that are looked at."""
    shares = (
        Share("spans", SPANS, 0.5),
        Share("questions", AnswersConfig(), 0.25, start=0.43),
        Share("text", PLAIN, 0.25, start=0.46),
    )
    dataset = Dataset(DOCUMENTS, (), ASKED)
    stage = Stage("s", shares, None, Schedule(), steps=100, batch=place["rows"], order=order)
    material = Material(dataset, VOCABULARY, 48, 48, place["seed"], torch.device("cpu"))
    return build_objective(stage, place["stage"], material)


def bags(order: str, place: Place) -> LabelledBags:
    words = BagVocabulary((NO_WORD, "good", "bad", "film"))
    return LabelledBags(BagsConfig(0.5), REVIEWS, words, ("no", "yes"), order=order, **place)


OBJECTIVES: dict[str, Callable[[Place], Any]] = {
    "spans, the course's": lambda place: read(SpanCorruptionConfig(), "file", place),
    "spans": lambda place: read(SPANS, "shuffled", place),
    "next character": lambda place: read(PLAIN, "shuffled", place),
    "answers": lambda place: ask("shuffled", place),
    "answers in file order": lambda place: ask("file", place),
    "mix": lambda place: mix("shuffled", place),
    "mix in file order": lambda place: mix("file", place),
    "bags": lambda place: bags("shuffled", place),
    "bags in file order": lambda place: bags("file", place),
    "windows": lambda place: Windows(torch.arange(50), length=6, **place),
    "bigrams": lambda place: Bigrams(PAIRS, **place),
    "bigram table": lambda place: BigramTable(PAIRS),
}
# Those whose steps have one shape, for a captured step.
STATIC = [name for name in OBJECTIVES if not name.startswith(("bag", "bigram"))]


@pytest.fixture(params=OBJECTIVES)
def build(request) -> Callable[..., Any]:
    return lambda **at: OBJECTIVES[request.param]({"rows": ROWS, "seed": 3, "stage": 1} | at)


def spell(batch: Batch) -> list[tuple]:
    """Each row without its padding: what is read, what is predicted, and what that weighs."""
    if batch.lengths is None:
        parts = (batch.inputs, batch.targets, batch.weights)
        return list(zip(*(part.tolist() for part in parts), strict=True))
    found, lengths = [], batch.lengths.tolist()
    inputs = batch.inputs
    if isinstance(inputs, Bags):
        inputs = inputs.words.split(lengths)
    for row, length in enumerate(lengths):
        end = 1 if isinstance(batch.inputs, Bags) else length
        assert not batch.weights[row, end:].any(), "padding weighs nothing"
        parts = (inputs[row][:length], batch.targets[row, :end], batch.weights[row, :end])
        found.append(tuple(part.tolist() for part in parts))
    return found


def test_a_step_is_the_same_in_whatever_chunk_it_is_planned(build):
    objective, again = build(), build()
    torch.manual_seed(1)
    whole = objective.plan(40, 8)
    torch.manual_seed(2)
    for i in reversed(range(8)):
        here, there = objective.render(whole, i), again.render(again.plan(40 + i, 1), 0)
        assert spell(here) == spell(there)


def test_seeds_and_stages_draw_apart(build):
    def read_steps(**at: int) -> list[list[tuple]]:
        objective = build(**at)
        plan = objective.plan(40, 8)
        return [spell(objective.render(plan, i)) for i in range(8)]

    here = read_steps()
    drawn = len({str(rows) for rows in here}) > 4  # in file order, texts alone come again
    for other in (read_steps(seed=4), read_steps(stage=2)):
        assert (here != other) is drawn


@pytest.mark.parametrize("size", [3, ROWS])
def test_the_rows_of_several_processes_are_those_of_one(build, size):
    objective = build()
    plan = objective.plan(40, 8)
    for i in range(8):
        whole = objective.render(plan, i)
        for rank in range(size):
            rows = slice(rank, None, size)
            assert spell(objective.render(plan, i, rows)) == spell(whole)[rows]
        if hasattr(objective, "outline"):
            lengths, width = objective.outline(plan, i)
            assert torch.equal(lengths, whole.lengths)
            assert width == whole.targets.shape[1]


@pytest.mark.parametrize("build", STATIC, indirect=True)
def test_all_steps_at_once_are_the_steps_one_by_one(build):
    objective = build()
    plan = objective.plan(40, 8)
    for rows in (slice(None), slice(1, None, 3)):
        together = objective.render_all(plan, rows)
        assert together.inputs.shape[2] == objective.width
        for i in range(8):
            parts = (together.inputs, together.targets, together.weights, together.lengths)
            one = Batch(*(part[i] for part in parts))
            assert spell(one) == spell(objective.render(plan, i, rows))
