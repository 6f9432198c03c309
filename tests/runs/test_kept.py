"""A data set that was written down comes back as it was, or is called damaged."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.contracts import Dataset, Document, Fact, Question, Span
from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.runs.kept import read_dataset, write_dataset

spans = st.builds(Span, st.integers(0, 99), st.integers(0, 99))
documents = st.builds(Document, st.text(), st.none() | spans, st.just("") | st.text())
facts = st.builds(Fact, st.text(), st.text(), st.text(), st.integers(0, 9), spans)
questions = st.builds(
    Question, st.text(), st.text(), st.text(), st.none() | st.text(), st.text(), st.text(),
    st.lists(st.text()).map(tuple), st.text(),
)  # fmt: skip
datasets = st.builds(
    Dataset,
    st.lists(documents).map(tuple),
    st.lists(facts).map(tuple),
    st.lists(questions).map(tuple),
    st.text(),
    st.integers(0, 9),
)


@given(dataset=datasets)
def test_what_was_written_comes_back(dataset, tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "dataset.json.gz"
    write_dataset(path, dataset)
    found = read_dataset(path)
    assert found == dataset
    assert repr(found) == repr(dataset)  # what a run's data are recognised by


def test_the_same_data_are_the_same_bytes(tmp_path):
    dataset = Dataset((Document("Ann, Oslo", Span(0, 3)),))
    for name in ("a", "b"):
        write_dataset(tmp_path / name, dataset)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes()[4:8] == bytes(4)  # no time of day in it


def test_what_is_no_data_set_is_damage(tmp_path):
    path = tmp_path / "dataset.json.gz"
    write_dataset(path, Dataset((Document("Ann, Oslo"),)))
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[15] ^= 0xFF
    for data in (b"", b"no gzip", whole[:-9], bytes(changed)):
        path.write_bytes(data)
        with pytest.raises(Damaged, match=r"dataset\.json\.gz: expected"):
            read_dataset(path)
    good = json.loads(gzip.decompress(whole))
    for contents in ([], {}, good | {"questions": [["too", "few"]]}, good | {"facts": [[1]]}):
        path.write_bytes(gzip.compress(json.dumps(contents).encode()))
        with pytest.raises(Damaged, match="expected a run's data, found something else"):
            read_dataset(path)


def test_no_file_is_missing(tmp_path):
    with pytest.raises(MissingInput, match=r"dataset\.json\.gz: expected a file"):
        read_dataset(tmp_path / "dataset.json.gz")
