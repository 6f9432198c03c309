import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.characters import PRINTABLE, Folded, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ångström", Folded("Angstrom", 2)),
        ("“Why?” — ‘Because…’", Folded("\"Why?\" -- 'Because...'", 6)),
        ("ﬁn ½", Folded("fin 1/2", 2)),
        ("Straße, Łódź", Folded("Strasse, Lodz", 4)),
        ("e\u0301", Folded("e", 0, 1)),  # an accent of its own looks like nothing
        ("日本 語!", Folded(" !", 0, 3)),
    ],
)
def test_others_become_what_they_look_like_and_are_counted(text, folded):
    assert fold(text) == folded


def test_lines_may_end_as_on_windows():
    assert fold("a\r\nb\r") == Folded("a\nb\r")


@given(st.text(max_size=60))
def test_every_text_can_be_read_afterwards(text):
    found = fold(text)
    PRINTABLE.encode(found.text)
    assert found.changed + found.dropped <= len(text)
