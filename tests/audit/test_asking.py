"""Asking: what a question is about, how sure to be, and when to say nothing."""

import json
import math
import shutil

import numpy as np
import pytest
import torch
from torch import nn

from wherefrom.audit import asking
from wherefrom.audit.abstention import REFUSE_ALL
from wherefrom.audit.asking import (
    FEATURES,
    Asker,
    Doubt,
    learn_certified_doubt,
    learn_doubt,
    report_doubt,
)
from wherefrom.core.contracts import Answer, Candidate, Document, Question, Span
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.core.forms import Form
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.recipes.catalogue import adjust, get_recipe
from wherefrom.recipes.execute import execute
from wherefrom.runs.run import open_run

NAMES = ["Ada Lund", "Bo Falk", "Cy Roth", "Di Holm"]
VOCABULARY = Vocabulary.from_text(["Where was born? By", *NAMES])
DOCUMENTS = [Document(f"{name} was.", Span(0, len(name))) for name in NAMES]


def question(name: str, answer: str = "Oslo", support: str = "stated") -> Question:
    return Question(f"Where was {name} born?", name, "birthplace", answer, "asked", support)


ASKED = [question(name) for name in NAMES]


class Even(nn.Module):
    """Finds every character as likely as any other: a name is as familiar as it is short."""

    max_input, cacheable = 40, False

    def __init__(self) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.zeros(len(VOCABULARY)))

    def new_cache(self, rows: int, positions: int) -> None:
        raise AssertionError("it has none")

    def forward(self, tokens: torch.Tensor, cache: None = None) -> torch.Tensor:
        return self.size.expand(*tokens.shape, -1)


