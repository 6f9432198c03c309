"""Columns of features by their names against arrays taken by hand, and files of answers."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.answer_table import (
    PREDICTION,
    AnswerTable,
    FeatureTable,
    Prediction,
    decode_answers,
    encode_answers,
)
from wherefrom.core.contracts import Answer, Candidate, Question

VALUES = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
TABLE = FeatureTable.from_matrix(VALUES, ("a", "b"))


def test_columns_and_rows_are_those_that_are_named():
    assert (TABLE["b"].tolist(), len(TABLE), len(FeatureTable({}))) == ([10.0, 20.0, 30.0], 3, 0)
    assert TABLE.matrix(("b", "a")).tolist() == VALUES[:, ::-1].tolist()
    assert TABLE.rows(np.array([True, False, True]))["a"].tolist() == [1.0, 3.0]
    assert TABLE.rows(np.array([2, 0, 0]))["b"].tolist() == [30.0, 10.0, 10.0]
    assert TABLE.row(1) == {"a": 2.0, "b": 20.0}
    assert {type(value) for value in TABLE.row(1).values()} == {float}, "as JSON has them"
    with pytest.raises(KeyError, match=r"feature 'c': expected one of \('a', 'b'\)"):
        TABLE.matrix(("a", "c"))


def test_tables_are_put_side_by_side_or_below_each_other_by_the_names_of_their_columns():
    joined = TABLE.join(FeatureTable({"c": np.arange(3.0), "a": np.zeros(3)}))
    assert tuple(joined.columns) == ("a", "b", "c")
    assert joined["a"].tolist() == [0, 0, 0], "the later ones win"
    below = TABLE.append(FeatureTable({"b": np.array([4.0]), "a": np.array([3.0])}))
    assert below.matrix(("a", "b")).tolist() == [*VALUES.tolist(), [3.0, 4.0]]


def test_columns_must_fit_each_other_and_their_names():
    for bad in ({"a": np.zeros(2), "b": np.zeros(3)}, {"a": np.zeros((2, 2))}):
        with pytest.raises(ValueError, match="expected columns of one length"):
            FeatureTable(bad)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        FeatureTable.from_matrix(VALUES, ("a",))


# --- files -----------------------------------------------------------------------------------

ADA = Question("Where was Ada born?", "Ada", "birthplace", "Oslo", "", "omitted")


def encode(*answers: Answer, question: Question = ADA) -> list[dict[str, Any]]:
    rows = encode_answers(AnswerTable.of([question] * len(answers), answers), PREDICTION)
    return json.loads(json.dumps(list(rows)))


candidates = st.lists(st.builds(Candidate, st.text(), st.floats(0, 1)), max_size=3)
given_answers = st.builds(
    Answer, st.sampled_from(["", "Paris", "Zürich"]), st.floats(0, 1), candidates.map(tuple),
    st.booleans(),
)  # fmt: skip


@given(st.text(), st.text(), st.sampled_from(["Paris", "Rome"]), given_answers)
def test_predictions_come_back_from_json(text, subject, gold, answer):
    question = Question(text, subject, "where", gold, "", "stated")
    found = decode_answers(encode(answer, question=question), PREDICTION)
    assert list(found) == [Prediction(question, answer)]


def test_accepted_answers_and_ids_come_back():
    question = replace(ADA, accepted=("Christiania", "Kristiania"), id="q1")
    assert not {"id", "accepted"} & encode(Answer("Oslo", 0.5))[0].keys()
    rows = encode(Answer("Kristiania", 0.5), Answer("Rome", 0.5), question=question)
    assert (rows[0]["id"], rows[0]["accepted"]) == ("q1", ["Christiania", "Kristiania"])
    assert [row["correct"] for row in rows] == [True, False]
    assert [p.question for p in decode_answers(rows, PREDICTION)] == [question] * 2


def test_some_rows_may_have_more_features_than_others():
    fields = ("question", "answer", "probability", "features")
    features = FeatureTable({"a": np.array([0.25, 0.5]), "b": np.array([np.nan, 2.0])})
    table = replace(AnswerTable.of([ADA, ADA], [Answer("Oslo", 0.5)] * 2), features=features)
    rows = list(encode_answers(table, fields))
    assert [row["features"] for row in rows] == [{"a": 0.25}, {"a": 0.5, "b": 2.0}]
    found = decode_answers(rows, fields).features
    np.testing.assert_array_equal(found.matrix(("a", "b")), features.matrix(("a", "b")))
