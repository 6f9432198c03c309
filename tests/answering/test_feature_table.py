"""Columns of features by their names, against the same arrays taken by hand."""

import numpy as np
import pytest

from wherefrom.answering.feature_table import FeatureTable

VALUES = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
TABLE = FeatureTable.from_matrix(VALUES, ("a", "b"))


def test_a_column_is_found_by_its_name():
    assert TABLE["b"].tolist() == [10.0, 20.0, 30.0]
    assert len(TABLE) == 3
    with pytest.raises(KeyError, match=r"feature 'c': expected one of \('a', 'b'\)"):
        TABLE["c"]


def test_a_matrix_has_the_columns_that_are_named_in_that_order():
    assert TABLE.matrix(("b", "a")).tolist() == VALUES[:, ::-1].tolist()
    assert TABLE.matrix(("b",)).shape == (3, 1)
    with pytest.raises(KeyError, match="feature 'c'"):
        TABLE.matrix(("a", "c"))


def test_rows_are_taken_by_a_mask_or_by_numbers():
    assert TABLE.rows(np.array([True, False, True]))["a"].tolist() == [1.0, 3.0]
    assert TABLE.rows(np.array([2, 0, 0]))["b"].tolist() == [30.0, 10.0, 10.0]
    assert len(TABLE.rows(np.zeros(3, dtype=bool))) == 0


def test_a_row_is_made_of_plain_numbers():
    assert TABLE.row(1) == {"a": 2.0, "b": 20.0}
    assert {type(value) for value in TABLE.row(1).values()} == {float}


def test_joined_tables_have_the_columns_of_both_and_the_later_ones_win():
    other = FeatureTable({"c": np.arange(3.0), "a": np.zeros(3)})
    joined = TABLE.join(other)
    assert tuple(joined.columns) == ("a", "b", "c")
    assert joined["a"].tolist() == [0, 0, 0]
    assert TABLE["a"].tolist() == [1, 2, 3], "what was joined stays as it is"
    with pytest.raises(ValueError, match="columns of one length"):
        TABLE.join(FeatureTable({"c": np.arange(2.0)}))


def test_columns_must_fit_each_other_and_their_names():
    for bad in ({"a": np.zeros(2), "b": np.zeros(3)}, {"a": np.zeros((2, 2))}, {"a": np.float64()}):
        with pytest.raises(ValueError, match="expected columns of one length"):
            FeatureTable(bad)
    for names in (("a",), ("a", "b", "c")):
        with pytest.raises(ValueError, match=r"expected columns .* found the shape \(3, 2\)"):
            FeatureTable.from_matrix(VALUES, names)
    with pytest.raises(ValueError, match="found the shape"):
        FeatureTable.from_matrix(VALUES[:, 0], ("a", "b"))
    with pytest.raises(ValueError, match="expected every name once"):
        FeatureTable.from_matrix(VALUES, ("a", "a"))


def test_a_table_without_columns_has_no_rows():
    assert len(FeatureTable({})) == 0


def test_rows_are_appended_by_the_names_of_their_columns():
    first = FeatureTable({"a": np.array([1.0]), "b": np.array([2.0])})
    second = FeatureTable({"b": np.array([4.0]), "a": np.array([3.0])})
    assert first.append(second).matrix(("a", "b")).tolist() == [[1.0, 2.0], [3.0, 4.0]]
