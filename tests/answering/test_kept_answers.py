"""Kept answers: the same as new ones, and nothing is decoded twice."""

import numpy as np
import pytest

from wherefrom.answering.closed_book import FEATURES, open_closed_book
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.kept_answers import FILE, RememberingModel, read_kept, write_kept
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.run import open_run


@pytest.fixture(scope="module")
def run(tiny_run):
    return open_run(tiny_run)


def ask(model, run, count):
    return model.answer([model.parse(q.text) for q in run.dataset.select("held-out")[:count]])


def test_a_remembering_model_answers_like_the_model_itself(run):
    model = open_closed_book(run)
    plain, remembered = ask(model, run, 4), ask(RememberingModel.of(model), run, 4)
    assert [a.text for a in remembered.answers] == [a.text for a in plain.answers]
    assert remembered.questions == plain.questions
    for name in FEATURES:
        np.testing.assert_allclose(remembered.features[name], plain.features[name], rtol=1e-4)


def test_a_question_is_answered_once(run, monkeypatch):
    model = RememberingModel.of(open_closed_book(run))
    first = ask(model, run, 3)
    answerer = type(model.answerer)
    monkeypatch.setattr(answerer, "answer", lambda *_: pytest.fail("it was decoded again"))
    again = ask(model, run, 3)
    assert again.answers == first.answers


def test_questions_may_repeat_and_come_in_any_order(run):
    model = RememberingModel.of(open_closed_book(run))
    a, b = (model.parse(q.text) for q in run.dataset.select("held-out")[:2])
    found = model.answer([b, a, b])
    assert found.answers[0] == found.answers[2]
    assert [q.text for q in found.questions] == [b.text, a.text, b.text]
    assert model.answer([]).answers == ()


def test_what_is_written_is_what_is_read(run, tmp_path):
    model = RememberingModel.of(open_closed_book(run))
    ask(model, run, 5)
    write_kept(RunFolder(tmp_path), model.kept)
    assert read_kept(RunFolder(tmp_path)) == model.kept


def test_the_evaluation_keeps_every_question_that_was_not_trained_on(run):
    kept = read_kept(run.folder)
    wanted = {q.text for q in run.dataset.questions if q.split != "asked"}
    assert set(kept) == wanted


@pytest.mark.parametrize("content", ["", "{}\n", '{"question": "q", "answer": 3}\n', "no json\n"])
def test_a_file_of_another_version_or_a_damaged_one_is_not_used(tmp_path, content):
    (tmp_path / "audit").mkdir()
    (tmp_path / FILE).write_text(content)
    assert read_kept(RunFolder(tmp_path)) == {}
    assert read_kept(RunFolder(tmp_path / "nowhere")) == {}


def test_some_answers_may_be_kept_with_more_features(run):
    model = RememberingModel.of(open_closed_book(run))
    found = ask(model, run, 3)
    usual = FeatureTable({"usual": np.array([0.25, 0.5])})
    model.keep_more(found.questions[:2], usual)
    assert list(model.answer(found.questions[:2]).features["usual"]) == [0.25, 0.5]
    assert tuple(model.answer(found.questions).features.columns) == FEATURES  # what all three have
