"""Words in the Penn Treebank's manner: its tokenizer's own well-known cases, and the spans."""

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.evaluation.text.treebank_tokens import find_tokens, one_a_line, treebank


def words(text: str) -> list[list[str]]:
    return [[token.text for token in sentence] for sentence in treebank(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hi, my name can't hello,", "hi , my name ca n't hello ,"),
        ("I cannot work (unfair)!", "I can not work ( unfair ) !"),
        ('"We beat them," Slocum said.', "`` We beat them , '' Slocum said ."),
        ("He said: “Stop.”", "He said : `` Stop . ''"),
        ("the men's and boys' hats", "the men 's and boys ' hats"),
        ("At 9:30, 1,250 paid $3.88 or 5%", "At 9:30 , 1,250 paid $ 3.88 or 5 %"),
        ("So... it -- all of it -- is done", "So ... it -- all of it -- is done"),
        ("Slew three opposers: an o'er-press'd man", "Slew three opposers : an o'er-press 'd man"),
        ("'Tis gonna rain", "'T is gon na rain"),
    ],
)
def test_a_sentence_has_the_treebanks_words(text, expected):
    assert words(text) == [expected.split()]


def test_sentences_end_at_stops_and_blank_lines_but_not_at_line_ends():
    text = "Good muffins cost $3.88\nin New York.  Please buy me\ntwo of them.\n\nThanks"
    assert words(text) == [
        "Good muffins cost $ 3.88 in New York .".split(),
        "Please buy me two of them .".split(),
        ["Thanks"],
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Mr. Smith left. Dr. J. Poe came.", 2),
        ("He lives in the U.S. now", 1),  # small letters go on
        ("It was 1.5 m. high", 1),
        ('He said "stop." Then he left.', 2),
    ],
)
def test_where_a_sentence_ends(text, count):
    assert len(words(text)) == count


def test_words_know_their_place():
    text = '  "Don\'t," he said.\nHe  cannot.\n'
    for sentence in treebank(text):
        for token in sentence:
            if token.text not in ("``", "''"):
                assert text[token.start : token.end] == token.text
    places = [(t.start, t.end) for s in treebank(text) for t in s]
    assert places == sorted(places)
    assert text[places[0][0] : places[0][1]] == '"'


def test_one_a_line_takes_lines_for_words_and_blank_lines_for_ends():
    text = "a b c\n  d\n\n\ne f\n"
    found = one_a_line(text)
    assert [[t.text for t in s] for s in found] == [["a b c", "d"], ["e f"]]
    assert all(text[t.start : t.end] == t.text for s in found for t in s)
    assert one_a_line("\n \n") == []


def test_an_unknown_way_is_refused():
    assert find_tokens("treebank") is treebank
    with pytest.raises(UsageError, match=r"tokens treebnk: .*did you mean 'treebank'"):
        find_tokens("treebnk")
