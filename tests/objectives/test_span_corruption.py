"""Rows made from documents, read back as text and held against every clause of the spec."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wherefrom.core.contracts import Document, Objective, Span
from wherefrom.core.errors import UsageError
from wherefrom.core.vocabulary import MASK, Vocabulary
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.span_corruption import (
    Documents,
    NextCharacterConfig,
    SpanCorruptionConfig,
)

COURSE = SpanCorruptionConfig()
PLAIN = NextCharacterConfig()
LONG = "".join(chr(ord("a") + i % 26) for i in range(300))
CLARA = Document("Clara Ito left New York for Oslo in 1950 by boat.", Span(0, 9))
ANSEL = Document("Where Ansel Bo went, Oslo was.", Span(6, 14))  # begins with something else
BARE = Document("Dina Roe is a poet.", Span(0, 8))  # names nothing but the subject


@dataclass(frozen=True)
class Row:
    """A row as text, and the numbers beside it."""

    document: int
    text: str
    inputs: int
    weights: tuple[float, ...]


def build(config, documents: list[Document], *, block: int = 32, rows: int = 4, seed: int = 0):
    vocabulary = Vocabulary.from_text(d.text for d in documents)
    corpus = index_corpus(documents, vocabulary)
    objective = Documents(config, corpus, block_size=block, rows=rows, seed=seed, stage=0)
    return objective, vocabulary


def texts(*found: str) -> list[Document]:
    return [Document(text) for text in found]


def read(objective: Objective, vocabulary: Vocabulary, first: int = 0, steps: int = 1) -> list[Row]:
    """Rows of some steps, after checking what holds for every batch."""
    plan, rows = objective.plan(first, steps), []
    for i in range(steps):
        batch = objective.render(plan, i)
        assert batch.inputs.shape == batch.targets.shape == batch.weights.shape
        assert batch.inputs.shape[0] == objective.rows
        table = zip(
            plan[i, :, 0].tolist(), batch.lengths.tolist(),
            batch.inputs.tolist(), batch.targets.tolist(), batch.weights.tolist(), strict=True,
        )  # fmt: skip
        for document, size, inputs, targets, weights in table:
            assert inputs[1 : size + 1] == targets[: len(inputs[1 : size + 1])]
            assert not any(inputs[size + 1 :])
            assert not any(targets[size:])
            assert not any(weights[size:])
            text = vocabulary.decode(inputs[:1] + targets[:size])
            rows.append(Row(document, text, size, tuple(weights[:size])))
    return rows


def open_up(text: str, masks: int = 3) -> tuple[str, str, str]:
    """prefix, suffix and span of `prefix MASK suffix MASK span [MASK]`."""
    parts = text.split(MASK)
    assert len(parts) == masks + 1, text
    if masks == 3:
        assert parts[3] == "", text
    return parts[0], parts[1], parts[2]


def spans(objective, vocabulary, steps: int) -> list[tuple[int, str, int, str]]:
    """For many rows: the document, its truncated text, where the span began and what it was."""
    found = []
    for row in read(objective, vocabulary, 0, steps):
        prefix, suffix, span = open_up(row.text)
        found.append((row.document, prefix + span + suffix, len(prefix), span))
    return found


def even(counts: Iterable[int]) -> bool:
    """Whether chance alone would spread them so, but for one seed in a thousand or fewer.

    The sum is distributed as chi squared, whose mean is n - 1 and whose variance is 2 (n - 1).
    """
    found = np.array(list(counts))
    expected, free = found.mean(), len(found) - 1
    return ((found - expected) ** 2 / expected).sum() < free + 5 * np.sqrt(2 * free)


# --- the course's form -----------------------------------------------------------------------

plain_texts = st.lists(st.text("abcdefgh .", min_size=1, max_size=60), min_size=1, max_size=5)


@given(
    corpus=plain_texts,
    block=st.integers(4, 40),
    step=st.integers(0, 10**6),
    seed=st.integers(0, 2**32 - 1),
    third=st.booleans(),
    share=st.sampled_from([0.875, 0.75, 1.0]),
)
@example(corpus=["a"], block=4, step=0, seed=0, third=True, share=0.875)
@example(corpus=["ab", "abc"], block=3, step=0, seed=0, third=True, share=1.0)
@settings(max_examples=40, deadline=None)
def test_a_row_is_a_truncated_document_with_a_span_moved_behind_it(
    corpus, block, step, seed, third, share
):
    config = replace(COURSE, third_mask=third, longest=share)
    objective, vocabulary = build(config, texts(*corpus), block=block, rows=6, seed=seed)
    masks = 3 if third else 2
    longest = min(int(block * share), block + 1 - masks)
    for row in read(objective, vocabulary, step):
        prefix, suffix, span = open_up(row.text, masks)
        rebuilt, document = prefix + span + suffix, corpus[row.document]
        assert document.startswith(rebuilt)
        assert min(4, len(document), longest) <= len(rebuilt) <= min(len(document), longest)
        assert 1 <= len(span) <= max(1, len(rebuilt) // 2 - 1)
        assert row.inputs == len(rebuilt) + masks - 1 <= block
        assert row.weights == (1.0,) * row.inputs  # loss over all that is not pad


@pytest.mark.parametrize(("block", "longest"), [(32, 28), (16, 14), (8, 6)])
def test_every_length_from_four_up_occurs_equally_often(block, longest):
    objective, vocabulary = build(COURSE, texts(LONG), block=block, rows=50)
    found = Counter(len(text) for _, text, _, _ in spans(objective, vocabulary, 80))
    assert set(found) == set(range(4, longest + 1))
    assert even(found.values())


def test_spans_stand_anywhere():
    """Of 10 characters the span has 1 to 4: every size and every place, evenly."""
    config = replace(COURSE, truncate=False)
    objective, vocabulary = build(config, texts("abcdefghij"), rows=50)
    found = Counter((start, len(span)) for _, _, start, span in spans(objective, vocabulary, 100))
    places = {(start, size) for size in range(1, 5) for start in range(11 - size)}
    assert set(found) == places
    for size in range(1, 5):
        here = [found[start, size] for start in range(11 - size)]
        assert even(here)
        assert sum(here) / 5000 == pytest.approx(1 / 4, abs=0.03)


# --- name-anchored windows -------------------------------------------------------------------


def test_a_window_keeps_the_name_and_goes_on_from_any_word():
    whole, starts = CLARA.text, [10, 15, 19, 24, 28, 33, 36, 41, 44]
    windows = {whole[:10] + whole[start:] for start in starts}
    config = replace(COURSE, windows=1.0, truncate=False, longest=1.0)
    objective, vocabulary = build(config, [CLARA, ANSEL], block=64, rows=20)
    found = {0: Counter(), 1: Counter()}
    for document, text, _, _ in spans(objective, vocabulary, 60):
        found[document][text] += 1
    assert set(found[0]) == windows
    assert even(found[0].values())
    assert set(found[1]) == {ANSEL.text}  # no name to begin with, nothing to anchor


# --- salient spans ---------------------------------------------------------------------------


@pytest.mark.parametrize("windows", [0.0, 0.5, 1.0])
def test_salient_spans_are_the_texts_names_and_numbers(windows):
    config = replace(COURSE, salient=1.0, windows=windows)
    objective, vocabulary = build(config, [CLARA, ANSEL, BARE], block=64, rows=30)
    found = [Counter(), Counter(), Counter()]
    for document, _, _, span in spans(objective, vocabulary, 60):
        found[document][span] += 1
    assert set(found[0]) == {"Clara Ito", "New York", "Oslo", "1950"}
    assert set(found[1]) == {"Ansel Bo", "Oslo"}
    assert set(found[2]) == {"Dina Roe"}
    assert even(found[0].values())


def test_a_salient_span_out_of_view_gives_way_to_a_random_one_anywhere():
    """The block of 16 ends before Oslo; the rows that drew it have a span like any other."""
    config = replace(COURSE, salient=1.0, truncate=False)
    objective, vocabulary = build(config, texts("we Ann bcdefghijklmnop Oslo"), block=16, rows=100)
    rows = [(start, span) for _, _, start, span in spans(objective, vocabulary, 40)]
    assert sum(span == "Ann" for _, span in rows) / 4000 == pytest.approx(0.5, abs=0.05)
    others = Counter(start for start, span in rows if len(span) == 2)
    assert sorted(others) == list(range(13))
    assert even(others.values())


# --- what counts -----------------------------------------------------------------------------


def test_the_background_weighs_less_than_the_moved_span():
    config = replace(COURSE, background=0.25)
    objective, _ = build(config, texts("abcdef"), block=8, rows=1)
    batch = objective.render(torch.tensor([[[0, 0, 0, 5, 1, 2]]]), 0)
    # Targets of "a M de M bc M": M d e M at 0.25, then b c M in full.
    assert batch.weights.tolist() == [[0.25] * 4 + [1.0] * 3]
    objective, _ = build(replace(config, weight=0.5), texts("abcdef"), block=8, rows=1)
    lighter = objective.render(torch.tensor([[[0, 0, 0, 5, 1, 2]]]), 0)
    assert lighter.weights.tolist() == [[0.25] * 4 + [0.5] * 3]


# --- plain reading ---------------------------------------------------------------------------


@given(corpus=plain_texts, block=st.integers(2, 80), step=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_plain_rows_are_stretches_of_their_documents(corpus, block, step):
    objective, vocabulary = build(PLAIN, texts(*corpus), block=block, rows=5)
    for row in read(objective, vocabulary, step):
        document = corpus[row.document]
        assert row.text in document
        assert row.inputs == min(len(document), block + 1) - 1  # one character predicts nothing
        assert len(row.text) == row.inputs + 1
        assert row.weights == (1.0,) * row.inputs


# --- what is refused -------------------------------------------------------------------------


def test_a_block_without_room_for_a_character_is_refused():
    with pytest.raises(UsageError, match=r"block_size: expected room for a character .* found 2"):
        build(COURSE, texts("abcdef"), block=2)
    build(COURSE, texts("abcdef"), block=3)


@pytest.mark.parametrize("named", [True, False], ids=["name first", "no name first"])
@pytest.mark.parametrize("salient", [0.0, 1.0])
def test_all_of_a_long_text_is_seen_through_windows_and_only_a_prefix_without(named, salient):
    """Whether a text's last fact can be learnt is decided here."""
    words = " ".join(f"w{i:02d} City{i:02d}" for i in range(20))
    text = f"Ann Bo. {words}" if named else words
    document = Document(text, Span(0, 6) if named else None)
    for policy, seen in (("prefix", False), ("window", True)):
        config = SpanCorruptionConfig(salient=salient, long_texts=policy)
        objective, vocabulary = build(config, [document], block=48, rows=64)
        rows = read(objective, vocabulary, steps=12)
        assert any("City19" in row.text for row in rows) is seen
        if named and policy == "window":
            assert sum(row.text.startswith("Ann Bo. ") for row in rows) > 300
        moved = [open_up(row.text)[2] for row in rows]
        if salient:
            share = sum(m.startswith("City") for m in moved) / len(moved)
            assert share > 0.9 if seen else share < 0.4
