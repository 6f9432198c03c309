"""The sliders of the attention lab against the lab's own attention."""

import numpy as np
import pytest

from wherefrom.course.lab.numerics import softmax


def test_shares_of_one_head_and_of_two(run_js):
    """How much of item a is in the output, where a's key is 1 + gamma long."""
    code = "return given.map((each) => Lab.prototype.shares.call({ items: 10 }, ...each));"
    places = [(10.0, 0.3), (10.0, -1.5), (1.0, 0.0), (500.0, 2.0)]
    shown = run_js({"ui/lab.js": "Lab"}, code, places)
    a, b = np.eye(10)[:2]
    for (beta, gamma), found in zip(places, shown, strict=True):
        keys = np.eye(10) + gamma * np.outer(a, a)
        one, *two = (softmax(keys @ (beta * query))[0] for query in (a + b, a, b))
        assert found == pytest.approx({"one": one, "two": np.mean(two)})
