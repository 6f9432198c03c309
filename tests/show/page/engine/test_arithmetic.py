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


@pytest.mark.parametrize("rows", [1, 2, 4, 7])
@pytest.mark.parametrize("outputs", [1, 4, 9])
def test_a_linear_layer(run_js, rows: int, outputs: int) -> None:
    r = np.random.default_rng(rows * outputs)
    x, w, b = r.normal(size=(rows, 5)), r.normal(size=(outputs, 5)), r.normal(size=outputs)
    code = """
    const layer = new Linear(Float32Array.from(given.w), 5, Float32Array.from(given.b));
    const x = new Float32Array(8 * 6); // rows stand further apart than they are wide
    given.x.forEach((row, i) => x.set(row, 6 * i));
    const y = new Float32Array(8 * layer.stride);
    layer.apply(x, 6, given.x.length, y);
    const row = (i) => y.subarray(i * layer.stride, i * layer.stride + layer.outputs);
    return given.x.map((_, i) => [...row(i)]);
    """
    given = {"x": x.tolist(), "w": w.ravel().tolist(), "b": b.tolist()}
    assert np.allclose(run_js(ARITHMETIC, code, given), x @ w.T + b, atol=1e-5)


def test_softmax_of_large_logits(run_js) -> None:
    code = """
    const out = new Float64Array(4);
    logSoftmax([9, 1000, 1000, 1000, -1000], 1, 4, out, 0);
    return [...out];
    """
    assert run_js(ARITHMETIC, code, None) == pytest.approx(
        [-math.log(3)] * 3 + [-2000 - math.log(3)]
    )


def test_sigmoid_of_large_numbers(run_js) -> None:
    found = run_js(ARITHMETIC, "return [-800, 0, 800].map(sigmoid);", None)
    assert found == [0, 0.5, 1]