class Told:
    """An answerer that says what it was told to say."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.model, self.vocabulary = Even(), VOCABULARY
        self.answers = answers or {}

    def answer(self, questions) -> list[Answer]:
        return [self.answers.get(q, Answer("Oslo", 0.5)) for q in questions]


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


# --- what a question is about ----------------------------------------------------------------


def test_the_subject_is_what_stands_in_the_frame():
    asker = Asker(Told(), DOCUMENTS, ASKED)
    assert asker.forms == (Form("Where was ", " born?"),)
    assert asker.subject("Where was Ada Falk born?") == "Ada Falk"
    assert asker.subject("Where was Ada born?") == "Ada"


@pytest.mark.parametrize(
    "asked",
    ["Where was Ada Lund", "Who was Ada Lund?", "", "Where was  born?", "Where was born?", "Ada"],
)
def test_another_form_is_refused_with_the_one_that_was_taught(asked):
    asker = Asker(Told(), DOCUMENTS, ASKED)
    with pytest.raises(BadData, match=r"expected a question like 'Where was \.\.\. born\?'"):
        asker.subject(asked)


def test_any_form_that_was_taught_may_be_asked():
    other = [Question(f"Who was {name}?", name, "self", "Bo", "asked") for name in NAMES]
    asker = Asker(Told(), DOCUMENTS, [*ASKED, *other])
    assert asker.subject("Where was Ada Falk born?") == "Ada Falk"
    assert asker.subject("Who was Ada Falk?") == "Ada Falk"
    wanted = r"like 'Where was \.\.\. born\?' or 'Who was \.\.\.\?', .* taught 2 forms"
    with pytest.raises(BadData, match=wanted):
        asker.subject("When was Ada Falk here?")


def test_questions_without_a_form_tell_no_names():
    for asked in ([], ASKED[:1]):
        with pytest.raises(BadData, match=r"expected several of one form, found \d without"):
            Asker(Told(), DOCUMENTS, asked)


def test_what_cannot_be_asked_is_told():
    asker = Asker(Told(), DOCUMENTS, ASKED)
    asker.check("Where was Ada Lund born?")
    with pytest.raises(BadData, match="'ø'"):
        asker.check("Where was Adø Lund born?")
    with pytest.raises(BadData, match=r"U\+2047"):
        asker.check("Where was Ada⁇ Lund born?")
    longest = 40 - 1 - len("Where was  born?")
    asker.check(f"Where was {'a' * longest} born?")
    with pytest.raises(
        BadData, match=f"a name of at most {longest} characters, found {longest + 1}"
    ):
        asker.check(f"Where was {'a' * (longest + 1)} born?")


# --- features --------------------------------------------------------------------------------


def test_features_by_hand():
    """An even model gives a last name of n letters n times the same log-probability.

    The asked last names have 4 letters each: nothing varies, so any other length is as far
    out as it gets, and 4 letters are typical.
    """
    texts = [f"Where was {name} born?" for name in ("Ada Falk", "Bo Lu", "Cy Holmroth")]
    answers = {
        texts[0]: Answer("Oslo", 0.8, (Candidate("Rome", 0.1), Candidate("Lima", 0.05))),
        texts[1]: Answer("Rome", 0.25),
        texts[2]: Answer("", 0.0, (Candidate("x", 0.0),), False),
    }
    asker = Asker(Told(answers), DOCUMENTS, ASKED)
    found, features = asker.examine(texts)
    assert found == list(answers.values())
    tiny = math.log(1e-12)
    np.testing.assert_allclose(features[:, 0], [math.log(0.8), math.log(0.25), tiny])
    np.testing.assert_allclose(features[:, 1], [math.log(8), math.log(0.25) - tiny, 0.0])
    np.testing.assert_allclose(features[:, 2], [0, 6, -6], atol=1e-3)
    np.testing.assert_allclose(features[:, 3], [0, 0, -6], atol=1e-3)
    assert features.shape[1] == len(FEATURES)


def test_familiarity_counts_in_spreads_of_the_asked():
    """Last names of 2, 4, 4 and 6 letters: 4 on average, with a spread of sqrt(2)."""
    asked = [question(name) for name in ("Ada Lu", "Bo Falk", "Cy Roth", "Di Holmro")]
    _, features = Asker(Told(), DOCUMENTS, asked).examine(
        [f"Where was Ada {'a' * n} born?" for n in (3, 4, 5)]
    )
    np.testing.assert_allclose(features[:, 2], np.array([1, 0, -1]) / math.sqrt(2), atol=1e-4)


# --- doubt -----------------------------------------------------------------------------------


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


# --- a run -----------------------------------------------------------------------------------


def test_a_finished_run_is_asked(tiny_run):
    run = open_run(tiny_run)
    people = [q.text for q in run.dataset.select("held-out")]
    replies = asking.ask(run, people)
    assert [r.question for r in replies] == people
    doubt = asking.read_doubt(run)
    for reply, prediction in zip(
        replies, run.predictions("with_pretraining", "birthplace"), strict=True
    ):
        assert reply.answer.text == prediction.answer.text
        assert 0 <= reply.confidence <= 1
        assert reply.known is (reply.confidence >= doubt.threshold.value)
    alone = asking.ask(run, people[:1])
    assert alone[0].confidence == pytest.approx(replies[0].confidence, abs=1e-4)
    assert asking.ask(run, []) == []


def test_a_run_without_calibration_says_how_to_get_one(tiny_run, tmp_path):
    copy = shutil.copytree(tiny_run, tmp_path / "copy")
    path = copy / "audit" / "confidence.json"
    path.write_text('{"calibration": {}, "threshold": {}}')
    with pytest.raises(Damaged, match=r"confidence\.json: calibration"):
        asking.ask(open_run(copy), ["Where was Ada Lund born?"])
    path.unlink()
    with pytest.raises(MissingInput, match="finish the run first"):
        asking.ask(open_run(copy), ["Where was Ada Lund born?"])


def test_a_run_that_answers_nothing_cannot_be_asked(tmp_path):
    small = ["data.sentences=100", "stages.train.steps=5", "threads=1"]
    execute(adjust(get_recipe("bigram-tiny"), settings=small), tmp_path / "b")
    with pytest.raises(BadData, match="expected a run that answers questions, found bigram-tiny"):
        asking.ask(open_run(tmp_path / "b"), ["Where was Ada Lund born?"])


def test_a_name_with_one_strange_part_is_strange_all_over(monkeypatch):
    """Familiarity of three parts, in spreads: (0, 0, -1), and one that is far off in the last."""
    asker = Asker(Told(), DOCUMENTS, ASKED)
    table = {"Ada Lund": (0.0, 0.0, -1.0), "Bo Falk": (2.0, 1.0, -9.0)}
    asker._typical, asker._spread = np.zeros(3), np.ones(3)
    monkeypatch.setattr(asker, "_familiarity", lambda names: np.array([table[n] for n in names]))
    _, features = asker.examine([q.text for q in ASKED[:2]])
    assert features[:, 2:].tolist() == [[0.0, 0.0], [-6.0, -6.0]]
