"""The log-linear model: probabilities and thresholds by hand, the fit against scipy's."""

import numpy as np
import pytest

from wherefrom.reading import log_linear
from wherefrom.reading.log_linear import (
    FOLDS,
    RIDGE,
    Example,
    LogLinearModel,
    choose_rival,
    choose_threshold,
)


def probabilities(features: list[list[str]], weights: dict[str, float]) -> np.ndarray:
    scores = [sum(weights.get(name, 0.0) for name in each) for each in features]
    return LogLinearModel.probabilities(scores)


def test_probabilities_by_hand():
    """Scores 0, log 2 and, for none, 0: shares of 1, 2 and 1 in 4."""
    weights = {"a": 0.5, "b": np.log(2) - 0.5}
    np.testing.assert_allclose(probabilities([["unknown"], ["a", "b"]], weights), [0.25, 0.5])


@pytest.mark.parametrize(("weight", "wanted"), [(1000.0, 1.0), (-1000.0, 0.0)])
def test_large_scores_do_not_overflow(weight, wanted):
    np.testing.assert_allclose(probabilities([["x"]], {"x": weight}), [wanted])


def test_of_thresholds_that_do_equally_well_the_nearest_to_a_half_is_taken():
    states = np.array([True, True, False, False])
    assert choose_threshold(np.array([0.9, 0.8, 0.3, 0.1]), states) == 0.5
    assert choose_threshold(np.array([0.9, 0.8, 0.7, 0.1]), states) == pytest.approx(0.71)
    assert choose_threshold(np.array([0.3, 0.2, 0.1, 0.1]), states) == pytest.approx(0.2)


def test_of_many_lines_the_middle_threshold_of_those_about_as_good_is_taken():
    """The best are 0.70 to 0.80; a line in five hundred is chance: 0.31 to 0.90 are as good."""
    many = np.array([0.805, *[0.905] * 249, *[0.305] * 249, 0.695])
    assert choose_threshold(many, np.arange(500) < 250) == pytest.approx(0.605)
    assert choose_threshold(many[:-1], np.arange(499) < 250) == 0.5


def test_a_second_answer_must_be_likelier_than_what_lines_with_one_answer_have():
    assert choose_rival(np.zeros(29), 2, 0.005) == 1.0, "too few to tell"
    assert choose_rival(np.array([0.0] * 39 + [0.9]), 2, 0.005) == 0.05
    assert choose_rival(np.array([0.0] * 38 + [0.9] * 2), 2, 0.005) == 1.0
    four = np.array([0.0] * 96 + [0.2] + [0.9] * 3)
    assert choose_rival(four, 4, 0.005) == pytest.approx(0.8)
    five = np.array([0.0] * 990 + [0.2] * 5 + [0.9] * 5)
    assert choose_rival(five, 2, 0.005) == pytest.approx(0.4)
    assert choose_rival(five, 2, 0.02) == 0.05


def test_lines_without_a_rival_do_not_say_how_likely_rivals_are():
    """Of a thousand lines ten have a rival: too few to tell, however many have none."""
    without = Example([["a"]], [True], 0, is_rival=[False], is_anchored=[False])
    beside = Example(
        [["a"], ["b"]], [True, False], 0, is_rival=[False, True], is_anchored=[False] * 2
    )
    p = np.array([0.8] * 990 + [0.8, 0.2] * 10)
    every, anchored = log_linear._rival_ratios([without] * 990 + [beside] * 10, p)
    np.testing.assert_allclose(every, [0.25] * 10)
    np.testing.assert_allclose(anchored, np.zeros(1000))
    assert choose_rival(every, 2, 0.02) == 1.0


def examples(count: int = 60) -> list[Example]:
    """Candidates with a feature of three; 'a' mostly marks the answer, which may come twice."""
    draw = np.random.default_rng(0)
    found = []
    for person in range(count):
        chosen = draw.integers(3, size=draw.integers(1, 5))
        right = (chosen == 0) & (draw.random(chosen.size) < 0.9)
        found.append(Example([["any", "abc"[c]] for c in chosen], right.tolist(), person % FOLDS))
    return found


def loss(vector: np.ndarray, lines: list[Example], names: list[str]) -> float:
    """What is minimised, written down once more: summed line by line."""
    weights = dict(zip(names, vector, strict=True))
    total = RIDGE / 2 * float(vector @ vector)
    for line in lines:
        p = probabilities(line.features, weights)
        right = p[np.array(line.is_answer)].sum() if any(line.is_answer) else 1 - p.sum()
        total -= float(np.log(right))
    return total


def test_the_fit_is_the_best_there_is():
    from scipy.optimize import minimize

    lines, names = examples(), ["any", "a", "b", "c"]
    model = LogLinearModel.fit_folds(lines)[0]
    best = minimize(loss, np.zeros(4), (lines, names)).fun
    assert loss(np.array([model.weights[name] for name in names]), lines, names) < best + 0.02
    assert 0 < model.threshold < 1
    assert LogLinearModel.fit_folds(lines)[0] == model


def test_nobody_is_judged_by_weights_that_their_own_lines_taught():
    """Features that one person's lines alone have say nothing of that person then."""
    lines = [Example([[f"of {p}"]], [p % 2 == 0], p % FOLDS) for p in range(20) for _ in range(2)]
    _, found = log_linear._cross_validate(lines, log_linear._tabulate(lines)[1])
    np.testing.assert_allclose(found, 0.5)


def test_a_feature_of_one_candidate_teaches_nothing():
    lines = [*examples(), Example([["any", "once"]], [True], 0)]
    assert "once" not in LogLinearModel.fit_folds(lines)[0].weights
