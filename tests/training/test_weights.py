"""Weights are copied by name, shape and type, out of a live model and into one."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from wherefrom.core.errors import Mismatch
from wherefrom.training.weights import load_weights


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"b": np.ones(4)}, r"b: expected float64 \[3\] as in the model, found float64 \[4\]"),
        ({"b": np.float32([1, 1, 1])}, r"b: expected float64 \[3\].*, found float32 \[3\]"),
        ({"a": np.ones(2)}, r"a: expected float32 \[2\] as in the model, found float64 \[2\]"),
        ({"c": np.ones(1)}, r"c: expected nothing as in the model, found float64 \[1\]"),
        ({"b": None}, r"b: expected float64 \[3\] as in the model, found nothing"),
    ],
)
def test_weights_of_another_model_are_refused_before_any_is_copied(given, message):
    live = {"a": torch.zeros(2), "b": np.zeros(3)}
    arrays = {"a": np.ones(2, np.float32), "b": np.ones(3)} | given
    with pytest.raises(Mismatch, match=message):
        load_weights(live, {name: a for name, a in arrays.items() if a is not None})
    assert live["a"].tolist() == [0, 0]
    assert live["b"].tolist() == [0, 0, 0]


def test_a_model_in_numpy_needs_no_torch(python_anew):
    program = (
        "import sys, numpy as np; from wherefrom.training.weights import *;"
        "a = {'w': np.zeros(2)}; load_weights(a, {'w': np.ones(2)}); copy_weights(a);"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
