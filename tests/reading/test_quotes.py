"""What is quoted of a document keeps the name and the value, and marks the value."""

from itertools import product

from wherefrom.core.contracts import Span
from wherefrom.reading.quotes import LONGEST_QUOTE, find_words, quote


def test_a_name_is_found_as_whole_words_in_any_case():
    text = "AMOS  Karlsson met Amos Karlssonova; amos karlsson left."
    found = [text[span.start : span.end] for span in find_words(text, "Amos Karlsson")]
    assert found == ["AMOS  Karlsson", "amos karlsson"]
    # A name is no pattern.
    assert find_words("axb", "a.b") == []
    assert find_words("see a.b here", "a.b") == [Span(4, 7)]
    assert find_words("an unclosed (", "(") == [Span(12, 13)]
    assert find_words("no name at all", " ") == []


def shown(text: str, name: str, value: str) -> str:
    """The quote; the value must be marked in it."""
    start = text.rindex(value)
    found, place = quote(text, name, Span(start, start + len(value)))
    assert place.of(found) == value
    return found


def test_a_short_document_is_quoted_whole():
    text = "Ann Lee is a poet. She was born in Rome. She left."
    assert shown(text, "Ann Lee", "Rome") == text


def test_of_a_long_document_the_sentence_with_name_and_value_is_quoted():
    before, after = "It says so here. " * 30, " So it goes on." * 30
    own = "Ann Lee, a poet of St. Gall, was born in Rome."
    assert shown(f"{before}{own}{after}", "Ann Lee", "Rome") == f"… {own} …"
    assert shown(f"{own}{after}", "ann  lee", "Rome") == f"{own} …"
    assert shown(f"{before}{own}", "Bo Falk", "Rome") == f"… {own}"
    # Neighbours, and sentences apart; the name that is nearest is shown.
    assert shown(f"Ann Lee is here. Rome is it.{after}", "Ann Lee", "Rome") == (
        "Ann Lee is here. Rome is it. …"
    )
    apart = f"Ann Lee, or so. {before}Ann Lee is a poet. {before}She was born in Rome.{after}"
    assert shown(apart, "Ann Lee", "Rome") == "… Ann Lee is a poet. … She was born in Rome. …"


def test_a_long_sentence_is_cut_at_words_and_keeps_name_and_value():
    for before, between, after in product((0, 5, 200, 900), (1, 30, 60, 75, 900), (0, 3, 900)):
        text = f"{'w ' * before}Ann Lee{' b' * between} Rome{' c' * after}"
        found, case = shown(text, "Ann Lee", "Rome"), (before, between, after)
        assert found.index("Ann Lee") < found.index("Rome"), case
        if len(text) <= LONGEST_QUOTE:
            assert found == text
        else:
            assert len(found) <= LONGEST_QUOTE + 7, case
            assert "…" in found
            assert {part for part in found.split() if part.isalpha()} <= set(text.split())


def test_without_spaces_the_value_is_shown_among_its_neighbours():
    text = f"{'王' * 300}生于罗马{'城' * 300}"
    assert "王生于罗马城" in shown(text, "王秀英", "罗马")
    assert len(shown(text, "王秀英", "罗马")) <= LONGEST_QUOTE + 7
    long = "Rome" * 100  # longer than any quote
    assert long in shown(f"Ann Lee was born in {long}, so it is said", "Ann Lee", long)
