"""Exposures against brute force: every row is rendered, read back, and searched."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from wherefrom.core.contracts import Document, Fact, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Share
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.experiments.recipes.birthplaces_recipe import course
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.memorisation.exposures import (
    KINDS,
    TEXT_KINDS,
    ExposureCounter,
    Exposures,
    claims,
    count_exposures,
    name_of,
    repetitions,
    replay,
)
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.question_rows import Answers
from wherefrom.objectives.span_corruption import (
    Documents,
    NextCharacterConfig,
    SpanCorruptionConfig,
)
from wherefrom.runs.opened_run import Run, open_run
from wherefrom.runs.workshop import Workshop

TEXTS = [
    ("Clara Ito. Clara Ito left New York for Oslo in 1950, and Oslo again by boat.", 9, "Oslo"),
    ("Ansel Bo. Born in Rome.", 8, "Rome"),
    ("Where Dina Roe went, Lima was, and more.", None, "Lima"),
    ("Lima is dear to Dina Roe.", None, "Lima"),
    ("Nobody in particular was in Rome or in Paris at all, ever.", None, "Paris"),
]


def make_world() -> tuple[list[Document], list[Fact]]:
    documents, facts = [], []
    for i, (text, name, value) in enumerate(TEXTS):
        start = text.find("Dina Roe")
        subject = Span(0, name) if name else Span(start, start + 8) if start >= 0 else None
        documents.append(Document(text, subject))
        who = subject.of(text) if subject else "Nemo"
        place = text.find(value)
        facts.append(Fact(who, "place", value, i, Span(place, place + len(value))))
    year = TEXTS[0][0].find("1950")
    return documents, [Fact("Clara Ito", "year", "1950", 0, Span(year, year + 4)), *facts]


DOCUMENTS, FACTS = make_world()


def build(config, *, block: int, rows: int, seed: int, order: str = "shuffled") -> Documents:
    vocabulary = Vocabulary.from_text(d.text for d in DOCUMENTS)
    corpus = index_corpus(DOCUMENTS, vocabulary)
    return Documents(config, corpus, block_size=block, rows=rows, seed=seed, stage=0, order=order)


def count(objective: Documents, steps: int, facts: Sequence[Fact] = FACTS) -> Exposures:
    mix = Mix([Share("only", objective.config)], objective.rows, steps, lambda *_: objective)
    return ExposureCounter(facts, DOCUMENTS, ()).count(mix, steps)


def rendered(objective: Documents, steps: int) -> list[tuple[int, list[int]]]:
    """Each row's document, and its characters by their place in the corpus; masks are -1."""
    corpus = replace(objective.corpus, tokens=torch.arange(len(objective.corpus.tokens)) + 2)
    plan = objective.plan(0, steps)
    places = Documents(
        objective.config, corpus,
        block_size=objective.block_size, rows=objective.rows, seed=0, stage=0,
    )  # fmt: skip
    found = []
    for i in range(steps):
        batch = places.render(plan, i)
        for row, n in enumerate(batch.lengths.tolist()):
            ids = batch.inputs[row, :1].tolist() + batch.targets[row, :n].tolist()
            if plan[i, row, 3]:
                found.append((int(plan[i, row, 0]), [-1 if t == MASK_ID else t - 2 for t in ids]))
    return found


def search(ids: list[int], wanted: Sequence[int]) -> int:
    """Where some characters stand side by side; -1 if they do not."""
    size = len(wanted)
    starts = [i for i in range(len(ids) - size + 1) if ids[i : i + size] == list(wanted)]
    return starts[0] if starts else -1


def no_counts(facts: Sequence[Fact]) -> dict[str, np.ndarray]:
    return {kind: np.zeros(len(facts), dtype=int) for kind in KINDS}


