"""The calibration against scikit-learn with the same penalty and the same imagined answers."""

import numpy as np
import pytest

from wherefrom.answering.calibration import (
    OWN_BIAS,
    OWN_WEIGHT,
    PSEUDO,
    RIDGE,
    fit_by_relation,
    fit_calibration,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.errors import BadData

NAMES = ("a", "b", "c")


def _fit(x: np.ndarray, right: np.ndarray, names=NAMES):
    return fit_calibration(_table(x, names), right, names)


def _table(x: np.ndarray, names=NAMES) -> FeatureTable:
    return FeatureTable.from_matrix(x, names)


def _answers(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n, 3)) * (1.0, 20.0, 0.01) + (0.0, -30.0, 5.0)
    logits = 1.5 * x[:, 0] - 0.08 * (x[:, 1] + 30) + 0.5
    return x, generator.random(n) < 1 / (1 + np.exp(-logits))


def _logistic(ridge: float):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-12, max_iter=500)


def _reference(x: np.ndarray, right: np.ndarray):
    z = (x - x.mean(0)) / x.std(0)
    rows = np.vstack((z, np.zeros((2, x.shape[1]))))
    labels = np.append(right, (True, False))
    weight = np.append(np.ones(len(x)), (PSEUDO, PSEUDO))
    return _logistic(RIDGE).fit(rows, labels, sample_weight=weight)


@pytest.mark.parametrize("n", [12, 90, 2000])
def test_the_fit_is_scikit_learns(n):
    x, right = _answers(n, seed=n)
    found = _fit(x, right)
    expected = _reference(x, right)
    assert found.weights == pytest.approx(expected.coef_[0], abs=1e-6)
    assert found.bias == pytest.approx(expected.intercept_[0], abs=1e-6)
    z = (x - x.mean(0)) / x.std(0)
    assert found.probability(_table(x)) == pytest.approx(expected.predict_proba(z)[:, 1], abs=1e-6)


@pytest.mark.parametrize("n", [1, 10, 80])
def test_all_right_gives_jeffreys_rate(n):
    """Weights stay 0 and the bias is the log-odds of n + 1/2 against 1/2."""
    x = np.random.default_rng(0).normal(size=(n, 2))
    for right, rate in ((True, (n + 0.5) / (n + 1)), (False, 0.5 / (n + 1))):
        found = _fit(x, np.full(n, right), ("a", "b"))
        assert found.weights == pytest.approx((0, 0), abs=1e-9)
        assert found.probability(_table(x, ("a", "b"))) == pytest.approx(np.full(n, rate), abs=1e-9)


def test_a_constant_feature_changes_nothing():
    x, right = _answers(200, seed=1)
    constant = FeatureTable({"a": x[:, 0], "constant": np.full(200, 0.1)})
    alone = fit_calibration(constant, right, ("a",))
    found = fit_calibration(constant, right, ("a", "constant"))
    assert found.probability(constant) == pytest.approx(alone.probability(constant), abs=1e-9)
    moved = FeatureTable({"a": x[:, 0], "constant": np.full(200, 1.1)})
    assert found.probability(moved) == pytest.approx(found.probability(constant), abs=1e-6)


def test_bad_input_is_named():
    x, right = _answers(20, seed=6)
    names = ("a", "familiarity", "c")
    x[7, 1] = -np.inf
    with pytest.raises(BadData, match="answer 7: expected a finite 'familiarity'"):
        _fit(x, right, names)


@pytest.mark.parametrize("guess", [0.05, 0.4])
def test_the_fit_with_guesses_has_the_greatest_likelihood(guess):
    """The likelihood of what is seen, maximised directly by scipy."""
    from scipy.optimize import minimize

    x, right = _answers(300, seed=3)
    right |= np.random.default_rng(4).random(300) < guess
    z = np.column_stack(((x - x.mean(0)) / x.std(0), np.ones(300)))

    def loss(theta: np.ndarray) -> float:
        p = guess + (1 - guess) / (1 + np.exp(-z @ theta))
        at_mean = 1 / (1 + np.exp(-theta[3]))
        prior = RIDGE / 2 * theta[:3] @ theta[:3] - PSEUDO * np.log(at_mean * (1 - at_mean))
        return float(prior - np.log(np.where(right, p, 1 - p)).sum())

    found = fit_calibration(_table(x), right, NAMES, guess=guess)
    expected = minimize(loss, np.zeros(4), tol=1e-10).x
    assert (*found.weights, found.bias) == pytest.approx(expected, abs=1e-3)
    assert found.probability(_table(x)).min() >= guess


# --- several relations -------------------------------------------------------------------------


def _two(n: int, few: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The first feature says all of one relation's answers and nothing of the other's."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n + few, 3))
    chance = np.append(1 / (1 + np.exp(-3 * x[:n, 0])), np.full(few, 0.8))
    right = generator.random(n + few) < chance
    return x, right, {"known": np.arange(n), "guessed": np.arange(n, n + few)}


def test_the_partially_pooled_fit_is_scikit_learns():
    """Scaled columns turn the penalty of each weight into the one that scikit-learn has."""
    x, right, parts = _two(120, 40)
    z = np.hstack(((x - x.mean(0)) / x.std(0), np.ones((160, 1))))
    blocks = [z[:, :3] / np.sqrt(RIDGE)]
    for places in parts.values():
        own = np.zeros_like(z)
        own[places] = z[places]
        blocks.append(own / np.sqrt([OWN_WEIGHT] * 3 + [OWN_BIAS]))
    rows = np.vstack((np.hstack(blocks), np.zeros((2, 11))))
    weight = np.append(np.ones(160), (PSEUDO, PSEUDO))
    model = _logistic(1.0).fit(rows, np.append(right, (True, False)), sample_weight=weight)
    expected = model.predict_proba(rows[:160])[:, 1]
    curves = fit_by_relation(_table(x), right, NAMES, parts)
    for name, places in parts.items():
        found = curves[name].probability(_table(x[places]))
        assert found == pytest.approx(expected[places], abs=1e-6)


def test_an_answer_that_counts_twice_is_as_good_as_two():
    rng = np.random.default_rng(5)
    rows, right = rng.normal(size=(60, 2)), rng.random(60) < 0.6
    twice = np.arange(60) % 3 == 0
    names = ("a", "b")
    counts = np.where(twice, 2.0, 1.0)
    counted = fit_calibration(_table(rows, names), right, names, count_N=counts)
    repeated = _fit(np.vstack((rows, rows[twice])), np.append(right, right[twice]), names)
    assert counted.weights == pytest.approx(repeated.weights, abs=1e-8)
    assert counted.bias == pytest.approx(repeated.bias, abs=1e-8)
    assert counted.mean == pytest.approx(repeated.mean)
