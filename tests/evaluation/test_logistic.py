"""The logistic fit against scikit-learn, scipy, and sums that are known by hand."""

from types import ModuleType

import numpy as np
import pytest

from wherefrom.evaluation.logistic import fit_logistic, sigmoid


@pytest.fixture(scope="module")
def optimize() -> ModuleType:
    import scipy.optimize

    return scipy.optimize


def expit(logits):
    return (1 + np.tanh(logits / 2)) / 2


def rows(n: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    design = np.column_stack((generator.normal(size=(n, k - 1)), np.ones(n)))
    target = generator.random(n) < expit(design @ generator.normal(size=k))
    return design, target.astype(np.float64)


def loss(theta, design, target, count, penalty) -> float:
    logits = design @ theta
    return count @ (np.logaddexp(0, logits) - target * logits) + penalty @ theta**2 / 2


@pytest.mark.parametrize("penalty", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("n", [20, 400])
def test_with_a_penalty_and_weights_it_is_scikit_learns(logistic_regression, n, penalty):
    design, target = rows(n, 4, seed=n)
    count = np.random.default_rng(1).uniform(0.1, 3.0, n)
    far = np.array([30.0, -30.0, 10.0, 1.0])  # where it starts changes nothing but the way
    found = fit_logistic(design, target, count_N=count, penalty_K=np.full(4, penalty), start_K=far)
    reference = logistic_regression(
        C=1 / penalty, fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=500
    ).fit(design, target, sample_weight=count)
    assert found.weights_K == pytest.approx(reference.coef_[0], abs=1e-7)


def test_weights_are_drawn_to_what_is_expected_of_them():
    """At the end, what the rows pull is what the penalty holds; without rows, it is expected."""
    design, target = rows(50, 3, seed=2)
    penalty, expected = np.array([0.5, 2.0, 0.0]), np.array([1.0, -3.0, 7.0])
    found = fit_logistic(design, target, penalty_K=penalty, expected_K=expected).weights_K
    pull = design.T @ (target - expit(design @ found))
    assert pull == pytest.approx(penalty * (found - expected), abs=1e-9)
    held = fit_logistic(design, target, penalty_K=np.full(3, 1e9), expected_K=expected).weights_K
    assert held == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_separable_rows_with_a_penalty_have_a_finite_fit(scale):
    x = scale * np.linspace(-1, 1, 40)
    found = fit_logistic(x[:, None], x > 0, penalty_K=np.ones(1))
    (weight,) = found.weights_K
    # Where the gradient is 0: what the rows pull is what the penalty holds.
    assert weight == pytest.approx(float(x @ ((x > 0) - expit(weight * x))), rel=1e-6)
    assert 0 < weight < np.inf


@pytest.mark.parametrize(
    "design",
    [
        np.ones((6, 2)),  # two columns that are the same
        np.zeros((6, 1)),
        np.column_stack((np.arange(6.0), 2 * np.arange(6.0), np.ones(6))),
        np.ones((6, 9)),  # more columns than rows
    ],
)
def test_singular_designs_end_with_the_best_probabilities(optimize, design):
    """The weights are not unique there, but what they predict is."""
    target = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    found = fit_logistic(design, target)
    assert np.isfinite(found.weights_K).all()
    best = optimize.minimize(
        loss, np.zeros(design.shape[1]), (design, target, np.ones(6), np.zeros(design.shape[1]))
    )
    expected = expit(design @ best.x)
    assert sigmoid(design @ found.weights_K) == pytest.approx(expected, abs=1e-4)


def test_the_sigmoid_is_scipys_and_does_not_overflow():
    from scipy import special

    logits = np.array([-1e6, -800.0, -30.0, -1.0, 0.0, 2.0, 40.0, 1e6])
    with np.errstate(over="raise", invalid="raise"):
        found = sigmoid(logits)
    assert found == pytest.approx(special.expit(logits), rel=1e-12, abs=0)
