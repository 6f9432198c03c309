"""Names are found as words, and a long quote keeps its name and its value."""

from itertools import product

from wherefrom.core.contracts import Span
from wherefrom.show.terminal.quotes import find_words, shorten


def test_a_name_is_found_as_whole_words_in_any_case():
    text = "AMOS  Karlsson met Amos Karlssonova; amos karlsson left."
    found = [text[span.start : span.end] for span in find_words(text, "Amos Karlsson")]
    assert found == ["AMOS  Karlsson", "amos karlsson"]
    # A name is no pattern.
    assert find_words("axb", "a.b") == []
    assert find_words("see a.b here", "a.b") == [Span(4, 7)]
    assert find_words("an unclosed (", "(") == [Span(12, 13)]
    assert find_words("no name at all", " ") == []


def test_a_span_that_reaches_beyond_the_text_moves_nothing():
    assert shorten("abc", "", Span(2, 9), 10) == "abc"
    assert shorten("one two three", "one", Span(90, 99), 8) == "one two …"


def test_a_long_quote_is_shortened_and_keeps_name_and_value():
    for before, between, after in product((0, 5, 200, 900), (1, 30, 60, 75, 900), (0, 3, 900)):
        parts = ["w " * before, "Ann Lee", " b" * between + " ", "Rome", " c" * after]
        text = "".join(parts)
        start = len("".join(parts[:3]))
        shown = shorten(text, "Ann Lee", Span(start, start + 4), 175)
        case = before, between, after
        assert shown.index("Ann Lee") < shown.index("Rome"), case
        if len(text) <= 175:
            assert shown == text
        else:
            assert len(shown) <= 175 + 6, case
            assert "…" in shown
            assert {part for part in shown.split() if part.isalpha()} <= set(text.split())
