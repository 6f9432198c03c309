"""Stored bits: against sums by hand, and models of which it is known what they have stored."""

import math

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Span, StoredSpan
from wherefrom.core.errors import BadData
from wherefrom.core.measures import BITS_PER_PARAMETER
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data.biographies import (
    CONSONANTS,
    VOWELS,
    BiographiesConfig,
    find_stored_spans,
    load,
)
from wherefrom.evaluation.intervals import bootstrap_mean
from wherefrom.evaluation.storage import Stored, count_stored, read_documents, score_storage
from wherefrom.models.gpt import GPT, GPTConfig

DATA = load(BiographiesConfig(people=64, wordings=2), 0)
SPANS = list(find_stored_spans(DATA))


def ignorant(text: str) -> np.ndarray:
    """A model that knows how words are made, and nobody."""
    chances = dict.fromkeys(CONSONANTS, 16) | dict.fromkeys(VOWELS, 4)
    return -np.log([chances.get(letter.lower(), 1) for letter in text[1:]])


def test_bits_by_hand():
    """Two spans of 3 and 2 bits, of which 1 and 2.5 are lost."""
    spans = [
        StoredSpan("a", "x", 0, Span(1, 3), 3.0),
        StoredSpan("a", "y", 0, Span(3, 4), 2.0, 0.5),
    ]
    lost = np.log(2) * np.array([-0.25, -0.75, -2.5, -100.0])
    found = count_stored([lost], spans)
    assert {part: list(bits) for part, bits in found.saved.items()} == {
        "x": pytest.approx([2.0]), "y": pytest.approx([-0.5]),
    }  # fmt: skip
    assert {part: list(bits) for part, bits in found.storable.items()} == {"x": [3.0], "y": [1.5]}
    assert list(found.total) == pytest.approx([1.5])


def test_who_is_told_twice_counts_once_with_the_mean():
    spans = [StoredSpan("a", "x", n, Span(1, 2), 4.0) for n in range(2)]
    found = count_stored([np.log(2) * np.array([-1.0]), np.log(2) * np.array([-2.0])], spans)
    assert list(found.total) == pytest.approx([2.5])


def test_a_model_that_knows_nobody_has_stored_nothing():
    found = count_stored([ignorant(d.text) for d in DATA.documents], SPANS)
    assert found.total == pytest.approx(np.zeros(64), abs=1e-9)
    assert score_storage(found, 1000, 10).value == pytest.approx(0, abs=1e-9)


def test_a_model_that_knows_everybody_has_stored_all():
    """It is sure of everything but who comes: of 64 people, the first letter leaves 2 bits open."""
    certain = [np.zeros(len(d.text) - 1) for d in DATA.documents]
    for read in certain:
        read[0] = -2 * math.log(2)
    found = score_storage(count_stored(certain, SPANS), 1000, 10)
    assert found.details["stored"] == pytest.approx(64 * (4 * 12 + 20 - 2))
    assert found.details["stored"] == pytest.approx(found.details["storable"])
    assert found.details["parts"]["home"] == pytest.approx({"stored": 768.0, "storable": 768.0})
    assert found.value == pytest.approx(64 * 66 / 1000)


def test_a_uniform_model_reads_every_character_at_the_same_cost():
    """The model itself is read: with a head of zeros, every character costs log2 V bits."""
    vocabulary = Vocabulary.from_text([d.text for d in DATA.documents])
    config = GPTConfig(vocab_size=len(vocabulary), block_size=96, n_layer=1, n_head=1, n_embd=8)
    model = GPT(config)
    torch.nn.init.zeros_(model.head.weight)
    read = read_documents(model, vocabulary, DATA.documents)
    assert [len(each) for each in read] == [len(d.text) - 1 for d in DATA.documents]
    found = count_stored(read, [s for s in SPANS if s.part == "home"])
    assert found.total == pytest.approx(np.full(64, 12 - 4 * math.log2(len(vocabulary))), abs=1e-4)


def test_bits_per_parameter_and_its_interval():
    found = Stored({"x": np.full(10, 3.0)}, {"x": np.full(10, 4.0)})
    scored = score_storage(found, 20, 5)
    assert (scored.measure, scored.value, scored.n) == (BITS_PER_PARAMETER, 1.5, 10)
    assert scored.interval == pytest.approx((1.5, 1.5))
    assert (scored.details["parameters"], scored.details["embeddings"]) == (20, 5)
    assert (scored.details["stored"], scored.details["storable"]) == (30.0, 40.0)
    uneven = Stored({"x": np.arange(10.0)}, {"x": np.full(10, 9.0)})
    low, high = bootstrap_mean(np.arange(10.0))
    assert score_storage(uneven, 20, 5).interval == pytest.approx((low * 10 / 20, high * 10 / 20))


def test_text_without_such_spans_is_refused():
    with pytest.raises(BadData, match="expected spans that were drawn by chance, found none"):
        count_stored([], [])
