"""Mentions against texts known by hand, and against a plain search of every text."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wherefrom.core.contracts import Span
from wherefrom.reading import mentions
from wherefrom.reading.mentions import Mentions, joined, split_words


def find(texts, subjects):
    found = Mentions(texts, subjects)
    return found.lines, [s.of(t) if s else None for s, t in zip(found.spans, texts, strict=True)]


def test_whole_words_are_found_and_parts_of_words_are_not():
    texts = ["Ann met Bo.", "Annapolis, Boston", "bo, Ann's friend", "O'Ann-Bo"]
    assert find(texts, ["Ann", "Bo"]) == (
        {"Ann": [0, 2, 3], "Bo": [0, 3]},
        ["Ann", None, "Ann", "Ann"],
    )


def test_the_longest_name_that_stands_there_counts():
    texts = ["Ann Lee Smith sings", "Ann Lee sings for Ann Lee Smith", "Ann Lee and Lee"]
    assert find(texts, ["Ann Lee", "Ann Lee Smith", "Lee"]) == (
        {"Ann Lee Smith": [0, 1], "Ann Lee": [1, 2], "Lee": [2]},
        ["Ann Lee Smith", "Ann Lee", "Ann Lee"],
    )


def test_capitals_matter_unless_nothing_is_found_with_them():
    texts = ["polish rod", "Polish Rod", "ADA LUND"]
    assert find(texts, ["Polish Rod", "Ada Lund"])[0] == {"Polish Rod": [1], "Ada Lund": [2]}
    first = find(["ADA LUND met Bo"], ["Bo", "Ada Lund"])[1]
    assert first == ["ADA LUND"], "the first name of a text, in whatever capitals"


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("So 王小明出生于北京.", "王小明"),
        ("In 1900 St. Louis, Mo., grew.", "St. Louis, Mo."),
        ("An 'Abd al-Malik is there", "'Abd al-Malik"),
        ("He wrote C++ in 1980", "C++"),
        ("ÅSE ØST", "Åse Øst"),
        ("x Zo%C3%AB Roth.", "Zo%C3%AB Roth"),
    ],
)
def test_names_of_other_kinds(text, subject):
    start = text.casefold().index(subject.casefold())
    found = Mentions([text], [subject])
    assert (found.of(subject), found.spans) == ([0], [Span(start, start + len(subject))])


@pytest.mark.parametrize(
    ("text", "subject", "spelt"),
    [
        ("So Máire O’Neill sang.", "Maire O'Neill", "Máire O’Neill"),
        ("See PEP: 8. It", "PEP 8", "PEP: 8"),
        ("In Spider-Man he", "Spider Man", "Spider-Man"),
        ("in MALMÖ.", "Malmo", "MALMÖ"),
        ("The end. Ann went; the Lee side", "Ann Lee", None),
        ("Here C is meant", "C++", None),
    ],
)
def test_a_name_that_is_nowhere_as_written_is_found_by_its_letters(text, subject, spelt):
    found = Mentions([text], [subject])
    place = found.spans[0]
    assert (place and place.of(text), found.spelt.get(subject)) == (spelt, spelt)


def test_every_place_of_a_text_can_be_found_again():
    texts = ["Bo met Ann, and ann met Bo Ray.", "CY ran"]
    places = Mentions(texts, ["Ann", "Bo", "Bo Ray", "Cy"]).find_all(texts[0])
    assert places == [(Span(0, 2), "Bo"), (Span(7, 10), "Ann"), (Span(24, 30), "Bo Ray")]


def test_what_is_nowhere_has_no_lines():
    found = Mentions(["Ada", ""], ["Bo", "!?", ""])
    assert [found.of(s) for s in ("Bo", "!?", "", "never asked")] == [()] * 4
    assert found.spans == [None, None]


def test_a_large_text_is_searched_as_a_plain_search_would():
    generator = np.random.default_rng(0)
    words = ["".join(w).title() for w in generator.choice([*"abcde"], (12, 3))]
    texts = [" ".join(generator.choice(words, 6)) for _ in range(300)]
    subjects = sorted({" ".join(pair) for pair in generator.choice(words, (60, 2))})
    lines, _ = find(texts, subjects)
    for subject in subjects:
        pattern = re.compile(rf"\b{subject}\b")
        wanted = [i for i, text in enumerate(texts) if pattern.search(text)]
        assert lines.get(subject, []) == wanted


@given(st.text() | st.text(st.characters(max_codepoint=255)))
@example(" ".join(f"a{chr(i)}b" for i in range(1, 256)))
def test_words_are_those_of_the_pattern(text):
    assert mentions.split_words(text) == mentions._WORD.findall(text)


@given(st.text(max_size=1).filter(bool), st.text("aZ_0 .-é中", min_size=1, max_size=1))
def test_two_characters_are_of_one_word_as_the_pattern_says(left, right):
    for pair in ((left, right), (right, left)):
        assert joined(*pair) == (split_words("".join(pair)) == ["".join(pair)])


def test_added_subjects_take_the_names_inside_theirs():
    texts = ["Paris Hilton sings in Rome.", "Paris is large.", "Dr Ann Lee of Paris", "Bo Ek"]
    found = Mentions(texts, ["Paris", "Ann Lee"])
    added = [(0, Span(0, 12), "Paris Hilton"), (2, Span(0, 10), "Dr Ann Lee"), (3, Span(0, 5), "B")]
    found.add(texts, added)
    assert found.lines == {"Paris": [1, 2], "Ann Lee": [2], "Paris Hilton": [0], "B": [3]}
    assert found.find_all(texts[0], 0) == [(Span(0, 12), "Paris Hilton")]
    assert [subject for _, subject in found.find_all(texts[2], 2)] == ["Ann Lee", "Paris"]
    assert found.find_all(texts[3], 3) == [(Span(0, 5), "B")], "the text spells it otherwise"
    assert [span and span.of(t) for span, t in zip(found.spans, texts, strict=True)] == [
        "Paris Hilton",
        "Paris",
        "Ann Lee",
        "Bo Ek",
    ]
