"""When to say nothing: learnt on some people, reported on others."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.answering.abstention import REFUSE_ALL
from wherefrom.answering.asking import reply
from wherefrom.answering.features import FEATURES
from wherefrom.answering.policy import (
    Doubt,
    learn_certified_doubt,
    learn_doubt,
    report_doubt,
)
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData


def question(name: str, answer: str = "Oslo", support: str = "stated") -> Question:
    return Question(f"Where was {name} born?", name, "birthplace", answer, "asked", support)


class Examined:
    """Stands for an asker: each question has its features and its answer given."""

    def __init__(self, rows: dict[str, tuple[Answer, tuple[float, ...]]]) -> None:
        self.rows = rows
        self.unknown: set[str] = set()

    def can_ask(self, question: str) -> bool:
        return question not in self.unknown

    def examine(self, questions):
        answers, features = zip(*(self.rows[q] for q in questions), strict=True)
        return list(answers), np.array(features)


def row(right: bool, familiar: float) -> tuple[Answer, tuple[float, ...]]:
    return Answer("Oslo" if right else "Rome", 0.9), (-0.1, 2.0, familiar, familiar)


def world() -> tuple[Examined, dict[str, list[Question]]]:
    """Familiar people are answered rightly, others wrongly; surely so in both cases."""
    groups = {
        "calibration": [(True, 1.0)] * 30 + [(False, -4.0)] * 20,
        "stated": [(True, 1.0)] * 7 + [(False, 1.0)] + [(False, -4.0)] * 2,
        "omitted": [(False, 1.0)] + [(False, -4.0)] * 3,
        "none": [(False, -4.0)] * 5,
    }
    rows, questions = {}, {}
    for group, people in groups.items():
        support = "stated" if group == "calibration" else group
        questions[group] = [question(f"{group} {i}", support=support) for i in range(len(people))]
        for asked, (right, familiar) in zip(questions[group], people, strict=True):
            rows[asked.text] = row(right, familiar)
    return Examined(rows), questions


def test_doubt_is_learnt_from_people_whose_truth_is_known():
    asker, questions = world()
    doubt = learn_doubt(asker, questions["calibration"], 0.9)
    assert doubt.calibration.features == FEATURES
    assert doubt.threshold.answered_share == 0.6
    assert doubt.threshold.precision == 1.0
    assert doubt.threshold.n == 50
    _, features = asker.examine([q.text for q in questions["calibration"]])
    probability = doubt.calibration.probability(features)
    assert (probability[:30] > 0.9).all()
    assert (probability[30:] < 0.1).all()


def test_doubt_is_reported_by_what_the_text_says():
    asker, questions = world()
    doubt = learn_doubt(asker, questions.pop("calibration"), 0.9)
    found = report_doubt(asker, doubt, questions)
    assert {name: (score.value, score.n) for name, score in found.items()} == {
        "answered_share": (0.8, 10),
        "precision": (7 / 8, 8),
        "refused_birthplace_omitted": (0.75, 4),
        "refused_without_text": (1.0, 5),
    }
    assert all(s.interval[0] <= s.value <= s.interval[1] for s in found.values())


def test_people_that_cannot_be_asked_about_are_left_out():
    """Somebody kept back may have a question of a form that nobody was asked in."""
    asker, questions = world()
    asker.unknown = {questions["calibration"][0].text, questions["none"][0].text}
    doubt = learn_doubt(asker, questions["calibration"], 0.9)
    assert doubt.threshold.n == 49
    assert report_doubt(asker, doubt, {"none": questions["none"]})["refused_without_text"].n == 4
    certified, certificate = learn_certified_doubt(asker, questions["calibration"], 0.2, 0.2)
    assert certificate.certified
    assert certified.threshold.value == certificate.threshold
    asker.unknown = {q.text for q in questions["calibration"]}
    with pytest.raises(BadData, match="expected questions that the model can be asked, found none"):
        learn_doubt(asker, questions["calibration"], 0.9)


def test_groups_without_people_are_left_out():
    asker, questions = world()
    doubt = learn_doubt(asker, questions["calibration"], 0.9)
    assert report_doubt(asker, doubt, {"stated": [], "none": questions["none"]}).keys() == {
        "refused_without_text"
    }


def test_where_everything_was_wrong_nothing_is_answered():
    people = [question(f"x {i}") for i in range(20)]
    asker = Examined({q.text: row(False, i / 10) for i, q in enumerate(people)})
    doubt = learn_doubt(asker, people, 0.9)
    assert doubt.threshold.value == REFUSE_ALL
    found = report_doubt(asker, doubt, {"stated": people, "none": people})
    assert found["answered_share"].value == 0.0
    assert "precision" not in found
    assert found["refused_without_text"].value == 1.0


def test_no_answer_is_given_that_is_likelier_wrong_than_right():
    """One in three right, and a precision of 0.3 asked for: still none is answered."""
    people = [question(f"x {i}") for i in range(30)]
    asker = Examined({q.text: row(i % 3 == 0, 0.0) for i, q in enumerate(people)})
    doubt = learn_doubt(asker, people, 0.3)
    assert doubt.threshold.answered_share == 0.0


def test_doubt_comes_back_from_json():
    asker, questions = world()
    doubt = learn_doubt(asker, questions["calibration"], 0.9)
    assert Doubt.from_json(json.loads(json.dumps(doubt.as_json()))) == doubt


@pytest.mark.parametrize(
    "data", [None, [], {}, {"calibration": {}}, {"calibration": 1, "threshold": 2}]
)
def test_doubt_of_another_form_is_refused(data):
    with pytest.raises(BadData, match="expected"):
        Doubt.from_json(data)


# --- names that the model does not know --------------------------------------------------------


class Namesakes:
    """One nonexistent name for each name."""

    def of(self, name: str) -> tuple[str, ...]:
        return (f"{name} of nowhere",)


class Acquainted(Examined):
    """Nobody of nowhere is known; whoever has features is as familiar as they say."""

    def acquaintance(self, names):
        return np.array([[-6.0, -6.0] if name.endswith("of nowhere") else [0.0, 0.0]
                         for name in names])  # fmt: skip


def people_with_text(n: int = 40) -> tuple[Acquainted, list[Question]]:
    """All familiar, and right where the model is sure."""
    people = [question(f"x {i}") for i in range(n)]
    rows = {
        q.text: (Answer("Oslo" if i % 2 else "Rome", 0.9), (-0.1 if i % 2 else -3.0, 2.0, z, z))
        for i, q in enumerate(people)
        for z in ((i % 5) / 5,)
    }
    return Acquainted(rows), people


def test_a_name_that_was_not_read_is_refused_however_sure_the_model_is():
    asker, people = people_with_text()
    features = np.array([(-0.1, 2.0, 0.5, 0.5), (-0.1, 2.0, -6.0, -6.0)])
    alone, doubt = (learn_doubt(asker, people, 0.9, n) for n in (None, Namesakes()))
    assert alone.gate is None
    assert alone.score(features)[1] > 0.5, "nobody taught the curve to mind"
    known, unknown = doubt.score(features)
    assert (known > 0.9, unknown) == (True, 0.0)
    assert (doubt.probability(features) == alone.probability(features)).all()
    replies = reply(doubt, ["one?", "two?"], [Answer("Oslo", 0.9)] * 2, features)
    assert [(r.known, r.stranger) for r in replies] == [(True, False), (False, True)]
    assert replies[0].confidence == pytest.approx(doubt.probability(features)[0])
    assert replies[1].confidence is None, "it is not meant for such a name"
    unsure = reply(alone, ["two?"], [Answer("Oslo", 0.9)], features[1:])
    assert unsure[0].stranger is None, "nothing tells known names from others there"
    assert Doubt.from_json(json.loads(json.dumps(doubt.as_json()))) == doubt


def test_a_promise_counts_unknown_names_as_refused():
    asker, people = people_with_text(200)
    doubt, certificate = learn_certified_doubt(asker, people, 0.1, 0.1, Namesakes())
    assert certificate.certified
    assert doubt.gate is not None
    assert doubt.score(np.array([(-0.1, 2.0, -6.0, -6.0)]))[0] == 0.0


def test_without_people_who_have_text_no_name_is_known_or_unknown():
    asker, people = people_with_text()
    strangers = [replace(q, support="none") for q in people]
    assert learn_doubt(asker, strangers, 0.9, Namesakes()).gate is None
