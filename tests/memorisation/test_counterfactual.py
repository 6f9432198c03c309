"""What an answer owes to the text: probabilities against direct computation, m by hand."""

import math

import numpy as np
import pytest
import torch

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.memorisation.counterfactual import (
    estimate,
    measure,
    probabilities,
    read_influence,
    told,
)
from wherefrom.runs.run import Run, open_run


@pytest.fixture(scope="module")
def run(tiny_run) -> Run:
    return open_run(tiny_run)


def test_m_is_the_mean_with_the_text_less_the_mean_without():
    p_KN = np.array([[0.9, 0.5, 0.2], [0.1, 0.5, 0.4], [0.7, 0.1, 0.6], [0.3, 0.3, 0.8]])
    told_KN = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)
    found = estimate(p_KN, told_KN, np.array([True, True, False]))
    assert found.with_text == pytest.approx([0.8, 0.4, 0.5])
    assert found.without_text == pytest.approx([0.2, 0.3, 0.5])
    assert found.m == pytest.approx([0.6, 0.1, 0.0])
    assert found.recalled.tolist() == [True, False, False]
    assert found.models == 4
    # By two models: told and untold in their order; who was told to none has no such number.
    np.testing.assert_allclose(found.singles, [[0.8, 0.0, np.nan], [0.4, 0.2, np.nan]], atol=1e-12)


def test_who_was_told_to_every_model_cannot_be_judged():
    found = estimate(np.array([[0.9], [0.8]]), np.ones((2, 1), dtype=bool), np.array([True]))
    assert math.isnan(found.m[0])
    assert not found.recalled[0]


def test_who_was_left_out_of_every_model_cannot_be_judged_either():
    """Half a pair: these people have text, but no model has read it."""
    told = np.array([[True, False, False]])
    found = estimate(np.array([[0.9, 0.8, 0.7]]), told, np.array([True, True, False]))
    assert [math.isnan(m) for m in found.m] == [True, True, False]
    assert found.m[2] == 0


def test_probabilities_are_products_over_the_characters_of_the_answer(run: Run):
    predictor = run.predictor()
    question = run.dataset.questions[0]
    assert question.answer
    found = probabilities(predictor, [question.text], [question.answer])
    encode = predictor.vocabulary.encode
    product, text = 1.0, [*encode(question.text), MASK_ID]
    for token in (*encode(question.answer), MASK_ID):
        with torch.no_grad():
            logits = predictor.model(torch.tensor([text]))[0, -1].double()
        product *= float(logits.softmax(-1)[token])
        text.append(token)
    assert found[0] == pytest.approx(product, rel=1e-4)


def test_the_search_and_the_scoring_agree_about_an_answer(run: Run):
    questions = [q.text for q in run.dataset.questions[:5]]
    answers = run.predictor().answer(questions)
    closed = [i for i, a in enumerate(answers) if a.finished]
    found = probabilities(run.predictor(), questions, [a.text for a in answers])
    for i in closed:
        assert found[i] == pytest.approx(answers[i].probability, rel=1e-3)


def test_told_is_what_the_data_set_says(run: Run):
    questions = run.dataset.questions
    assert told(run.dataset, questions).tolist() == [q.support != "none" for q in questions]


def test_measuring_with_one_model_twice_gives_no_influence(run: Run):
    untold = run.dataset.select("held-out", ("none",))
    answers = [q.answer or "" for q in untold]
    found = read_influence(measure([run, run], untold, answers), untold, answers)
    assert found.m == pytest.approx(np.zeros(len(untold)))
    assert found.models == 2


def test_rows_are_read_by_question_and_answer(run: Run):
    one, two = run.dataset.questions[:2]
    rows = [
        {"questions": [two.text, one.text], "answers": ["Rome", "Oslo"], "p": [0.2, 0.9],
         "told": [False, True]},
        {"questions": [two.text, one.text], "answers": ["Rome", "Oslo"], "p": [0.8, 0.3],
         "told": [True, False]},
    ]  # fmt: skip
    assert read_influence(rows, [one, two], ["Oslo", "Rome"]).m == pytest.approx([0.6, 0.6])
    other = read_influence(rows, [one, two], ["Oslo", "Bonn"]).m
    assert other[0] == pytest.approx(0.6)
    assert math.isnan(other[1])  # the model says something else now


def test_no_rows_are_refused():
    with pytest.raises(BadData, match="expected a row for each model, found none"):
        read_influence([], [], [])


def test_what_the_model_cannot_read_at_once_is_not_asked_of_it(run: Run):
    predictor = run.predictor()
    question = run.dataset.questions[0].text
    room = predictor.model.max_input - len(question)  # the closing mask falls outside
    whole, longer = probabilities(predictor, [question] * 2, ["a" * room, "a" * (room + 50)])
    assert 0 < whole == longer


@pytest.mark.parametrize("row", [{}, {"questions": 3}, {"questions": ["a"], "answers": []}])
def test_other_rows_are_refused(row):
    with pytest.raises(BadData, match="expected rows with questions"):
        read_influence([row], [], [])
