"""Files of arrays against the package safetensors; hostile files are refused."""

import json
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from wherefrom.core.arrays import load_arrays, save_arrays
from wherefrom.core.errors import Damaged

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32",
          "uint16", "uint8", "bool", "complex64"]  # fmt: skip
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
FORMS = st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 3), max_size=3), st.booleans())


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(NAMES, FORMS, max_size=6))
def test_files_are_those_of_the_package_and_arrays_come_back_bit_for_bit(forms):
    arrays = {}
    for name, (dtype, shape, turned) in forms.items():
        array = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
        arrays[name] = array.T if turned else array  # a view whose memory is in another order
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        save_arrays(path, arrays)
        assert path.read_bytes() == save({n: a.copy("C") for n, a in arrays.items()})
        loaded = load_arrays(path)
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (loaded[name].dtype, loaded[name].shape) == (array.dtype, array.shape)
        assert loaded[name].tobytes() == array.tobytes()
        assert loaded[name].flags.writeable


def tensor(start: int, end: int, **changed: object) -> dict[str, object]:
    plain = {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}
    return plain | changed


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


ONE, NONE = json.dumps(tensor(0, 4)).encode(), json.dumps(tensor(0, 0)).encode()
HOSTILE = {
    "empty": b"",
    "huge header": safetensors({"a": tensor(0, 4)}, b"abcd", length=2**63),
    "header past the end": safetensors({"a": tensor(0, 4)}, b"abcd", length=500),
    "200,000 arrays": safetensors(
        b"{%s}" % b",".join(b'"%d":%s' % (i, NONE) for i in range(200_000))
    ),
    "truncated": safetensors({"a": tensor(0, 4)}, b"abc"),
    "too long": safetensors({"a": tensor(0, 4)}, b"abcde"),
    "overlap": safetensors({"a": tensor(0, 4), "b": tensor(2, 6)}, b"abcdef"),
    "hole": safetensors({"a": tensor(0, 2), "b": tensor(4, 6)}, b"abcdef"),
    "duplicate name": safetensors(b'{"a": %s, "a": %s}' % (ONE, ONE), b"abcd"),
    "shape too large": safetensors({"a": tensor(0, 4, shape=[2**40])}, b"abcd"),
    "no numbers, too many for numpy": safetensors({"a": tensor(0, 0, shape=[0, 2**70])}),
    "shape that overflows": safetensors({"a": tensor(0, 4, shape=[2**32, 2**32 + 1])}, b"abcd"),
    "negative offset": safetensors({"a": tensor(0, 4, data_offsets=[-4, 0])}, b"abcd"),
    "unknown dtype": safetensors({"a": tensor(0, 4, dtype="OBJECT")}, b"abcd"),
    "dtype numpy lacks": safetensors({"a": tensor(0, 4, dtype="BF16", shape=[2])}, b"abcd"),
    "no object": safetensors([1, 2]),
    "backwards": safetensors({"a": tensor(0, 4, data_offsets=[4, 0])}, b"abcd"),
    "not JSON": safetensors(b"{'a': 1}"),
    "deeply nested": safetensors(b"[" * 100_000),
    "pickle": b"\x80\x04\x95" + b"." * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_safetensors_are_damage(tmp_path, name):
    (tmp_path / "a.safetensors").write_bytes(HOSTILE[name])
    with pytest.raises(Damaged, match=r"a\.safetensors") as caught:
        load_arrays(tmp_path / "a.safetensors")
    assert "\n" not in str(caught.value)


def test_the_hostile_files_differ_from_a_good_one_only_by_their_fault(tmp_path):
    header = {"__metadata__": {"by": "us"}, "a": tensor(0, 4), "b": tensor(4, 6)}
    good = safetensors(header, b"abcdef")
    (tmp_path / "a").write_bytes(good)
    loaded = load_arrays(tmp_path / "a")
    assert {name: array.tobytes() for name, array in loaded.items()} == {"a": b"abcd", "b": b"ef"}


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 1e38])
def test_numbers_that_no_training_publishes_are_damage(tmp_path, number):
    save_arrays(tmp_path / "a", {"x": np.array([1.0, number], np.float32)})
    with pytest.raises(Damaged, match="a: x: expected numbers of at most 1e\\+30, found"):
        load_arrays(tmp_path / "a")
