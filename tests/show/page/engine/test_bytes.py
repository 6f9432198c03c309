"""The page reads the weights that Python wrote."""

import numpy as np
import pytest

from wherefrom.show.page.packed_weights import PRECISIONS, pack_weights, unpack_weights

BYTES = {"bytes.js": "decodeBase64, decodeHalf, unpackTensors"}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_tensors(run_js, precision: str, size: int) -> None:
    """As unpack_weights reads them, with every length of what ends the base64 text."""
    r = np.random.default_rng(1)
    arrays = {"table": r.normal(size=(21, 67)), "norm": r.normal(size=5)}
    arrays["table"][::3] = 0
    arrays["table"][1, 5] = 100  # spoils only the block of 64 that it stands in
    arrays["tail"] = r.normal(size=(1, size))
    arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
    packed = pack_weights(arrays, precision)
    code = """
    const found = unpackTensors(given.entries, decodeBase64(given.base64));
    return Object.fromEntries(Object.entries(found).map(([k, v]) => [k, [...v.values]]));
    """
    found = run_js(BYTES, code, {"entries": packed.entries, "base64": packed.base64})
    for name, array in unpack_weights(packed.entries, packed.data, 10**6).items():
        assert np.array_equal(np.array(found[name], np.float32).reshape(array.shape), array)


def test_every_half(run_js) -> None:
    code = "return Array.from({ length: 65536 }, (_, i) => String(decodeHalf(i)));"
    found = [float(text.replace("Infinity", "inf")) for text in run_js(BYTES, code, None)]
    expected = np.arange(65536, dtype=np.uint16).view(np.float16).astype(float)
    assert np.array_equal(found, expected, equal_nan=True)


def test_weights_that_are_cut_short_are_refused(run_js) -> None:
    packed = pack_weights({"a": np.ones((4, 4))}, "fp32")
    code = """
    try {
      unpackTensors(given.entries, decodeBase64(given.base64).subarray(0, 40));
    } catch (error) {
      return error.message;
    }
    """
    assert run_js(BYTES, code, {"entries": packed.entries, "base64": packed.base64})
