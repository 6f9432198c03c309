"""Questions put to a model: which it can be asked, its answers, and their features."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.support.made_up import Scripted, Unmoved, ask
from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book
from wherefrom.answering.features import FAMILIARITY, FEATURES
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import Answer, Candidate, Dataset, Document, Span
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.runs.opened_run import open_run

NAMES = ["Ada Lund", "Bo Falk", "Cy Roth", "Di Holm"]
VOCABULARY = Vocabulary.from_text(["Where was born? By", *NAMES])
DOCUMENTS = [Document(f"{name} was.", Span(0, len(name))) for name in NAMES]


ASKED = tuple(ask(name) for name in NAMES)


# It finds every character as likely as any other: a name is as familiar as it is short.
EVEN = Unmoved([0.0] * len(VOCABULARY), 40)


class Even(Scripted):
    model, vocabulary = EVEN, VOCABULARY


def closed_book(answerer: Even | None = None) -> ClosedBookModel:
    return ClosedBookModel(answerer or Even(), Dataset(tuple(DOCUMENTS), questions=ASKED))


# --- what can be asked -----------------------------------------------------------------------


def test_what_the_model_cannot_read_is_named():
    model = closed_book()
    assert model.parse("Where was Ada Lund born?").text == "Where was Ada Lund born?"
    with pytest.raises(BadData, match="'ø'"):
        model.parse("Where was Adø Lund born?")
    with pytest.raises(BadData, match=r"U\+2047"):
        model.parse("Where was Ada⁇ Lund born?")
    longest = 40 - 1 - len("Where was  born?")
    assert model.parse(f"Where was {'a' * longest} born?").subject == "a" * longest
    with pytest.raises(BadData, match=f"name of at most {longest} characters, found {longest + 1}"):
        model.parse(f"Where was {'a' * (longest + 1)} born?")
    # A name is spelt where every form can hold it.
    spelt = {"Ada Falk": True, "Adø Falk": False, "Ada⁇": False, "": False, "  ": False,
             "a" * longest: True, "a" * (longest + 1): False}  # fmt: skip
    assert {name: model.spells(name) for name in spelt} == spelt


def test_a_name_that_the_text_has_was_meant_as_it_is():
    documents = (*DOCUMENTS, Document("By Ada Lunde and Ada Lundqv."))
    model = ClosedBookModel(Even(), Dataset(documents, questions=ASKED))
    assert model.find_meant("Ada Lundt") == ("Ada Lund",)
    assert model.find_meant("ada  LUNDE") == ()
    assert model.find_meant("Ada Lundq") == ("Ada Lund",), "a part of a word is no mention"


def test_names_that_notes_taught_are_measured_in_questions():
    model = ClosedBookModel(Even(), Dataset(tuple(DOCUMENTS), questions=ASKED), names_taught=True)
    assert (closed_book().openings, model.openings) == ([""], ["Where was ", ""])


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
    model = closed_book(Even(answers))
    questions = tuple(model.parse(text) for text in texts)
    found = model.answer(questions)
    assert (found.asked, found.answers) == (questions, tuple(answers.values()))
    tiny, features = math.log(1e-12), found.features
    assert tuple(features.columns) == FEATURES
    expected = {
        "log_probability": [math.log(0.8), math.log(0.25), tiny],
        "margin": [math.log(8), math.log(0.25) - tiny, 0.0],
        "familiarity": [0, 6, -6],
        "least_familiar": [0, 0, -6],
    }
    for name, column in expected.items():
        np.testing.assert_allclose(features[name], column, atol=1e-3 if name in FAMILIARITY else 0)


# --- answers ---------------------------------------------------------------------------------


def test_a_question_is_decoded_once_and_not_at_all_where_that_was_done_before():
    model = closed_book(answerer := Even({ASKED[0].text: Answer("Rome", 0.6)}))
    first, second, third = (model.parse(q.text) for q in ASKED[:3])
    before = {second.text: Answer("Lima", 0.25, (Candidate("Rome", 0.125),))}
    model.decoded |= before
    found = model.answer([first, second, first, third])
    assert answerer.decoded == [first.text, third.text]
    assert [a.text for a in found.answers] == ["Rome", "Lima", "Rome", "Oslo"]
    assert found.features["margin"][1] == pytest.approx(math.log(2))


def test_of_a_long_text_before_names_the_model_reads_what_fits():
    """Even the longest name that can be asked about is scored after some of it."""

    def measured(opening: str) -> FeatureTable:
        span = Span(len(opening), len(opening) + len("Ada Lund"))
        documents = (Document(f"{opening}Ada Lund", span),)
        model = ClosedBookModel(Even(), Dataset(documents, questions=ASKED))
        longest = "a" * (40 - 1 - len("Where was  born?"))
        return model.measure([model.parse(f"Where was {longest} born?").subject, "Ada Lund"])

    long, fitting = measured("Where was Ada Lund born? " * 9), measured("? ")
    assert np.isfinite(long.matrix(tuple(long.columns))).all()
    for name, column in long.columns.items():
        np.testing.assert_allclose(column, fitting[name], rtol=1e-5)


def test_a_run_that_answers_no_questions_is_named():
    recipe = SimpleNamespace(name="sentiment")
    for predictor, questions in ((object(), ASKED), (ModelAnswerer(EVEN, VOCABULARY), ())):
        run = SimpleNamespace(
            path=Path("runs/x"),
            recipe=recipe,
            dataset=Dataset((), questions=questions),
            predictor=lambda predictor=predictor: predictor,
        )
        with pytest.raises(
            BadData, match=r"runs/x: expected a run that answers .* found a run of 'sentiment'"
        ):
            open_closed_book(run)


def test_a_question_of_no_form_is_asked_by_itself_alone(tiny_run):
    """Evaluators ask questions as they stand, in whatever form."""
    model = open_closed_book(open_run(tiny_run))
    assert model.searches_wordings
    assert model.word_texts(["Who is it?"]) == {}
    assert len(model.answerer.prompts("Who is it?")) == 1
