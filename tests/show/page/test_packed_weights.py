"""Weights as bytes: how many, what is refused, and what comes back."""

import base64

import numpy as np
import pytest

from wherefrom.core.errors import BadData
from wherefrom.show.page.packed_weights import PRECISIONS, pack_weights, unpack_weights


def test_rows_of_zeros_take_no_room() -> None:
    full = np.ones((64, 100), dtype=np.float32)
    sparse = full.copy()
    sparse[8:] = 0
    packed = [pack_weights({"a": a}, "fp32") for a in (full, sparse)]
    assert [len(each.data) for each in packed] == [64 * 400, 8 * 400 + 8]  # a bit for each of 64
    assert base64.b64decode(packed[1].base64) == packed[1].data


def test_numbers_that_16_bits_cannot_hold_keep_32() -> None:
    packed = pack_weights({"a": np.array([[70000.0, 1.0]])}, "fp16")
    assert packed.entries["a"]["dtype"] == "f32"
    assert np.frombuffer(packed.data, "<f4").tolist() == [70000.0, 1.0]
    # Numbers that are none are refused.
    with pytest.raises(BadData, match="weights of 'a': expected finite numbers"):
        pack_weights({"a": np.array([[np.nan]])}, "fp16")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_they_come_back_within_half_a_step(precision: str) -> None:
    """engine/test_bytes.py reads the same bytes in the page's own way."""
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(40, 70)).astype(np.float32)
    rows[3:20] = 0
    arrays = {"a": rows, "b": draw.normal(size=7).astype(np.float32), "c": rows[:3, :5].copy()}
    rows[1, 5] = 100  # spoils only the block of 64 that it stands in
    packed = pack_weights(arrays, precision)
    assert pack_weights(dict(reversed(arrays.items())), precision) == packed
    found = unpack_weights(packed.entries, packed.data, 10**6)
    step = {"fp32": 0.0, "fp16": 2**-9, "int12": 1 / 2047, "int8": 1 / 127}[precision]
    for name, array in arrays.items():
        assert found[name].dtype == np.float32
        for start in range(0, array.shape[-1], 64):
            block = np.s_[..., start : start + 64]
            most = np.abs(array[block]).max(-1, keepdims=True)
            exact = 0 if array.ndim < 2 else step / 2 * most * 1.001
            assert (np.abs(found[name] - array)[block] <= exact).all()
    assert not found["a"][3:20].any()


def test_bytes_that_are_missing_are_told() -> None:
    packed = pack_weights({"a": np.ones((4, 4), np.float32)}, "int12")
    with pytest.raises(ValueError, match="buffer"):
        unpack_weights(packed.entries, packed.data[:-3], 16)
    with pytest.raises(ValueError, match="expected at most 15 numbers, found 16"):
        unpack_weights(packed.entries, packed.data, 15)
