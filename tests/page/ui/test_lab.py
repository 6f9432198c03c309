"""The sliders of the attention lab against its softmax."""

import numpy as np
import pytest

from wherefrom.lab.numerics import softmax


def test_shares_of_one_head_and_of_two(run_js):
    code = "return given.map((each) => Lab.prototype.shares.call({ items: 10 }, ...each));"
    places = [(10.0, 0.3), (10.0, -1.5), (1.0, 0.0), (500.0, 2.0)]
    for (beta, gamma), found in zip(
        places, run_js({"ui/lab.js": "Lab"}, code, places), strict=True
    ):
        a, b = (1 + gamma) * np.eye(10)[0], np.eye(10)[1]
        keys = np.vstack([a, b, np.eye(10)[2:]])
        one = softmax(keys @ (beta * (np.eye(10)[0] + b)))[0]
        each = [softmax(keys @ (beta * query))[i] for i, query in enumerate((np.eye(10)[0], b))]
        assert found == pytest.approx({"one": one, "two": np.mean(each)})
