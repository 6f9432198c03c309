"""The calibration against scipy with the same likelihood, prior and pseudo-answers."""

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


def _loss(design, right, prior, guess, upper):
    """What the fit minimises: the likelihood of what is seen, the prior, two pseudo-answers."""
    expected, penalty = np.transpose(prior)
    bias = len(NAMES)

    def loss(theta: np.ndarray) -> float:
        p = guess + (upper - guess) / (1 + np.exp(-design @ theta))
        at_mean = 1 / (1 + np.exp(-theta[bias]))
        held = penalty / 2 @ (theta - expected) ** 2 - PSEUDO * np.log(at_mean * (1 - at_mean))
        return float(held - np.log(np.where(right, p, 1 - p)).sum())

    return loss


@pytest.mark.parametrize("names", [NAMES, ("log_probability", "statement_entropy", "c")])
@pytest.mark.parametrize("guess", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("n", [12, 300])
def test_the_fit_has_the_greatest_likelihood(n, guess, names):
    """Found by scipy; a known feature is expected to double the odds, or to halve them."""
    from scipy.optimize import minimize

    x, right = _answers(n, seed=n)
    right |= np.random.default_rng(4).random(n) < guess
    z = np.column_stack(((x - x.mean(0)) / x.std(0), np.ones(n)))
    doubles = {"log_probability": np.log(2), "statement_entropy": -np.log(2)}
    prior = [(doubles.get(name, 0.0), RIDGE) for name in names] + [(0.0, 0.0)]
    upper = (n + 0.5) / (n + 1)
    best = minimize(_loss(z, right, prior, guess, upper), np.zeros(4), tol=1e-10).x
    found = fit_calibration(_table(x, names), right, names, guess=guess)
    assert (*found.weights, found.bias) == pytest.approx(best, abs=1e-3)
    certain = 1e3 * np.sign(found.weights) * found.scale + found.mean
    ends = found.probability(_table(np.stack((certain, 2 * np.array(found.mean) - certain)), names))
    assert ends == pytest.approx((upper, guess))


@pytest.mark.parametrize("n", [1, 10, 80])
def test_answers_that_are_all_alike_show_no_more_than_their_number(n):
    """Of n right answers (n + 1/2) / (n + 1), twice: as the rate of the known, and as upper end."""
    x = np.random.default_rng(0).normal(size=(n, 2))
    right = _fit(x, np.full(n, True), ("a", "b"))
    assert right.weights == pytest.approx((0, 0), abs=1e-9)
    shown = ((n + 0.5) / (n + 1)) ** 2
    assert right.probability(_table(x, ("a", "b"))) == pytest.approx(np.full(n, shown), abs=1e-9)
    wrong = _fit(x, np.full(n, False), ("a", "b"))
    assert wrong.probability(_table(x, ("a", "b"))).max() <= 0.5 / (n + 1)
    sure = FeatureTable({"margin": x[:, 0]})
    none = fit_calibration(sure, np.full(n, False), ("margin",))
    surer = none.probability(FeatureTable({"margin": np.array([99.0])}))
    assert surer < 0.5, "no answer was right, however sure"


@pytest.mark.parametrize("name", ["constant", "margin"])
def test_a_constant_feature_changes_nothing(name):
    x, right = _answers(200, seed=1)
    constant = FeatureTable({"a": x[:, 0], name: np.full(200, 0.1)})
    alone = fit_calibration(constant, right, ("a",))
    found = fit_calibration(constant, right, ("a", name))
    assert found.probability(constant) == pytest.approx(alone.probability(constant), abs=1e-9)
    moved = FeatureTable({"a": x[:, 0], name: np.full(200, 1.1)})
    assert found.probability(moved) == pytest.approx(found.probability(constant), abs=1e-6)


def test_bad_input_is_named():
    x, right = _answers(20, seed=6)
    names = ("a", "familiarity", "c")
    x[7, 1] = -np.inf
    with pytest.raises(BadData, match="answer 7: expected a finite 'familiarity'"):
        _fit(x, right, names)


# --- several relations -------------------------------------------------------------------------


def _two(n: int, few: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """The first feature says all of one relation's answers and nothing of the other's."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(n + few, 3))
    chance = np.append(1 / (1 + np.exp(-3 * x[:n, 0])), np.full(few, 0.8))
    right = generator.random(n + few) < chance
    return x, right, {"known": np.arange(n), "guessed": np.arange(n, n + few)}


def test_the_partially_pooled_fit_has_the_greatest_likelihood():
    """Found by scipy, over the common weights and each relation's differences."""
    from scipy.optimize import minimize

    x, right, parts = _two(120, 40)
    z = np.hstack(((x - x.mean(0)) / x.std(0), np.ones((160, 1))))
    own = [z * np.isin(np.arange(160), places)[:, None] for places in parts.values()]
    apart = [(0.0, OWN_WEIGHT)] * 3 + [(0.0, OWN_BIAS)]
    prior = [(0.0, RIDGE)] * 3 + [(0.0, 0.0)] + 2 * apart
    loss = _loss(np.hstack((z, *own)), right, prior, 0.0, 160.5 / 161)
    common, *differences = np.split(minimize(loss, np.zeros(12), tol=1e-10).x, 3)
    curves = fit_by_relation(_table(x), right, NAMES, parts)
    for difference, curve in zip(differences, curves.values(), strict=True):
        assert (*curve.weights, curve.bias) == pytest.approx(common + difference, abs=1e-3)


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
