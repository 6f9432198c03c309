"""Random strings: four bits a letter, and nothing else."""

from collections import Counter

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.data.random_strings import LETTERS, RandomStringsConfig, find_stored_spans, load


def test_strings_and_their_information():
    dataset = load(RandomStringsConfig(strings=32, length=10), 5)
    assert [len(d.text) for d in dataset.documents] == [10] * 32
    assert dataset == load(RandomStringsConfig(strings=32, length=10), 5)
    spans = list(find_stored_spans(dataset))
    assert [s.span.of(dataset.documents[s.document].text) for s in spans] == [
        d.text[1:] for d in dataset.documents
    ]
    # Nine letters of 4 bits; of 32 strings' 5 bits, the first letter says 4.
    assert {(s.bits, s.unforeseen) for s in spans} == {(36.0, 1.0)}


def test_letters_are_drawn_evenly():
    dataset = load(RandomStringsConfig(strings=500, length=32), 0)
    counts = Counter("".join(d.text for d in dataset.documents))
    assert set(counts) == set(LETTERS)
    assert all(abs(count - 1000) < 5 * 1000**0.5 for count in counts.values())


def test_what_is_refused():
    with pytest.raises(UsageError, match=r"^RandomStringsConfig\.length: expected a whole number"):
        RandomStringsConfig(length=1)
