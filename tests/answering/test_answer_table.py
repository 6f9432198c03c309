"""Columns of features by their names, against the same arrays taken by hand."""

import numpy as np
import pytest

from wherefrom.answering.answer_table import FeatureTable

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
