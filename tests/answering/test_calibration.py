"""The calibration against scikit-learn with the same penalty and the same imagined answers."""

import json
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from wherefrom.answering.calibration import PSEUDO, LogisticCalibration
from wherefrom.core.errors import BadData


def _answers(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 3)) * (1.0, 20.0, 0.01) + (0.0, -30.0, 5.0)
    logits = 1.5 * x[:, 0] - 0.08 * (x[:, 1] + 30) + 0.5
    return x, generator.random(n) < 1 / (1 + np.exp(-logits))


def _reference(x: np.ndarray, right: np.ndarray, ridge: float) -> LogisticRegression:
    z = (x - x.mean(0)) / x.std(0)
    rows = np.vstack((z, np.zeros((2, x.shape[1]))))
    labels = np.append(right, (True, False))
    weight = np.append(np.ones(len(x)), (PSEUDO, PSEUDO))
    model = LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-12, max_iter=500)
    return model.fit(rows, labels, sample_weight=weight)


@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("n", [12, 90, 2000])
def test_the_fit_is_scikit_learns(n, ridge):
    x, right = _answers(n, seed=n)
    found = LogisticCalibration.fit(x, right, ("a", "b", "c"), ridge)
    expected = _reference(x, right, ridge)
    assert found.weights == pytest.approx(expected.coef_[0], abs=1e-6)
    assert found.bias == pytest.approx(expected.intercept_[0], abs=1e-6)
    z = (x - x.mean(0)) / x.std(0)
    assert found.probability(x) == pytest.approx(expected.predict_proba(z)[:, 1], abs=1e-6)


def test_perfect_separation_stays_finite_and_right():
    x = np.append(np.linspace(-9, -5, 40), np.linspace(-2, 0, 60))[:, None]
    right = x[:, 0] > -3
    found = LogisticCalibration.fit(x, right, ("familiarity",))
    p = found.probability(x)
    assert p == pytest.approx(_reference(x, right, 1.0).predict_proba(
        (x - x.mean()) / x.std())[:, 1], abs=1e-6)  # fmt: skip
    assert p[right].min() > 0.6 > 0.4 > p[~right].max()
    assert 0.001 < p.min() < p.max() < 0.9999


@pytest.mark.parametrize("n", [1, 10, 80])
def test_all_right_gives_jeffreys_rate(n):
    """Weights stay 0 and the bias is the log-odds of n + 1/2 against 1/2."""
    x = np.random.default_rng(0).normal(size=(n, 2))
    for right, rate in ((True, (n + 0.5) / (n + 1)), (False, 0.5 / (n + 1))):
        found = LogisticCalibration.fit(x, np.full(n, right), ("a", "b"))
        assert found.weights == pytest.approx((0, 0), abs=1e-9)
        assert found.probability(x) == pytest.approx(np.full(n, rate), abs=1e-9)


def test_a_constant_feature_changes_nothing():
    x, right = _answers(200, seed=1)
    constant = np.hstack((x[:, :1], np.full((200, 1), 0.1)))
    alone = LogisticCalibration.fit(x[:, :1], right, ("a",))
    found = LogisticCalibration.fit(constant, right, ("a", "constant"))
    assert found.probability(constant) == pytest.approx(alone.probability(x[:, :1]), abs=1e-9)
    moved = constant + np.array([0, 1.0])
    assert found.probability(moved) == pytest.approx(found.probability(constant), abs=1e-6)


def test_units_do_not_matter():
    x, right = _answers(150, seed=2)
    scaled = x * (1000, 0.1, -7) + (3, -200, 1)
    found = LogisticCalibration.fit(scaled, right, ("a", "b", "c")).probability(scaled)
    expected = LogisticCalibration.fit(x, right, ("a", "b", "c")).probability(x)
    assert found == pytest.approx(expected, abs=1e-9)


def test_it_is_calibrated_on_average():
    """At the optimum the bias's gradient is 0: probabilities add up to the right answers."""
    x, right = _answers(400, seed=3)
    p = LogisticCalibration.fit(x, right, ("a", "b", "c")).probability(x)
    assert p.sum() == pytest.approx(right.sum(), abs=PSEUDO)


def test_far_features_do_not_overflow():
    x, right = _answers(50, seed=4)
    found = LogisticCalibration.fit(x, right, ("a", "b", "c"))
    with np.errstate(over="raise", invalid="raise"):
        p = found.probability(np.array([[1e6, -30, 5], [-1e6, -30, 5]]))
    assert p[0] == pytest.approx(1.0)
    assert 0 <= p[1] < 1e-6


def test_it_comes_back_from_json():
    x, right = _answers(60, seed=5)
    found = LogisticCalibration.fit(x, right, ("a", "b", "c"))
    back = LogisticCalibration.from_json(json.loads(json.dumps(found.as_json())))
    assert back == found
    assert (back.probability(x) == found.probability(x)).all()


@pytest.mark.parametrize(
    "change",
    [
        {"bias": None},
        {"weights": [1.0]},
        {"scale": 3},
        {"mean": ["x", "y", "z"]},
        {"bias": math.nan},
        {"scale": [1.0, 0.0, 1.0]},
        {"weights": [1.0, math.inf, 1.0]},
    ],
)
def test_bad_json_is_an_error(change):
    x, right = _answers(60, seed=5)
    data = LogisticCalibration.fit(x, right, ("a", "b", "c")).as_json()
    with pytest.raises(BadData, match="calibration"):
        LogisticCalibration.from_json(data | change)
    del data["mean"]
    with pytest.raises(BadData, match="mean"):
        LogisticCalibration.from_json(data)


def test_bad_input_is_named():
    x, right = _answers(20, seed=6)
    names = ("a", "familiarity", "c")
    with pytest.raises(BadData, match="at least one answer"):
        LogisticCalibration.fit(x[:0], right[:0], names)
    with pytest.raises(BadData, match="found"):
        LogisticCalibration.fit(x, right[:-1], names)
    with pytest.raises(ValueError, match="ridge"):
        LogisticCalibration.fit(x, right, names, ridge=0.0)
    with pytest.raises(ValueError, match="columns"):
        LogisticCalibration.fit(x, right, names).probability(x[:, :2])
    x[7, 1] = -np.inf
    with pytest.raises(BadData, match="answer 7: expected a finite 'familiarity'"):
        LogisticCalibration.fit(x, right, names)
