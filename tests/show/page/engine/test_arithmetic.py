"""Arithmetic against numpy and against truths known by hand."""

import math

import numpy as np
import pytest

ARITHMETIC = {"arithmetic.js": "Linear, gelu, logSoftmax, normalCdf, sigmoid"}


def test_the_normal_cdf(run_js) -> None:
    places = np.linspace(-12, 12, 2001).tolist()
    found = run_js(ARITHMETIC, "return given.map(normalCdf);", places)
    expected = [0.5 * math.erfc(-x / math.sqrt(2)) for x in places]
    assert np.abs(np.array(found) - expected).max() < 1e-8


def test_softmax_and_sigmoid_of_large_numbers(run_js) -> None:
    code = """
    const out = new Float64Array(4);
    logSoftmax([9, 1000, 1000, 1000, -1000], 1, 4, out, 0);
    return [...out, ...[-800, 0, 800].map(sigmoid)];
    """
    expected = [-math.log(3)] * 3 + [-2000 - math.log(3), 0, 0.5, 1]
    assert run_js(ARITHMETIC, code, None) == pytest.approx(expected)
