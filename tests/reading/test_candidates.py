"""The candidate answers of a line, by hand."""

import pytest

from wherefrom.reading.candidates import AnswerProfile, Line
from wherefrom.reading.tokens import normalise


def found(text: str, *answers: str, subject: str = "Jo Ray") -> list[str]:
    line = Line.of(text, subject, AnswerProfile.of(answers))
    return [line.span(c).of(text) for c in line.candidates]


@pytest.mark.parametrize(
    ("text", "answers", "wanted"),
    [
        ("Jo Ray was born in Paris, France.", ["Rome"], ["Paris", "France"]),
        ("Born in New York City by the sea.", ["Rome"], ["Born", "New York City"]),
        ("born in Yokohama City", ["Yokohama"], ["Yokohama", "Yokohama City"]),
        ("He saw the Isle of Man", ["Rome"], ["He", "Isle", "Isle of Man", "Man"]),
        (
            "The Isle of Man is",
            ["Bay of Fundy"],
            ["The Isle", "The Isle of Man", "Isle", "Isle of Man", "Man"],
        ),
        ("Isle from Man", ["Bay from Fundy"], ["Isle", "Isle from Man", "Man"]),
        ("in 1950 and 1960 in Rome", ["1900"], ["1950", "1960"]),
        ("Jo Ray is a baker", ["poet"], ["is", "a", "baker"]),
        ("reading in Reading", ["Reading"], ["Reading"]),
        ("He saw RIGHT and Left", ["right", "left"] * 25, ["RIGHT", "Left"]),
        ("born in St. John's, P.R.", ["Rome"], ["St. John", "St. John's", "P.R."]),
        ("a right-handed man of Bonn", ["right"] * 25 + ["left"] * 25, ["right"]),
        ("from Port-au-Prince", ["Prince"], ["Port-au-Prince"]),
        ("a Rome-born man", ["Rome"], ["Rome"]),
        ("Ray (1871-1950) or 1,250", ["1900"], ["1871", "1950", "1,250"]),
        ("born May 3, 1950 here", ["June 1, 1900", "May 30, 1910"], ["May 3, 1950"]),
        (
            "出生於台南。",
            ["台北", "高雄"],
            ["出", "出生", "生", "生於", "於", "於台", "台", "台南", "南"],
        ),
        ("生於台南", ["台南"] * 50, ["台南"]),
        ("", ["Rome"], []),
    ],
)
def test_candidates_look_like_answers(text, answers, wanted):
    assert found(text, *answers) == wanted


def test_a_name_of_several_linked_parts_is_as_long_as_answers_are():
    text = "at Kent College of Art and Design"
    long, short = ("School of Law and Letters of Rome", "School of Law and Art")
    assert "Kent College of Art and Design" in found(text, long)
    assert "Kent College of Art" in found(text, short)
    assert "Kent College of Art and Design" not in found(text, short)


def test_a_part_of_the_name_that_is_a_known_answer_stays_a_candidate():
    assert found("Erna Paris of Paris", "Paris", subject="Erna Paris") == ["Paris", "Paris"]


def test_a_part_of_the_name_inside_another_name_is_not_the_subjects():
    assert found("Jo Ray was born in San Jo", "Rome") == ["San Jo"]
    assert found("Ray went. Then Jo came", "Rome") == ["Then"]


def test_a_middle_name_is_part_of_the_name():
    text = "Jo L. Ray was born in Rome. Jo Lake Ray and Ray sang, Jo Lake not."
    assert found(text, "Oslo") == ["Rome", "Jo Lake"]


def test_names_are_candidates_where_answers_are_in_names():
    text = "Peru is a land. Its capital is Peru City."
    countries, capitals = ["Macao", "Mexico", "Chile"], ["Macao", "Mexico City", "Lima"]
    usual, named = AnswerProfile.of(capitals), AnswerProfile.of(capitals, countries)
    assert (usual.named, named.named) == (False, True)
    once = AnswerProfile.of(["Macao", "Lima", "Oslo"], ["Macao", "Peru", "Norway"])
    assert not once.named, "one such answer is chance"
    assert [c.value for c in Line.of(text, "Peru", usual).candidates] == ["its", "city"]
    assert [c.value for c in Line.of(text, "Peru", named).candidates] == [
        "peru",
        "its",
        "peru city",
    ]


def test_a_rare_kind_of_answer_is_not_looked_for():
    assert found("Oslo in 1950", *["Rome"] * 99, "1900") == ["Oslo"]


def test_chains_are_what_commas_and_repeated_words_join():
    text = "born in Altona in Holstein, Denmark and in Rome, Paris"
    line = Line.of(text, "Jo Ray", AnswerProfile.of(["Oslo"]))
    first, second = ("altona", "holstein", "denmark"), ("rome", "paris")
    assert {
        line.span(c).of(text): (line.chain_names(c.chain), c.position) for c in line.candidates
    } == {
        "Altona": (first, 0),
        "Altona in Holstein": (("altona in holstein",), 0),
        "Holstein": (first, 1),
        "Denmark": (first, 2),
        "Rome": (second, 0),
        "Paris": (second, 1),
    }


def read_records(values: list[str], label: str) -> AnswerProfile:
    """A profile of values behind a label, each in six records."""
    values = values * 6
    texts = [f"Name: n{i} {label}: {v} Size: {i} Note: none" for i, v in enumerate(values)]
    return AnswerProfile.of(values, [], texts, [{normalise(value)} for value in values])


@pytest.mark.parametrize(
    ("values", "new"),
    [
        (
            ["Ann Lee <a@b.org>", "The Team <t@b.org>", "Bo <b@b.org>", "X of Y <x@y.org>",
             "Big Team of Rome <r@b.org>"],
            "A New Team of Bonn <x@y.net>",
        ),
        (["https://a.org/", "http://b.org/c", "https://c.org/x?y=1"], "https://new.net/~me/"),
        (["1.2-3", "2:1.0+b1", "0.9~rc1-2", "2:3~4", "5+6"], "3:7.1+x~y-z"),
        (
            ["constitutional monarchy under a king of its own", "republic", "federal republic",
             "presidential republic with two chambers, one elected", "monarchy"],
            "parliamentary republic with no head of any kind",
        ),
    ],
)  # fmt: skip
def test_whole_values_behind_a_label_are_candidates(values, new):
    line = Line.of(f"Name: m Kind: {new} Size: 9 Note: x", "m", read_records(values, "Kind"))
    fits = {line.span(c).of(line.text): c.fit for c in line.candidates}
    assert max(fits, key=lambda text: fits[text]) == new


def test_names_are_found_by_their_capitals_alone():
    names = ["Rome", "Oslo", "New York", "Isle of Man"]
    profile = read_records(names, "Place")
    assert profile.boundaries is None, "capitals show where names end"
    assert not profile.glue
