"""Strings in texts: the very same answers as a search of the whole text, and few texts read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.contracts import Document
from wherefrom.core.progress import listening
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


class Counted(tuple[Document, ...]):
    """Documents that note how often they are read."""

    def __iter__(self):
        readings.append(len(self))
        return super().__iter__()


readings: list[int] = []


def test_texts_are_read_once_and_searched_only_if_they_have_all_pairs():
    lines = ["here John P. Cole met Ann", "Ada P. Fry and John P. Cole"]
    found = Occurrences(Counted(map(Document, lines)))
    told: list[tuple[str, int, int]] = []
    del readings[:]
    with listening(lambda *line: told.append(line)):
        assert "John P." in found
    assert told == [("noting which words stand side by side", 0, 2)]
    assert "met Ann" in found
    assert "Cole Fry" not in found
    assert "John P. Beck" not in found
    assert readings == [2]
    assert "John P. Fry" not in found
    assert "Ada P. Fry" in found
    assert readings == [2] * 3
