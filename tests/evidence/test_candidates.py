"""The candidate answers of a line, by hand."""

import json

import pytest

from wherefrom.core.config import from_json, to_json
from wherefrom.evidence.candidates import AnswerProfile, Line, token_kind


def found(text: str, *answers: str, subject: str = "Jo Ray") -> list[str]:
    return [c.span.of(text) for c in Line(text, subject, AnswerProfile.of(answers)).candidates]


def test_kinds_of_tokens():
    kinds = {"Oslo": "capital", "oslo": "word", "1950": "number", "(": "mark"}
    kinds |= {"Ōe": "capital", "王": "word"}
    assert {token: token_kind(token) for token in kinds} == kinds


@pytest.mark.parametrize(
    ("text", "answers", "wanted"),
    [
        ("Jo Ray was born in Paris, France.", ["Rome"], ["Paris", "France"]),
        ("Born in New York City by the sea.", ["Rome"], ["Born", "New York City"]),
        ("born in Yokohama City", ["Yokohama"], ["Yokohama", "Yokohama City"]),
        ("In Paris it was.", ["Rome"], ["In Paris", "Paris"]),
        ("He saw the Isle of Man", ["Rome"], ["He", "Isle", "Man"]),
        ("He saw the Isle of Man", ["Bay of Fundy"], ["He", "Isle", "Isle of Man", "Man"]),
        ("in 1950 and 1960 in Rome", ["1900"], ["1950", "1960"]),
        ("Jo Ray is a baker", ["poet"], ["is", "a", "baker"]),
        ("reading in Reading", ["Reading"], ["Reading"]),
        ("Ray of Jo (Ray)", ["Rome"], []),
        ("", ["Rome"], []),
        ("… !", ["Rome"], []),
    ],
)
def test_candidates_look_like_answers(text, answers, wanted):
    assert found(text, *answers) == wanted


def test_a_part_of_the_name_that_is_a_known_answer_stays_a_candidate():
    assert found("Erna Paris of Paris", "Paris", subject="Erna Paris") == ["Paris", "Paris"]


def test_a_rare_kind_of_answer_is_not_looked_for():
    assert found("Oslo in 1950", *["Rome"] * 99, "1900") == ["Oslo"]


def test_chains_are_what_commas_and_repeated_words_join():
    text = "born in Altona in Holstein, Denmark and in Rome, Paris"
    line = Line(text, "Jo Ray", AnswerProfile.of(["Oslo"]))
    first, second = ("altona", "holstein", "denmark"), ("rome", "paris")
    assert {c.span.of(text): (line.chain_names(c), c.position) for c in line.candidates} == {
        "Altona": (first, 0),
        "Holstein": (first, 1),
        "Denmark": (first, 2),
        "Rome": (second, 0),
        "Paris": (second, 1),
    }


def test_sentences_end_after_words_and_not_after_initials():
    line = Line("J. Ray met St. Paul. Then Rome! Ok", "Jo", AnswerProfile.of(["Oslo"]))
    starts = sorted(set(line.sentence_starts))
    assert [line.tokens[i] for i in starts] == ["J", "Then", "Ok"]


def test_a_profile_counts_answers_and_comes_back_from_json():
    profile = AnswerProfile.of(["Bay of Fundy", "Rome", "rome", "1900"])
    assert profile.known == {"bay of fundy": 1, "rome": 2, "1900": 1}
    assert profile.linking_words == {"of"}
    assert profile.max_words == {"capital": 3, "word": 1, "number": 1}
    assert profile.longest_known == 3
    assert from_json(AnswerProfile, json.loads(json.dumps(to_json(profile))), "x") == profile
