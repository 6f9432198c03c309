"""Strings in texts: the very same answers as a search of the whole text, and few texts read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.contracts import Document
from wherefrom.reading.occurrences import Occurrences

# Few letters, so that strings do occur; spaces and line ends at every place.
LETTERS = st.text("ab. \n", max_size=12)


@given(
    texts=st.lists(LETTERS, max_size=100),
    strings=st.lists(LETTERS, max_size=20),
    cuts=st.lists(st.tuples(st.integers(0, 600), st.integers(0, 8)), max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_it_is_the_same_as_searching_the_whole_text(texts, strings, cuts):
    whole = "\n".join(texts)
    wanted = [*strings, *(whole[at : at + size] for at, size in cuts)]
    found = Occurrences([*map(Document, texts)])
    assert [string in found for string in wanted] == [string in whole for string in wanted]
