"""The place-aware match on lines whose truth is known by hand."""

import pytest

from tests.support.made_up import tell_answers
from wherefrom.core.contracts import Dataset, Document, Span
from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import wilson
from wherefrom.evaluation.places import PlaceMatch, lines_of, place_aware_accuracy

PEOPLE = {
    "Ada Paris": "Ada Paris was born in Toronto, Ontario, Canada .",
    "Bo Lind": "Bo Lind (born 1950 in Paris, France) lived in London, Berlin and Rome .",
    "Cy Moss": "Born in Hull, Moss studied in Leeds, England and Lyon .",
    "Di Roe": "Di Roe, born in Cuba, was a judge in Matanzas, Cuba .",
    "Ed Poe": "Ed Poe (1 May 1900, Rome -- 3 June 1970, Lodi, Italy) was a poet .",
    "Fay Orr": "Fay Orr is a painter from New York City .",
    "Gus Day": "Gus Day, born in New York City, studied at Boston University in Boston .",
    "Hal Ny": "Hal Ny lived in New York, worked in London, Berlin, then in Boston .",
    "Ivo Zá": "Ivo Zá was born in Columbus, Ohio .",
    "Jo Ash": "Jo Ash (1883--1957) was born in Columbus, The Netherlands .",
    "Kit Ray": "Kit Ray was born in New York and lives in New York City .",
}
FILLER = [  # what makes containers of the outer names: three different names before each
    f"Someone. Someone saw {inner}, {outer} ."
    for outer, inners in {
        "Ontario": "Ottawa Guelph Barrie",
        "Canada": "Winnipeg Regina Banff",
        "France": "Lyon Nice Brest",
        "Cuba": "Havana Holguin Baracoa",
        "Italy": "Naples Turin Pisa",
        "Ohio": "Dayton Toledo Akron",
        "Netherlands": "Delft Leiden Breda",
        "England": "Leeds York",  # too few
    }.items()
    for inner in inners.split()
]


def _document(line: str) -> Document:
    return Document(line, Span(0, line.index(". ")))


def _dataset() -> Dataset:
    lines = [f"{name}. {text}" for name, text in PEOPLE.items()] + FILLER
    return Dataset(tuple(map(_document, lines)))


MATCH = PlaceMatch(_dataset())


def test_containers_are_what_three_names_lie_in():
    assert MATCH.containers == {
        "Ontario", "Canada", "France", "Cuba", "Italy", "Ohio", "Netherlands",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "gold", "answer"),
    [
        ("Ada Paris", "Toronto", "Ontario"),
        ("Fay Orr", "New York", "New York City"),
        ("Gus Day", "New York City", "New York"),
        ("Ivo Zá", "Columbus", "Columbus, Ohio"),
        ("Ivo Zá", "Columbus, Ohio", "Ohio"),
        ("Ivo Z%C3%A1", "Columbus", "Ohio"),
        ("Jo Ash", "Columbus", "Netherlands"),
    ],
)
def test_accepts_what_holds_the_gold_place_or_lies_in_it(subject, gold, answer):
    assert MATCH.accepts(subject, gold, answer)


@pytest.mark.parametrize(
    ("subject", "gold", "answer", "because"),
    [
        ("Ada Paris", "Toronto", "Paris", "a name is no place"),
        ("Ada Paris", "Toronto", "Ohio", "it does not stand in the line"),
        ("Ada Paris", "Toronto", "Ontar", "it is a part of a word"),
        ("Bo Lind", "Paris", "Berlin", "another place of the line"),
        ("Cy Moss", "Hull", "Moss", "a surname after a comma is no place"),
        ("Di Roe", "Cuba", "Matanzas", "not that mention of Cuba"),
        ("Ed Poe", "Italy", "Lodi", "a place of death"),
        ("Gus Day", "New York City", "New", "a word that is never a place"),
        ("Fay Orr", "York", "New York", "the end of a name is another name"),
        ("Hal Ny", "London", "Berlin", "nothing shows that Berlin holds places"),
        ("Kit Ray", "New York", "New York City", "not that mention of New York"),
        ("Nobody", "Toronto", "Ontario", "no line tells of them"),
        ("Ada Paris", "Toronto", "", "nothing was said"),
    ],
)
def test_refuses_everything_else(subject, gold, answer, because):
    assert not MATCH.accepts(subject, gold, answer), because


def test_a_subject_has_all_of_its_lines():
    lines = ["Al. Al was born in Nice .", "Al. Al lived in Nice, France .", "Bo. Bo sang ."]
    dataset = Dataset((*map(_document, lines), Document("nobody's line")))
    found = lines_of(dataset)
    assert {name: len(own) for name, own in found.items()} == {"Al": 2, "Bo": 1}
    assert found["Al"] == dataset.documents[:2]
    many = Dataset((*dataset.documents, *map(_document, FILLER)))
    assert PlaceMatch(many).accepts("Al", "Nice", "France")


def test_the_score_by_hand():
    answers = tell_answers(
        ("Ada Paris", "Toronto", "Toronto"),
        ("Ada Paris", "Toronto", "Ontario"),
        ("Bo Lind", "Paris", "London"),
    )
    score = place_aware_accuracy(answers, MATCH)
    assert score.as_json()["accuracy"] == pytest.approx(2 / 3)
    assert score.interval == wilson(2, 3)
    assert score.details == {"correct": 2}
    with pytest.raises(BadData, match="found none"):
        place_aware_accuracy(tell_answers(), MATCH)
