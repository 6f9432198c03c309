"""How large a text is, and which settings it gets."""

from dataclasses import replace

import pytest

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.experiments.plans.sizing import (
    TextSize,
    choose_settings,
    count_exposures,
    enough_steps,
)

SIZE = TextSize(
    documents=1000, characters=100_000, subjects=1000, relations=3, statements=3000,
    longest_name=20, longest_question=80,
)  # fmt: skip


def test_statements_are_estimated_from_what_asked_questions_find():
    documents = tuple(Document(f"{name} of Oslo, 1901.") for name in ("Ada", "Bo", "Cy", "Di"))
    passages = tuple(Passage(i, d.text.split()[0], 0, 9) for i, d in enumerate(documents))
    facts = (
        Fact("Ada", "born", "Oslo", 0, Span(7, 11)),
        Fact("Ada", "year", "1901", 0, Span(13, 17)),
        Fact("Bo", "born", "Oslo", 1, Span(6, 10)),
        Fact("Di", "born", "Oslo", 3, Span(6, 10)),  # held out: not looked at
    )
    questions = (
        Question("Where was Ada born?", "Ada", "born", "Oslo", "asked"),
        Question("When was Ada born?", "Ada", "year", "1901", "asked"),
        Question("Where was Bo born?", "Bo", "born", "Oslo", "asked"),
        Question("Where was Di born?", "Di", "born", "Oslo", "held-out"),
    )
    size = TextSize.of(Dataset(documents, facts, questions, passages=passages))
    assert (size.documents, size.subjects, size.relations) == (4, 4, 2)
    assert size.statements == 6  # three of two asked subjects; there are four subjects
    assert size.longest_question == len("Where was Ada born?") + 32 + 2


def test_a_cpu_gets_a_small_model_and_a_gpu_a_larger_one_for_a_larger_text():
    cpu, gpu = choose_settings(SIZE, "cpu"), choose_settings(SIZE, "cuda", notes=False)
    assert cpu.model.n_layer < gpu.model.n_layer
    assert choose_settings(SIZE, "cuda").model == cpu.model  # which suffices for notes
    many = choose_settings(replace(SIZE, statements=50_000), "cuda")
    most = choose_settings(replace(SIZE, statements=500_000), "cuda")
    assert gpu.model.n_embd < many.model.n_embd < most.model.n_embd


def test_long_questions_get_room_and_long_names_longer_rows():
    usual = choose_settings(SIZE, "cuda").model.block_size
    longer = choose_settings(replace(SIZE, longest_question=usual + 1), "cuda").model.block_size
    assert longer == usual + 32

    def row(size: TextSize) -> float:
        recipe = choose_settings(size, "cpu")
        return recipe.stages[0].mix[0].objective.longest * recipe.model.block_size

    assert row(replace(SIZE, longest_name=90)) == pytest.approx(90 + 40)
    assert row(SIZE) < row(replace(SIZE, longest_name=90))
    block = choose_settings(SIZE, "cpu").model.block_size
    assert row(replace(SIZE, longest_name=900)) == pytest.approx(block - 8)


def test_exposures_are_rows_of_text_a_statement():
    recipe = choose_settings(SIZE, "cpu")
    share, batch = 0.9, recipe.stages[0].batch  # the text, and what was noted of it
    assert count_exposures(recipe, 1000, 3000) == pytest.approx(1000 * batch * share / 3000)
    steps = enough_steps(recipe, 3000, "cpu")
    assert count_exposures(recipe, steps, 3000) == pytest.approx(100, rel=0.01)
    assert enough_steps(recipe, 1, "cpu") == 500  # the questions must be learnt, too


@pytest.mark.parametrize("statements", [1000, 30_000, 300_000])
def test_on_a_gpu_weight_decay_lets_a_statement_stay_for_twenty_exposures(statements: int):
    read = choose_settings(replace(SIZE, statements=statements), "cuda").stages[0]
    rows = 0.85 * 128  # of text in a step
    steps = 1 / (read.optimiser.rate * read.optimiser.decay)  # in which decay takes most of it
    assert steps * rows / statements >= 19
    assert read.optimiser.decay <= 0.1
    if statements > 3000:
        assert steps * rows / statements <= 21
