"""Sentences by hand, in several languages."""

import pytest

from wherefrom.core.contracts import Span
from wherefrom.reading.sentences import find_sentence, find_starters, split_sentences


def split(text, starters=(), starts=()):
    return [span.of(text).strip() for span in split_sentences(text, starters, starts)]


@pytest.mark.parametrize(
    "text",
    [
        "He came from St. Louis, MO and threw right.",
        "J. R. Smith met J.-P. Sartre and Dr. Ann Lee in the U.S. Army.",
        "Born in Santurce, P.R. on May 3, 1950.",
        "Anna wurde am 3. Mai 1920 in St. Pölten geboren.",
        "It holds approx. 3.5 litres, i.e. 3500 ml.",
        "She read Yahoo! news in 1990 etc. and left",
        "",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(text):
    assert split(text) == ([text] if text else [])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He ran. He won!  Who? He.", ["He ran.", "He won!", "Who?", "He."]),
        ('She said: "I am." "You are?" (He was.) End.', 4),
        ("He was born in Orange, CA. Champ Osteen is a native of Brevard.", 2),
        ("王建民出生於台南。他是投手！「真的？」是的。", 4),
        ("राम दिल्ली में रहता है। वह कवि है।", 2),
        ("¿Dónde nació? ¡En Cádiz! Él murió en 1950. ", 3),
        ("A title\n\nAnd a text\nof two lines", 2),
        ("Born in 1950. 1970 he left. 12 years passed.", 3),
    ],
)
def test_sentences_end(text, wanted):
    found = split(text)
    assert found == wanted if isinstance(wanted, list) else len(found) == wanted


def test_the_sentences_are_the_whole_text():
    text = " Ann ran.  Bo won.\n\n Cy? "
    assert "".join(span.of(text) for span in split_sentences(text)) == text


def test_words_that_begin_sentences_are_learnt_and_end_one_after_an_abbreviation():
    texts = ["He ran. He won, did he. Ann ran.", "In Rome. Ann met him. He met St. Louis in May."]
    assert find_starters(texts) == {"He"}, "Ann has always a capital, In begins one sentence"
    text = "Ann moved to Washington D.C. He stayed in St. Louis. Jr. A. He"
    assert split(text) == ["Ann moved to Washington D.C. He stayed in St. Louis.", "Jr. A. He"]
    assert len(split(text, {"He"})) == 4
    assert split("J. A. Lee ran.", {"A"}) == ["J. A. Lee ran."], "another initial begins nothing"


def test_a_name_begins_a_sentence_after_letters_with_full_stops_only():
    text = "Bo was born in Ponce, P.R. Ann Lee met Dr. Cy Poe."
    assert split(text, starts={text.index("Ann"), text.index("Cy")}) == [
        "Bo was born in Ponce, P.R.",
        "Ann Lee met Dr. Cy Poe.",
    ]


def test_a_sentence_is_the_one_that_the_span_begins_in():
    text = "Ada Lund is a poet. She was born in Oslo, and lives in Rome. She sings."
    assert find_sentence(text, Span(36, 40)).of(text).startswith("She was born in Oslo")
    assert find_sentence(text, Span(0, 3)).of(text) == "Ada Lund is a poet. "
    ordinal = "Zinc has the number 30. It is a metal."
    assert find_sentence(ordinal, Span(20, 22)).of(ordinal) == ordinal
    assert find_sentence(ordinal, Span(20, 22), {"It"}).of(ordinal) == "Zinc has the number 30. "
