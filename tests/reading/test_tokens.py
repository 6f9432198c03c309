"""Tokens by hand, in several scripts."""

import pytest

from wherefrom.reading.tokens import normalise, token_kind, tokenise, words


def test_kinds_of_tokens():
    kinds = {"Oslo": "capital", "oslo": "word", "1950": "number", "(": "mark"}
    kinds |= {"Ōe": "capital", "王": "word"}
    assert {token: token_kind(token) for token in kinds} == kinds


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He's from Port-au-Prince.", ["He's", "from", "Port-au-Prince", "."]),
        ("born at St. Cloud, MN.", ["born", "at", "St.", "Cloud", ",", "MN", "."]),
        ("J. P. Dow of Ponce, P.R..", ["J.", "P.", "Dow", "of", "Ponce", ",", "P.R.", "."]),
        ("b. 1932", ["b", ".", "1932"]),
        ("1,250 kg; 3.5 m", ["1,250", "kg", ";", "3.5", "m"]),
        ("1871-1950", ["1871", "-", "1950"]),
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
        ("Paris-born", {"paris"}, ["Paris", "-", "born"]),
        ("Ile-de-France", {"france"}, ["Ile-de-France"]),
        ("1871-1950", {"1871-1950"}, ["1871-1950"]),
    ],
)
def test_a_hyphen_divides_a_word_of_which_a_part_is_an_answer(text, answers, wanted):
    assert [span.of(text) for span in tokenise(text, answers)] == wanted


def test_phrases_are_compared_without_case_and_last_full_stop():
    assert normalise(" Washington  D.C.") == normalise("WASHINGTON D.C") == "washington d.c"
