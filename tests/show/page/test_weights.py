"""Weights come back from their bytes, as exactly as their precision allows."""

import base64

import numpy as np
import pytest

from wherefrom.core.errors import BadData, UsageError
from wherefrom.show.page.weights import PRECISIONS, check_precision, pack_weights, unpack_weights


def make_arrays() -> dict[str, np.ndarray]:
    r = np.random.default_rng(0)
    table = r.normal(size=(50, 70)).astype(np.float32)
    table[r.uniform(size=50) < 0.5] = 0
    return {
        "table": table,
        "norm": r.normal(size=33).astype(np.float32),
        "square": r.normal(size=(8, 130)).astype(np.float32) * 1e-3,
        "cube": r.normal(size=(1, 4, 6)).astype(np.float32),
    }


@pytest.mark.parametrize("precision", PRECISIONS)
def test_weights_come_back(precision: str) -> None:
    arrays = make_arrays()
    found = unpack_weights(pack_weights(arrays, precision))
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        assert found[name].shape == array.shape
        assert found[name].dtype == np.float32
        error = np.abs(found[name] - array)
        if precision == "fp32" or name == "norm":
            assert not error.any()
        elif precision == "fp16":
            assert (error <= np.abs(array) * 2**-11 + 2**-25).all()
        else:  # at most half a step of the largest value that shares a scale: no row is worse
            steps = 127 if precision == "int8" else 2047
            assert (error <= np.abs(array).max(-1, keepdims=True) / steps / 2 * 1.001).all()
        assert (found[name][array == 0] == 0).all()


def test_one_large_value_spoils_only_its_own_block() -> None:
    array = np.full((1, 128), 0.01, dtype=np.float32)
    array[0, 5] = 100
    found = unpack_weights(pack_weights({"a": array}, "int8"))["a"]
    assert np.allclose(found[0, 64:], 0.01, rtol=1e-3)


def test_rows_of_zeros_take_no_room() -> None:
    full = np.ones((64, 100), dtype=np.float32)
    sparse = full.copy()
    sparse[8:] = 0
    sizes = [len(pack_weights({"a": a}, "fp32").data) for a in (full, sparse)]
    assert sizes == [64 * 400, 8 * 400 + 8]  # 8 rows, and a bit for each of 64


def test_equal_weights_give_equal_bytes_in_any_order() -> None:
    arrays = make_arrays()
    backwards = dict(reversed(arrays.items()))
    assert pack_weights(arrays, "int8") == pack_weights(backwards, "int8")


def test_numbers_that_16_bits_cannot_hold_keep_32() -> None:
    packed = pack_weights({"a": np.array([[70000.0, 1.0]])}, "fp16")
    assert packed.entries["a"]["dtype"] == "f32"
    assert unpack_weights(packed)["a"].tolist() == [[70000.0, 1.0]]


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(BadData, match="weights of 'a': expected finite numbers"):
        pack_weights({"a": np.array([[np.nan]])}, "fp16")


def test_a_precision_that_there_is_not() -> None:
    with pytest.raises(
        UsageError, match="precision: expected auto, fp32, fp16, int12, int8, found 'fp8'"
    ):
        check_precision("fp8")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_base64_is_the_bytes(precision: str) -> None:
    packed = pack_weights(make_arrays(), precision)
    assert base64.b64decode(packed.base64) == packed.data
