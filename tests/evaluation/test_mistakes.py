"""The kinds of mistakes on lines whose truth is known by hand, and on the course's own."""

import json

import pytest

from tests.support.made_up import tell_answers
from wherefrom.core.contracts import Dataset, Document, Span
from wherefrom.evaluation.mistakes import (
    ANOTHER_PLACE,
    BEYOND_WINDOW,
    FAILED_RECALL,
    GOLD_ABSENT,
    KINDS,
    sort_mistakes,
)

LINES = (
    "Ada Paris. Ada Paris, of Nice, was born in Rome .",  # Rome ends at 47
    "Bo Lind. Born in Oslo .",  # Oslo ends at 21
    "Bo Lind. The painter Bo Lind lived for many years in Oslo .",
    "Cy Rome. Cy Rome was for a long time thought to be born in Rome .",  # ends at 63
)
DATASET = Dataset(tuple(Document(line, Span(0, line.index(". "))) for line in LINES))
REACH = 40


def sort(dataset: Dataset, reach: int, *rows: tuple[str, str, str]) -> dict[str, int]:
    return sort_mistakes(tell_answers(*rows), dataset, reach)["kinds"]


@pytest.mark.parametrize(
    ("subject", "gold", "answer", "kind"),
    [
        ("Ada Paris", "Bonn", "Rome", GOLD_ABSENT),  # before all others
        ("Nobody", "Rome", "Oslo", GOLD_ABSENT),
        ("Ada Paris", "Rome", "Nice", ANOTHER_PLACE),
        ("Ada Paris", "Rome", "Paris", BEYOND_WINDOW),  # a name is not another place
        ("Ada%20Paris", "Rome", "Oslo", BEYOND_WINDOW),
        ("Bo Lind", "Oslo", "Rome", FAILED_RECALL),  # one line in reach is enough
        ("Bo Lind", "Oslo", "paint", FAILED_RECALL),  # a part of a word is no place
        ("Cy Rome", "Rome", "Oslo", BEYOND_WINDOW),  # Rome in the name says nothing
    ],
)
def test_kinds_by_hand(subject, gold, answer, kind):
    mistakes = sort(DATASET, REACH, (subject, gold, answer))
    assert mistakes == {k: int(k == kind) for k in KINDS}


def test_the_window_ends_after_the_last_character():
    wrong = ("Ada Paris", "Rome", "Oslo")
    end = LINES[0].index("Rome") + len("Rome")
    assert sort(DATASET, end, wrong)[FAILED_RECALL] == 1
    assert sort(DATASET, end - 1, wrong)[BEYOND_WINDOW] == 1


def test_right_answers_are_counted_apart():
    predictions = [("Ada Paris", "Rome", a) for a in ("Rome", "Nice", "Rome")]
    mistakes = sort_mistakes(tell_answers(*predictions), DATASET, REACH)
    assert json.loads(json.dumps(mistakes)) == {
        "n": 3,
        "right": 2,
        "reach": REACH,
        "kinds": {GOLD_ABSENT: 0, ANOTHER_PLACE: 1, BEYOND_WINDOW: 0, FAILED_RECALL: 0},
    }
