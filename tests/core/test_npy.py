"""Arrays from anybody's hand: read, or refused in one line that recommends nothing unsafe."""

import io
import pickle

import numpy as np
import pytest

from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.npy import read_npy


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "another kind of file"),
        (pickle.dumps([1.0]), "another kind of file"),
        (saved(np.array([{}], dtype=object)), "an array of Python objects, which is not read"),
    ],
)
def test_anything_else_is_refused_in_one_line(tmp_path, data, found):
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(BadData, match=found) as caught:
        read_npy(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: expected an array")
    assert "\n" not in said
    assert "allow_pickle" not in said


@pytest.mark.parametrize(
    "data",
    [
        saved(np.zeros(100))[:-8],
        saved(np.zeros(3)).replace(b"(3,)", b"(9999999999999,)"),
        saved(np.zeros(3))[:9],
        saved(np.zeros(3)).replace(b"(3,)", b"(3x)"),
    ],
)
def test_a_damaged_file_is_told_apart_and_takes_no_memory(tmp_path, data):
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    with pytest.raises(Damaged, match=r"it damaged or cut off .*; get it again") as caught:
        read_npy(path)
    assert str(caught.value).startswith(f"{path}: expected ")
    assert "\n" not in str(caught.value)
