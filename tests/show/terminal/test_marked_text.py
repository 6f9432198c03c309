"""Marks fall on the right characters, and nothing of a quote is lost or moved by drawing it."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.contracts import Span
from wherefrom.show.terminal.marked_text import (
    NAME,
    PLAIN,
    VALUE,
    Piece,
    cells,
    drawable,
    find_words,
    lay_out,
    mark,
)

LINE = "Amos Karlsson was born in Havana."


def test_name_and_value_are_marked_where_they_stand():
    marks = mark(LINE, "Amos Karlsson", Span(26, 32))
    (line,) = lay_out(LINE, marks, 60, 4)
    assert line == [
        Piece("Amos Karlsson", NAME, 0),
        Piece(" was born in ", PLAIN, 13),
        Piece("Havana", VALUE, 26),
        Piece(".", PLAIN, 32),
    ]


def test_a_name_is_found_as_whole_words_in_any_case():
    text = "AMOS  Karlsson met Amos Karlssonova; amos karlsson left."
    found = [text[span.start : span.end] for span in find_words(text, "Amos Karlsson")]
    assert found == ["AMOS  Karlsson", "amos karlsson"]


def test_a_name_is_no_pattern():
    assert find_words("axb", "a.b") == []
    assert find_words("see a.b here", "a.b") == [Span(4, 7)]
    assert find_words("an unclosed (", "(") == [Span(12, 13)]
    assert find_words("no name at all", " ") == []


def test_the_value_wins_where_the_name_has_it_too():
    text = "Paris Hilton was born in Paris."
    assert mark(text, "Paris", Span(25, 30))[25:30] == [VALUE] * 5
    assert mark("Paris", "Paris", Span(0, 5)) == [VALUE] * 5


def test_a_span_that_reaches_beyond_the_text_marks_what_there_is():
    assert mark("abc", "", Span(2, 9)) == [PLAIN, PLAIN, VALUE]
    assert mark("abc", "", Span(5, 9)) == [PLAIN] * 3


@given(st.text(st.characters(exclude_categories=())))
def test_drawable_text_keeps_every_place_and_can_be_written(text):
    found = drawable(text)
    assert len(found) == len(text)
    found.encode("utf-8")
    assert not set(found) & set("\x00\n\t\u202e\ufffe")


def test_characters_have_the_width_of_a_terminal():
    assert [cells(c) for c in ("a", "é", "\u0301", "東")] == [1, 1, 0, 2]
    (line,) = lay_out("東京 a", [VALUE, VALUE, PLAIN, PLAIN], 10, 2)
    assert [(piece.text, piece.column, piece.cells) for piece in line] == [
        ("東京", 0, 4), (" a", 4, 2),
    ]  # fmt: skip


@given(st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=12))
def test_wrapping_loses_no_word_and_keeps_to_the_width(words):
    text = " ".join(words)
    lines = lay_out(text, [PLAIN] * len(text), 20, 20)
    shown = ["".join(piece.text for piece in line) for line in lines]
    assert " ".join(shown).split() == words
    assert max(map(len, shown)) <= 20


def test_a_word_that_is_longer_than_a_line_is_broken():
    assert [piece.text for (piece,) in lay_out("x" * 25, [PLAIN] * 25, 10, 9)] == [
        "x" * 10, "x" * 10, "x" * 5,
    ]  # fmt: skip


def test_a_long_quote_is_shortened_and_keeps_both_marks():
    for before, between, after in product((0, 5, 200, 900), (1, 30, 60, 75, 900), (0, 3, 900)):
        parts = ["w " * before, "Ann Lee", " b" * between + " ", "Rome", " c" * after]
        text = "".join(parts)
        start = len("".join(parts[:3]))
        lines = lay_out(text, mark(text, "Ann Lee", Span(start, start + 4)), 50, 4)
        assert len(lines) <= 4
        marked = [(p.text, p.mark) for line in lines for p in line if p.mark != PLAIN]
        names = " ".join(text for text, mark in marked if mark == NAME)
        assert (names, marked[-1]) == ("Ann Lee", ("Rome", VALUE)), (before, between, after)
        shown = " ".join("".join(piece.text for piece in line) for line in lines)
        if len(text) <= 175:
            assert shown.split() == text.split()
        else:
            assert "…" in shown
            assert {part for part in shown.split() if part.isalpha()} <= set(text.split())
