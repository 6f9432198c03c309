"""Whether people asked about are like the calibration people."""

import re
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wherefrom.answering.features import FAMILIARITY
from wherefrom.answering.populations import (
    LEAST,
    NEW_ANSWERS,
    STATED,
    People,
    check_population,
    describe_people,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.forms import Form, ParsedQuestion

Stated = namedtuple("Stated", "stated")
FORM = Form("Where was ", " born?")


def asked(name: str) -> ParsedQuestion:
    return ParsedQuestion(FORM.fill(name), FORM, name, "birthplace")


USUAL = {"familiar": 0.0, "new": 0.1, "longer": 0, "stated": 0.6}


def people(n: int, seed: int, **changed: float) -> People:
    generator, of = np.random.default_rng(seed), USUAL | changed
    lengths = generator.integers(8, 20, n) + of["longer"]
    numbers = {
        "length of the name": lengths.astype(float),
        "length of the question": lengths + 16.0,
        "familiarity of the name": generator.normal(of["familiar"], 1, n),
        "least familiar letter": generator.normal(of["familiar"], 1, n),
    }
    properties = {
        NEW_ANSWERS: (generator.random(n) < of["new"]).astype(float),
        STATED: (generator.random(n) < of["stated"]).astype(float),
    }
    return People(numbers, properties)


def test_what_is_compared_by_hand():
    questions = (
        Question("", "Ann", "birthplace", "Oslo", "asked"),
        Question("", "Ann", "trade", "Rome", "asked"),
        Question("", "Bo", "birthplace", "Lima", "held-out"),
    )
    stated = {"Ann": "Oslo", "Di": "Bonn"}

    def judge_answer(question: ParsedQuestion, _: str) -> Any:
        return None if question.subject == "Cyril" else Stated(stated.get(question.subject))

    inspector: Any = SimpleNamespace(
        opened=SimpleNamespace(dataset=Dataset((), questions=questions)), judge_answer=judge_answer
    )
    table = FeatureTable({name: np.array([1.0, 2.0, 3.0, 4.0]) for name in FAMILIARITY})
    parsed = [asked(name) for name in ("Ann", "Bo", "Cyril", "Di")]
    found = describe_people(inspector, parsed, table, ["Oslo", "Rome", "Lima", None])
    assert found.numbers["length of the name"].tolist() == [3, 2, 5, 2]
    assert found.numbers["length of the question"].tolist() == [19, 18, 21, 18]
    assert found.numbers["familiarity of the name"].tolist() == [1, 2, 3, 4]
    # Rome is an answer to another relation, and Lima was not trained on.
    new, stated = found.properties[NEW_ANSWERS], found.properties[STATED]
    assert new.tolist()[:3] == [0, 1, 1]
    assert np.isnan(new[3])
    assert stated.tolist()[:2] == [1, 0]
    assert np.isnan(stated[2])
    assert len(found) == 4


def test_people_of_one_population_seldom_raise_a_warning():
    warned = [
        check_population(people(150, seed), people(100, 1000 + seed)).warning is not None
        for seed in range(200)
    ]
    assert np.mean(warned) <= 0.08


@pytest.mark.parametrize(
    ("change", "measure", "shown"),
    [
        ({"new": 0.3}, NEW_ANSWERS, r"answers new to training \d+\.\d % instead of \d+\.\d %"),
        ({"stated": 0.3}, STATED, r"text states an answer \d+\.\d % instead of \d+\.\d %"),
        ({"familiar": -1.0}, "familiarity of the name", "familiarity of the name -"),
        ({"longer": 6}, "length of the name", r"length of the name \d+\.\d instead of \d+\.\d on"),
    ],
)
def test_a_difference_is_named(change, measure, shown):
    found = check_population(people(400, 0), people(437, 1, **change))
    assert (found.calibration, found.asked) == (400, 437)
    assert found.measures[measure].differs
    assert re.search(shown, found.warning)
    assert found.warning.startswith("the 437 people asked about differ from the 400 calibration")
    unlike = {name for name, c in found.measures.items() if c.differs}
    alone = {"longer": 2, "familiar": 2, "new": 1, "stated": 1}
    assert len(unlike) == alone[next(iter(change))], "what did not change does not differ"


def test_about_a_few_people_nothing_is_said():
    assert check_population(people(LEAST - 1, 0), people(100, 1)) is None
    assert check_population(people(100, 0), people(LEAST - 1, 1)) is None
    unknown = dict.fromkeys((NEW_ANSWERS, STATED), np.full(30, np.nan))
    found = check_population(people(100, 0), People(people(30, 1).numbers, unknown))
    assert {NEW_ANSWERS, STATED}.isdisjoint(found.measures), "where no answer is known"
