"""Counterfactual memorisation: m by hand, and the file of what retrained models give."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wherefrom.core.config import to_json
from wherefrom.core.errors import Damaged
from wherefrom.memorisation.counterfactual import (
    INFLUENCE,
    RetrainedProbabilities,
    compute_memorisation,
    estimate,
    find_memorisation,
    has_text,
    measure_probabilities,
    measured_models,
    read_rows,
)
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run


@pytest.fixture(scope="module")
def run(tiny_run) -> Run:
    return open_run(tiny_run)


# --- m by hand -------------------------------------------------------------------------------


def test_m_is_the_mean_with_the_text_less_the_mean_without():
    p_KN = np.array([[0.9, 0.5, 0.2], [0.1, 0.5, 0.4], [0.7, 0.1, 0.6], [0.3, 0.3, 0.8]])
    has_text_KN = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)
    found = estimate(p_KN, has_text_KN, np.array([True, True, False]))
    assert found.with_text == pytest.approx([0.8, 0.4, 0.5])
    assert found.without_text == pytest.approx([0.2, 0.3, 0.5])
    assert found.m == pytest.approx([0.6, 0.1, 0.0])
    assert found.recalled.tolist() == [True, False, False]
    assert found.models == 4
    # The readers and the others are paired in their order; a subject without readers has no pair.
    by_pair = [[0.8, 0.0, np.nan], [0.4, 0.2, np.nan]]
    np.testing.assert_allclose(found.m_by_pair, by_pair, atol=1e-12)


def test_an_m_needs_models_with_the_text_and_models_without_it():
    """Two models read the first person's text, none the second's, one the third's.

    The fourth has no text in the run's own corpus: nothing was left out.
    """
    p_KN = np.array([[0.9, 0.8, 0.1, 0.7], [0.8, 0.8, 0.9, 0.7]])
    has_text_KN = np.array([[True, False, True, False], [True, False, False, False]])
    found = estimate(p_KN, has_text_KN, np.array([True, True, True, False]))
    np.testing.assert_allclose(found.m, [np.nan, np.nan, -0.8, 0.0])
    assert not found.recalled.any(), "nor where the text makes an answer less likely"


def test_a_model_that_did_not_measure_an_answer_does_not_count_for_it():
    """The second answer was measured by the last two models alone."""
    p_KN = np.array([[0.9, np.nan], [0.1, np.nan], [0.7, 0.8], [0.3, 0.2]])
    has_text_KN = np.array([[1, 1], [0, 0], [1, 1], [0, 0]], dtype=bool)
    found = estimate(p_KN, has_text_KN, np.array([True, True]))
    assert found.m == pytest.approx([0.6, 0.6])
    np.testing.assert_allclose(found.m_by_pair, [[0.8, 0.6], [0.4, np.nan]], atol=1e-12)


def rows_about(*questions: str) -> list[RetrainedProbabilities]:
    return [
        RetrainedProbabilities("a", questions, ("Rome", "Oslo"), (False, True), (0.2, 0.9)),
        RetrainedProbabilities("b", questions, ("Rome", "Oslo"), (True, False), (0.8, 0.3)),
    ]


def test_rows_are_read_by_question_and_answer(run: Run):
    one, two = run.dataset.questions[:2]
    rows = rows_about(two.text, one.text)
    assert compute_memorisation(rows, [one, two], ["Oslo", "Rome"]).m == pytest.approx([0.6, 0.6])
    other = compute_memorisation(rows, [one, two], ["Oslo", "Bonn"]).m
    assert other[0] == pytest.approx(0.6)
    assert math.isnan(other[1])  # the model gives another answer now


# --- with models -----------------------------------------------------------------------------


def test_a_model_beside_itself_shows_no_memorisation(run: Run):
    without_text = run.dataset.select("held-out", ("none",))
    answers = [q.answer or "" for q in without_text]
    rows = measure_probabilities([run, run], without_text, answers)
    questions = run.dataset.questions
    assert has_text(run.dataset, questions).tolist() == [q.support != "none" for q in questions]
    found = compute_memorisation(rows, without_text, answers)
    assert found.m == pytest.approx(np.zeros(len(without_text)))
    assert found.models == 2


def test_models_of_an_earlier_call_count_if_they_were_measured_on_the_same_answers(
    run: Run, tmp_path: Path
):
    """A dear measurement made elsewhere is not lost by a cheap one here."""
    questions = run.dataset.questions[:2]
    texts = [q.text for q in questions]
    assert find_memorisation(RunFolder(tmp_path), [], questions, ["Rome", "Oslo"]) is None
    first, second = rows_about(*texts)
    other = RetrainedProbabilities("c", first.questions, ("x", "y"), (True, True), (0.5, 0.5))
    written = "".join(json.dumps(to_json(row)) + "\n" for row in (first, second, other))
    put(tmp_path, written)
    found = find_memorisation(RunFolder(tmp_path), [run], questions, ["Rome", "Oslo"])
    assert found.models == 3
    own = measure_probabilities([run], questions, ["Rome", "Oslo"])
    assert read_rows(RunFolder(tmp_path)) == [first, second, *own]
    again = find_memorisation(RunFolder(tmp_path), [run], questions, ["Rome", "Oslo"])
    assert again.models == 3, "the run's own row is replaced, not added again"


def test_one_answer_that_another_machine_rounds_otherwise_loses_no_model(run: Run, tmp_path: Path):
    questions = run.dataset.questions[:4]
    texts = tuple(q.text for q in questions)
    earlier = RetrainedProbabilities("a", texts, ("A", "B", "C", "D"), (True,) * 4, (0.5,) * 4)
    put(tmp_path, json.dumps(to_json(earlier)) + "\n")
    assert measured_models(RunFolder(tmp_path)) == {"a"}
    find_memorisation(RunFolder(tmp_path), [run], questions, ["A", "B", "C", "E"])
    assert measured_models(RunFolder(tmp_path)) == {"a", run.path.name}
    find_memorisation(RunFolder(tmp_path), [run], questions, ["A", "B", "F", "E"])
    assert measured_models(RunFolder(tmp_path)) == {run.path.name}, "half are others"


# --- the file --------------------------------------------------------------------------------


def put(folder: Path, text: str) -> RunFolder:
    made = RunFolder(folder)
    made.write_text(INFLUENCE, text)
    return made


def write_line(folder: Path, line: Any) -> RunFolder:
    return put(folder, json.dumps(line) + "\n")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ({"model": "x", "questions": ["a"]}, "line 1: Object missing required field `answers`"),
        (3, "line 1: Expected `object`"),
        (
            {"model": "x", "questions": ["a"], "answers": [], "has_text": [], "probabilities": []},
            "answers: expected as many as the 1 questions, found 0",
        ),
    ],
)
def test_other_rows_are_refused(tmp_path: Path, line, found: str):
    path = write_line(tmp_path, line)
    with pytest.raises(Damaged, match=found) as error:
        read_rows(path)
    assert INFLUENCE in str(error.value)
    assert "remove it and audit again" in str(error.value)
    with pytest.raises(Damaged, match="expected a row for each retrained model, found none"):
        find_memorisation(put(tmp_path, ""), [], [], [])
