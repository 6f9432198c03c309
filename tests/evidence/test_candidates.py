"""The phrases of a line, by hand."""

import pytest

from wherefrom.evidence.candidates import Line, Shape, kind


def values(text: str, *answers: str, subject: str = "Jo Ray") -> list[str]:
    return [p.span.of(text) for p in Line(text, subject, Shape.of(answers)).phrases]


def test_kinds():
    assert [kind(w) for w in ("Oslo", "oslo", "1950", "(", "Ōe", "王")] == [
        "capital", "word", "number", "mark", "capital", "word",
    ]  # fmt: skip


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
def test_phrases_look_like_answers(text, answers, wanted):
    assert values(text, *answers) == wanted


def test_a_name_that_is_an_answer_stays_one():
    assert values("Erna Paris of Paris", "Paris", subject="Erna Paris") == ["Paris", "Paris"]


def test_a_rare_kind_of_answer_is_not_looked_for():
    assert values("Oslo in 1950", *["Rome"] * 99, "1900") == ["Oslo"]


def test_chains_are_what_commas_and_repeated_words_join():
    text = "born in Altona in Holstein, Denmark and in Rome, Paris"
    line = Line(text, "Jo Ray", Shape.of(["Oslo"]))
    found = {p.span.of(text): (line.names(p), p.place) for p in line.phrases}
    first, second = ("altona", "holstein", "denmark"), ("rome", "paris")
    assert found == {
        "Altona": (first, 0), "Holstein": (first, 1), "Denmark": (first, 2),
        "Rome": (second, 0), "Paris": (second, 1),
    }  # fmt: skip


def test_sentences_end_after_words_and_not_after_initials():
    line = Line("J. Ray met St. Paul. Then Rome! Ok", "Jo", Shape.of(["Oslo"]))
    starts = sorted(set(line.sentence))
    assert [line.words[i] for i in starts] == ["J", "Then", "Ok"]


def test_a_shape_comes_back_from_json():
    shape = Shape.of(["Bay of Fundy", "Rome", "rome", "1900"])
    assert Shape.from_json(shape.as_json()) == shape
    assert shape.known == {"bay of fundy": 1, "rome": 2, "1900": 1}
    assert shape.links == {"of"}
