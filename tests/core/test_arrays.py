"""Arrays come back bit for bit; hostile files are refused."""

import json
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.arrays import load_arrays, save_arrays
from wherefrom.core.errors import Damaged


@pytest.fixture
def alone(monkeypatch):
    """As if safetensors were not installed."""
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)


DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]


@settings(deadline=None, max_examples=40)
@given(
    dtype=st.sampled_from(DTYPES),
    shape=st.lists(st.integers(0, 4), max_size=3),
    turned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_arrays_come_back_bit_for_bit(dtype, shape, turned, seed):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    data = np.random.default_rng(seed).integers(0, 2, size, dtype=np.uint8).tobytes()
    array = np.frombuffer(data, dtype).reshape(shape)
    array = array.T if turned else array  # a view whose memory is in another order
    with tempfile.TemporaryDirectory() as folder:
        save_arrays(Path(folder) / "a", {"x": array, "other": np.arange(3)})
        loaded = load_arrays(Path(folder) / "a")
    assert loaded.keys() == {"x", "other"}
    assert (loaded["x"].dtype, loaded["x"].shape) == (array.dtype, array.shape)
    assert loaded["x"].tobytes() == array.tobytes()


def test_no_arrays_come_back_as_none(tmp_path):
    save_arrays(tmp_path / "a", {})
    assert load_arrays(tmp_path / "a") == {}


def tensor(start: int, end: int, **changed: object) -> dict[str, object]:
    plain = {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}
    return plain | changed


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


ONE, NONE = json.dumps(tensor(0, 4)).encode(), json.dumps(tensor(0, 0)).encode()
HOSTILE = {
    "empty": b"",
    "seven bytes": b"\0" * 7,
    "huge header": safetensors({"a": tensor(0, 4)}, b"abcd", length=2**63),
    "header past the end": safetensors({"a": tensor(0, 4)}, b"abcd", length=500),
    "200,000 arrays": safetensors(
        b"{%s}" % b",".join(b'"%d":%s' % (i, NONE) for i in range(200_000))
    ),
    "truncated": safetensors({"a": tensor(0, 4)}, b"abc"),
    "too long": safetensors({"a": tensor(0, 4)}, b"abcde"),
    "overlap": safetensors({"a": tensor(0, 4), "b": tensor(2, 6)}, b"abcdef"),
    "same bytes twice": safetensors({"a": tensor(0, 4), "b": tensor(0, 4)}, b"abcd"),
    "hole": safetensors({"a": tensor(0, 2), "b": tensor(4, 6)}, b"abcdef"),
    "duplicate name": safetensors(b'{"a": %s, "a": %s}' % (ONE, ONE), b"abcd"),
    "duplicate name, escaped": safetensors(b'{"a": %s, "\\u0061": %s}' % (ONE, ONE), b"abcd"),
    "shape too large": safetensors({"a": tensor(0, 4, shape=[2**40])}, b"abcd"),
    "shape that overflows": safetensors({"a": tensor(0, 4, shape=[2**32, 2**32 + 1])}, b"abcd"),
    "negative offset": safetensors({"a": tensor(0, 4, data_offsets=[-4, 0])}, b"abcd"),
    "unknown dtype": safetensors({"a": tensor(0, 4, dtype="OBJECT")}, b"abcd"),
    "dtype numpy lacks": safetensors({"a": tensor(0, 4, dtype="BF16", shape=[2])}, b"abcd"),
    "no object": safetensors([1, 2]),
    "no place": safetensors({"a": {"dtype": "U8", "shape": [4]}}, b"abcd"),
    "backwards": safetensors({"a": tensor(0, 4, data_offsets=[4, 0])}, b"abcd"),
    "not JSON": safetensors(b"{'a': 1}"),
    "deeply nested": safetensors(b"[" * 100_000),
    "pickle": b"\x80\x04\x95" + b"." * 100,
}


@pytest.mark.parametrize("installed", [True, False], ids=["package", "alone"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_safetensors_are_damage(tmp_path, request, name, installed):
    if not installed:
        request.getfixturevalue("alone")
    (tmp_path / "a.safetensors").write_bytes(HOSTILE[name])
    with pytest.raises(Damaged, match=r"a\.safetensors") as caught:
        load_arrays(tmp_path / "a.safetensors")
    assert "\n" not in str(caught.value)


def test_the_hostile_files_differ_from_a_good_one_only_by_their_fault(tmp_path):
    good = safetensors({"a": tensor(0, 4), "b": tensor(4, 6)}, b"abcdef")
    (tmp_path / "a").write_bytes(good)
    loaded = load_arrays(tmp_path / "a")
    assert {name: array.tobytes() for name, array in loaded.items()} == {"a": b"abcd", "b": b"ef"}
