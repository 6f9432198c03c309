"""The choice among phrases: probabilities and thresholds by hand, the fit against scipy's."""

import numpy as np
import pytest
from scipy.optimize import minimize

from wherefrom.evidence import log_linear as choice
from wherefrom.evidence.log_linear import Example, choose_threshold, fit, probabilities


def test_probabilities_by_hand():
    """Scores 0, log 2 and, for none, 0: shares of 1, 2 and 1 in 4."""
    weights = {"a": 0.5, "b": np.log(2) - 0.5}
    found = probabilities([["unknown"], ["a", "b"]], weights)
    np.testing.assert_allclose(found, [0.25, 0.5])
    np.testing.assert_allclose(probabilities([["x"]], {"x": 1000.0}), [1.0])
    np.testing.assert_allclose(probabilities([["x"]], {"x": -1000.0}), [0.0])


def test_of_thresholds_that_do_as_well_the_nearest_to_a_half_is_taken():
    told = np.array([True, True, False, False])
    assert choose_threshold(np.array([0.9, 0.8, 0.3, 0.1]), told) == 0.5
    assert choose_threshold(np.array([0.9, 0.8, 0.7, 0.1]), told) == pytest.approx(0.71)
    assert choose_threshold(np.array([0.3, 0.2, 0.1, 0.1]), told) == pytest.approx(0.2)


def examples(count: int = 60) -> list[Example]:
    """Phrases with a clue of three; 'a' mostly tells the answer, which may stand there twice."""
    draw = np.random.default_rng(0)
    found = []
    for person in range(count):
        clues = draw.integers(3, size=draw.integers(1, 5))
        right = (clues == 0) & (draw.random(clues.size) < 0.9)
        found.append(Example([["any", "abc"[c]] for c in clues], right.tolist(), person))
    return found


def loss(vector: np.ndarray, lines: list[Example], names: list[str]) -> float:
    """What is minimised, written down once more: summed line by line."""
    weights = dict(zip(names, vector, strict=True))
    total = choice.RIDGE / 2 * float(vector @ vector)
    for line in lines:
        p = probabilities(line.phrases, weights)
        hit = p[np.array(line.right)].sum() if any(line.right) else 1 - p.sum()
        total -= float(np.log(hit))
    return total


def test_the_fit_is_the_best_there_is():
    lines, names = examples(), ["any", "a", "b", "c"]
    weights, threshold = fit(lines)
    best = minimize(loss, np.zeros(4), (lines, names)).fun
    assert loss(np.array([weights[name] for name in names]), lines, names) < best + 0.02
    assert 0 < threshold < 1
    assert fit(lines) == (weights, threshold)


def test_a_clue_that_stands_once_teaches_nothing():
    lines = [*examples(), Example([["any", "once"]], [True], 60)]
    assert "once" not in fit(lines)[0]
