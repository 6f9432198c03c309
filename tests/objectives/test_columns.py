"""Columns in files are the columns in memory."""

import numpy as np
import pytest

from wherefrom.core.errors import Damaged
from wherefrom.objectives.columns import FileColumns, MemoryColumns, map_columns

KINDS = {"a": np.uint8, "b": np.int16, "c": np.int64, "d": np.bool_}


def fill(columns: FileColumns | MemoryColumns) -> dict[str, np.ndarray]:
    for first in (0, 200):
        columns.extend("a", np.arange(first, first + 50))
        columns.extend("b", -np.arange(first, first + 2))
        columns.extend("c", np.array([2**40 + first]))
        columns.extend("d", np.array([True, False]))
    return columns.finish()


def test_both_hold_what_was_added_in_its_order(tmp_path):
    for columns in (MemoryColumns(KINDS), FileColumns(tmp_path, KINDS)):
        found = fill(columns)
        assert {name: array.dtype for name, array in found.items()} == KINDS
        assert found["a"].tolist() == [*range(50), *range(200, 250)]
        assert found["b"].tolist() == [0, -1, -200, -201]
        assert found["c"].tolist() == [2**40, 2**40 + 200]
        assert found["d"].tolist() == [True, False, True, False]


def test_mapped_columns_can_be_changed_without_changing_the_file(tmp_path):
    fill(FileColumns(tmp_path, KINDS))
    map_columns(tmp_path)["a"][:] = 7
    assert map_columns(tmp_path)["a"].tolist()[:3] == [0, 1, 2]


def test_a_type_that_is_none_of_ours_is_damage(tmp_path):
    fill(FileColumns(tmp_path, KINDS))
    file = tmp_path / "kinds.json"
    file.write_text(file.read_text().replace("int16", "object"))
    with pytest.raises(Damaged, match=r"kinds\.json: expected types of numbers, found 'object'"):
        map_columns(tmp_path)
