"""Weights as bytes: how many, and what is refused; engine/test_bytes.py reads them back."""

import base64

import numpy as np
import pytest

from wherefrom.core.errors import BadData
from wherefrom.show.page.packed_weights import pack_weights


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


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(BadData, match="weights of 'a': expected finite numbers"):
        pack_weights({"a": np.array([[np.nan]])}, "fp16")
