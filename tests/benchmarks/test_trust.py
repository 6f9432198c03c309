"""The page's part about trust: what it computes itself."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from trust import kappa, readings


def test_kappa_is_cohens():
    generator = np.random.default_rng(0)
    one = generator.choice(["supported", "contradicted", "silent"], 60).tolist()
    other = [a if generator.random() < 0.7 else "silent" for a in one]
    assert kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))
    assert kappa(one, one) == 1
    assert kappa(["a", "b"], ["b", "a"]) == -1
    assert kappa(["a"], ["a"]) == 1


def test_the_readings_that_are_kept_are_those_of_a_hundred_labels():
    assert readings().startswith("Of 100 evidence labels")