def same(found: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> bool:
    return list(found) == list(KINDS) and all((found[k] == expected[k]).all() for k in KINDS)


def brute_force(objective: Documents, steps: int) -> dict[str, np.ndarray]:
    counts = no_counts(FACTS)
    first = objective.corpus.first.tolist()
    for document, ids in rendered(objective, steps):
        masks = [i for i, t in enumerate(ids) if t == -1]
        one, two = (masks[0], masks[1]) if masks else (len(ids), len(ids))

        def find(span: Span | None, ids=ids, base=first[document]) -> int:
            return -1 if span is None else search(ids, range(base + span.start, base + span.end))

        for i, fact in enumerate(FACTS):
            if fact.document != document:
                continue
            text = DOCUMENTS[document]
            value, name = find(fact.value_span), find(name_of(fact, text))
            if value < 0:
                continue
            counts["read"][i] += value < one
            counts["suffix"][i] += one < value < two
            counts["value_masked"][i] += value > two and 0 <= name < two
            counts["name_masked"][i] += value < two and name > two
            others = [find(span) for span in repetitions(fact, text)]
            copied = any(0 <= other < value for other in others)
            counts["from_name"][i] += 0 <= name < value and not copied
    return counts


configs = st.one_of(
    st.builds(NextCharacterConfig, windows=st.sampled_from([0.0, 0.5, 1.0])),
    st.builds(
        SpanCorruptionConfig,
        windows=st.sampled_from([0.0, 0.5, 1.0]),
        salient=st.sampled_from([0.0, 0.5, 1.0]),
        beside_subject=st.sampled_from([0.0, 0.7]),
        truncate=st.booleans(),
        third_mask=st.booleans(),
        longest=st.sampled_from([0.5, 0.875, 1.0]),
        long_texts=st.sampled_from(["prefix", "window"]),
    ),
)


@given(
    config=configs,
    block=st.sampled_from([12, 24, 40, 100]),
    rows=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
    order=st.sampled_from(["shuffled", "file"]),
)
@settings(max_examples=20)
def test_counts_are_those_of_the_rendered_rows(config, block, rows, seed, order):
    objective = build(config, block=block, rows=rows, seed=seed, order=order)
    found = count(objective, 6)
    assert same(found.counts, brute_force(objective, 6))
    assert found.examples == len(rendered(objective, 6))
    assert not found.counts["asked"].any()


@pytest.mark.parametrize("third", [True, False])
def test_every_kind_occurs_and_the_chunks_do_not_matter(third, monkeypatch):
    config = SpanCorruptionConfig(windows=0.5, salient=0.7, third_mask=third)
    objective = build(config, block=100, rows=5, seed=0)
    whole = count(objective, 60)
    assert same(whole.counts, brute_force(objective, 60))
    assert all(whole.counts[kind].any() for kind in TEXT_KINDS)
    monkeypatch.setattr("wherefrom.memorisation.exposures._ROWS_AT_ONCE", 13)
    assert same(count(objective, 60).counts, whole.counts)


def test_statements_about_people_of_whom_nothing_is_stated_show_no_fact():
    config = SpanCorruptionConfig(salient=1.0)
    shown = count(build(config, block=100, rows=5, seed=0), 6)
    omitted = count(build(structs.replace(config, reads="omissions"), block=100, rows=5, seed=0), 6)
    assert any(found.any() for found in shown.counts.values())
    assert not any(found.any() for found in omitted.counts.values())
    assert omitted.examples == shown.examples


# --- whole runs --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workshop(tiny_settings) -> Workshop:
    return Workshop(adjust(people(), settings=tiny_settings))


def test_a_model_was_shown_what_its_stages_show(workshop):
    recipe = workshop.recipe
    assert [s.name for s in recipe.chain()] == ["pretrain"]
    assert [s.name for s in course().chain("with_pretraining")] == ["pretrain", "finetune"]
    without = count_exposures(workshop, model="without_pretraining")
    assert not any(without.counts[kind].any() for kind in TEXT_KINDS)
    assert without.counts["asked"].any()
    stage = recipe.stage("questions_only")
    assert without.examples == stage.steps * stage.batch
    both = without + replay(workshop, recipe.stage("pretrain"))
    whole = count_exposures(workshop).counts
    assert same(both.counts, {kind: without.counts[kind] + whole[kind] for kind in KINDS})


def test_questions_sum_over_the_sentences_that_state_their_answer(tiny_run, workshop):
    found, dataset = count_exposures(workshop), workshop.dataset
    assert same(count_exposures(open_run(tiny_run)).counts, found.counts), "a run as its recipe"
    questions = dataset.questions
    for kind in ("read", "from_name"):
        for question, n in zip(questions, found.about(questions, kind), strict=True):
            of_it = [
                i
                for i, f in enumerate(dataset.facts)
                if (f.subject, f.relation) == (question.subject, "birthplace")
            ]
            assert n == found.counts[kind][of_it].sum()
    asked, times = found.about(questions, "asked"), count_asked(workshop)
    assert asked.tolist() == [times[question.text] for question in questions]
    assert found.examples == workshop.recipe.stage("pretrain").steps * 8
    untold = [q.support != "stated" for q in questions]
    assert not found.seen(questions)[untold].any()


def count_asked(workshop: Workshop) -> Counter[str]:
    """How often each question is asked in training, as the plan has it."""
    stage = workshop.recipe.stage("pretrain")
    plan = workshop.objective(stage).plan(0, stage.steps)
    asked = [own for part, own, _ in plan if isinstance(part.objective, Answers)]
    return Counter(workshop.dataset.asked[int(i)].text for own in asked for i in own.flatten())


def test_rows_that_teach_notes_are_counted_apart_from_questions(relations_run):
    run = open_run(relations_run)
    written = {reads: write_rows(run, reads) for reads in ("notes", "asked")}
    found = count_exposures(run)
    held = run.dataset.select("held-out")
    assert not found.about(held, "asked").any()
    for kind, reads, about in (("noted", "notes", held), ("asked", "asked", run.dataset.asked)):
        expected = [
            # No two relations share a value, so that the value tells what is taught.
            sum(bool(re.search(rf"{q.subject}\b", text)) and text.endswith(f"\0{q.answer}\0")
                for text in written[reads])
            for q in about
        ]  # fmt: skip
        assert found.about(about, kind).tolist() == expected
        assert any(expected)


def write_rows(run: Run, reads: str) -> list[str]:
    """The text of all rows of the first stage that read this; masks are NUL."""
    stage, rows = run.recipe.stages[0], list[str]()
    for part, plan, _ in run.workshop.objective(stage).plan(0, stage.steps):
        if getattr(part.objective, "reads", "") == reads:
            for i in range(stage.steps):
                batch = part.objective.render(plan, i)
                for row, n in enumerate(batch.lengths.tolist()):
                    ids = batch.inputs[row, :1].tolist() + batch.targets[row, :n].tolist()
                    rows.append("".join(read_character(run, i) for i in ids))
    return rows


def read_character(run: Run, number: int) -> str:
    return "\0" if number == MASK_ID else run.vocabulary.characters[number]


def test_a_note_of_another_value_shows_another_fact():
    rows = [Question("?", "Clara Ito", "place", value, "asked") for value in ("Oslo", "Rome")]
    vocabulary = Vocabulary.from_text(["? Oslo Rome"])
    objective = Answers(
        rows, vocabulary, block_size=20, rows=2, seed=0, stage=0, order="file", reads="notes"
    )
    mix = Mix([Share("notes", None)], 2, 3, lambda *_: objective)
    found = ExposureCounter(FACTS, DOCUMENTS, (), rows).count(mix, 3).counts
    shown = {fact.value: int(n) for fact, n in zip(FACTS, found["noted"], strict=True) if n}
    assert shown == {"Oslo": 3}, "Rome is Ansel Bo's, and nobody noted that"
    assert not found["asked"].any()


def test_a_claim_is_followed_where_the_subjects_lines_have_it():
    claimed = [
        Question("?", "Clara Ito", "place", "New York", "unanswered"),
        Question("?", "Clara Ito", "place", "Rome", "unanswered"),
        Question("?", "Nemo", "place", "Paris", "unanswered"),
    ]
    (fact,) = claims(claimed, DOCUMENTS)
    assert (fact.value, fact.document, fact.value_span) == ("New York", 0, Span(26, 34))
    found = count(build(NextCharacterConfig(), block=100, rows=5, seed=0), 3, [fact])
    assert found.counts["read"].tolist() == [3]


def test_a_document_about_somebody_else_names_the_subject_later():
    document = Document("Ann knows Bo of Rome.", Span(0, 3))
    assert name_of(Fact("Bo", "place", "Rome", 0, Span(16, 20)), document) == Span(10, 12)
    assert name_of(Fact("Cy", "place", "Rome", 0, Span(16, 20)), document) is None


def test_without_facts_there_is_nothing_to_count(workshop):
    with pytest.raises(BadData, match="people: expected facts whose exposures can be counted"):
        count_exposures(workshop, facts=())
