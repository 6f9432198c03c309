"""Strings in texts: the very same answers as a search of the whole text, and few texts read."""

from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.contracts import Document
from wherefrom.core.progress import listening
from wherefrom.reading import occurrences
from wherefrom.reading.occurrences import Occurrences

# Few letters, so that strings do occur; spaces and line ends at every place.
LETTERS = st.text("ab. \n", max_size=12)


@given(
    texts=st.lists(LETTERS, max_size=100),
    strings=st.lists(LETTERS, max_size=20),
    cuts=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 8)), max_size=20),
    many=st.sampled_from([1, 10, 1 << 18]),
)
@settings(max_examples=60, deadline=None)
def test_it_is_the_same_as_searching_the_whole_text(texts, strings, cuts, many):
    whole = "\n".join(texts)
    wanted = [*strings, *(whole[at : at + size] for at, size in cuts)]
    with patch.object(occurrences, "_MANY", many):
        found = Occurrences([*map(Document, texts)])
        assert [string in found for string in wanted] == [string in whole for string in wanted]


class Counted(tuple[Document, ...]):
    """Documents that note which parts of them are read."""

    def __getitem__(self, index):
        parts.append(index)
        return super().__getitem__(index)


parts: list[slice] = []


def test_texts_are_read_once_and_searched_only_where_all_pairs_are():
    lines = [f"here John P. Cole met word{i}" for i in range(640)]
    lines[325] = "Ada P. Fry and John P. Cole"
    found = Occurrences(Counted(map(Document, lines)))
    told: list[tuple[str, int, int]] = []
    with listening(lambda *line: told.append(line)):
        assert "John P." in found
    assert told[1] == ("noting which words stand side by side", 10, 640)
    del parts[:]
    assert "met word7" in found
    assert "Cole Fry" not in found
    assert parts == []
    assert "John P. Fry" not in found
    assert "Ada P. Fry" in found
    assert parts == [slice(320, 330)] * 2
