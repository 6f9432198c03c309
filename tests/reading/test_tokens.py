"""Tokens by hand, in several scripts."""

import pytest

from wherefrom.reading.tokens import find_glue, normalise, read_tokens, words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He's from Port-au-Prince.", ["He", "'s", "from", "Port-au-Prince", "."]),
        ("O’Neill’s 's-Gravenhage", ["O’Neill", "’s", "'", "s-Gravenhage"]),
        ("born at St. Cloud, MN.", ["born", "at", "St.", "Cloud", ",", "MN", "."]),
        ("J. P. Dow of Ponce, P.R..", ["J.", "P.", "Dow", "of", "Ponce", ",", "P.R.", "."]),
        ("$1,250.50, 2", ["$", "1,250.50", ",", "2"]),
        ("May 19, 1896-April 12, 1970", [*"May 19 , 1896 - April 12 , 1970".split()]),
        ("1.36.3+k0s.2, 1.5.", ["1.36.3+k0s.2", ",", "1.5", "."]),
        (
            "a Girls' School, girls' 'Wings'",
            ["a", "Girls'", "School", ",", "girls", *"''", "Wings", "'"],
        ),
        ("王建民1980年生於台南", [*"王建民", "1980", *"年生於台南"]),
        ("アムステルダムで生", ["アムステルダム", "で", "生"]),
        ("वह दिल्ली में", ["वह", "दिल्ली", "में"]),
        ("", []),
    ],
)
def test_words_numbers_and_marks(text, wanted):
    assert words(text) == wanted


@pytest.mark.parametrize(
    ("text", "answers", "wanted"),
    [
        ("right-handed", {"right"}, ["right", "-", "handed"]),
        ("Right-handed", {"right"}, ["Right", "-", "handed"]),
        ("right-handed", {"right", "right-handed"}, ["right-handed"]),
        ("right-handed", {"left"}, ["right-handed"]),
        ("Ile-de-France", {"france"}, ["Ile-de-France"]),
        ("1871-1950", {"1871-1950"}, ["1871-1950"]),
        ("0.1.0-beta.7", {"0.1.0"}, ["0.1.0-beta.7"]),
        ("1.5-litre", {"1.5"}, ["1.5", "-", "litre"]),
    ],
)
def test_a_hyphen_divides_a_word_of_which_a_part_is_an_answer(text, answers, wanted):
    assert read_tokens(text, answers).texts == wanted


@pytest.mark.parametrize(
    ("answers", "text", "wanted"),
    [
        (
            ["https://a.org/x/", "http://b.org/"],
            "See (https://c.net/d-e_f/?q=1), and so on. End",
            ["See", "(", "https://c.net/d-e_f/?q=1", ")", ",", "and", "so", "on", ".", "End"],
        ),
        (
            ["https://a.org/x/", "http://b.org/"],
            "情報は<https://c.net/d>。次",
            [*"情報は<", "https://c.net/d", *">。次"],
        ),
        (["2:1.0+b1", "1.2~rc-3", "1:2~3", "3+4"], "has 5:1+2~b-6.", ["has", "5:1+2~b-6", "."]),
        (["ann@a.org", "bo@b.org"], "Cy <cy@c.org>,", ["Cy", "<", "cy@c.org", ">", ","]),
        ([".de", ".fr"], "code: .dz Then", ["code", ":", ".dz", "Then"]),
        (["Rome", "May 3, 1950", "St. John's", "(Oslo)"], "a/b", ["a", "/", "b"]),
        (["a/b", "Rome"], "c/d", ["c", "/", "d"]),  # one answer is chance
        (["福州（今屬福建）", "吳（今）"], "吳（今）", [*"吳（今）"]),
    ],
)
def test_marks_inside_answers_hold_tokens_together(answers, text, wanted):
    glue = find_glue(answers)
    assert read_tokens(text, glue=glue).texts == wanted


@pytest.mark.parametrize(
    ("answers", "wanted"),
    [
        (["unic", "tokio-process", "actix-http"], ["unic-idna", "has", "1990", "-", "1995"]),
        (
            ["unic", "tokio-process", "Stoke-on-Trent"],
            ["unic", "-", "idna", "has", "1990", "-", "1995"],
        ),
    ],
)
def test_hyphens_that_several_answers_have_divide_nothing(answers, wanted):
    """Elsewhere a part that is an answer is a token: right in right-handed."""
    glue, text = find_glue(answers), "unic-idna has 1990-1995"
    assert read_tokens(text, {"unic"}, glue).texts == wanted


def test_phrases_are_compared_without_case_and_last_full_stop():
    assert normalise(" Washington  D.C.") == normalise("WASHINGTON D.C") == "washington d.c"
