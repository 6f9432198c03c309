"""A data set that was written down comes back as it was, or is called damaged."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.contracts import Dataset, Document, Fact, Question, Span
from wherefrom.core.errors import Damaged
from wherefrom.runs.kept import pack_dataset, unpack_dataset

text = st.text('aé"\\\n\u2028😀', max_size=3)
spans = st.builds(Span, st.integers(0, 99), st.integers(0, 99))
documents = st.builds(Document, text, st.none() | spans, text)
facts = st.builds(Fact, text, text, text, st.integers(0, 9), spans)
several = st.lists(text, max_size=2).map(tuple)
questions = st.builds(
    Question, text, text, text, st.none() | text, text, text, several, text
)  # fmt: skip
datasets = st.builds(
    Dataset,
    st.lists(documents, max_size=2).map(tuple),
    st.lists(facts, max_size=2).map(tuple),
    st.lists(questions, max_size=2).map(tuple),
    text,
    st.integers(0, 9),
)


PATH = Path("run/corpus/dataset.json.gz")


@given(dataset=datasets)
@settings(max_examples=40)
def test_what_was_written_comes_back(dataset):
    found = unpack_dataset(pack_dataset(dataset), PATH)
    assert found == dataset
    assert repr(found) == repr(dataset)  # what a run's data are recognised by


def test_the_same_data_are_the_same_bytes():
    dataset = Dataset((Document("Ann, Oslo", Span(0, 3)),))
    assert pack_dataset(dataset) == pack_dataset(dataset)
    assert pack_dataset(dataset)[4:8] == bytes(4)  # no time of day in it


def test_what_is_no_data_set_is_damage():
    whole = pack_dataset(Dataset((Document("Ann, Oslo"),)))
    changed = bytearray(whole)
    changed[15] ^= 0xFF
    for data in (b"", b"no gzip", whole[:-9], bytes(changed)):
        with pytest.raises(Damaged, match=r"dataset\.json\.gz: expected"):
            unpack_dataset(data, PATH)
