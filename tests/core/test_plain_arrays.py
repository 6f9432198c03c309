"""The safetensors layout against the package: the same bytes out, the same arrays in."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from wherefrom.core.arrays import load_arrays, save_arrays
from wherefrom.core.plain_arrays import pack, unpack

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32",
          "uint16", "uint8", "bool", "complex64"]  # fmt: skip
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
FORMS = st.tuples(st.sampled_from(DTYPES), st.lists(st.integers(0, 3), max_size=3))


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(NAMES, FORMS, max_size=6))
def test_the_bytes_are_the_packages(forms):
    arrays = {
        name: np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
        for name, (dtype, shape) in forms.items()
    }
    written = save(arrays)
    assert pack(arrays) == written
    found = unpack(written)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()
        assert found[name].flags.writeable


def test_a_file_by_hand():
    header = b'{"b":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}}  '
    assert pack({"b": np.array([1, -2], np.int16)}) == (
        len(header).to_bytes(8, "little") + header + b"\x01\x00\xfe\xff"
    )


def test_what_safetensors_has_no_word_for_is_refused():
    with pytest.raises(ValueError, match="complex128, which safetensors has not"):
        pack({"x": np.zeros(1, np.complex128)})


def test_it_stands_in_where_the_package_is_missing(tmp_path, monkeypatch):
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    turned = np.arange(6.0, dtype=np.float32).reshape(2, 3).T
    save_arrays(tmp_path / "a", {"x": turned, "one": np.array(3)})
    loaded = load_arrays(tmp_path / "a")
    assert (loaded["x"] == turned).all()
    assert loaded["one"].shape == ()
    header = b'{"__metadata__":{"by":"us"},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}'
    (tmp_path / "b").write_bytes(len(header).to_bytes(8, "little") + header + b"ab")
    assert {k: v.tobytes() for k, v in load_arrays(tmp_path / "b").items()} == {"a": b"ab"}
