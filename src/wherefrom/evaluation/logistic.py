"""Logistic regression by Newton's method: the one fit that calibration and its measures share.

Shapes: N rows, K columns of the design (a column of ones is the caller's, where one is wanted).
"""

from dataclasses import dataclass

import numpy as np

_MOST_STEPS = 200


@dataclass(frozen=True)
class LogisticFit:
    """The weights of the best fit, and the curvature (Hessian) of the loss there."""

    weights_K: np.ndarray
    curvature_KK: np.ndarray


def fit_logistic(
    design_NK: np.ndarray,
    target_N: np.ndarray,
    *,
    count_N: np.ndarray | None = None,
    penalty_K: np.ndarray | None = None,
    expected_K: np.ndarray | None = None,
    start_K: np.ndarray | None = None,
    tolerance: float = 1e-12,
) -> LogisticFit:
    """Minimise the log loss plus penalty * (weight - expected)² / 2; a row weighs as its count.

    Weights are expected to be 0 if nothing else is said. The loss is convex, so a Newton step that
    does not improve it is halved until it does. It ends where no component of the gradient exceeds
    the tolerance times the number of rows.
    """
    n, k = design_NK.shape
    target = np.asarray(target_N, dtype=np.float64)
    count = np.ones(n) if count_N is None else count_N
    penalty = np.zeros(k) if penalty_K is None else penalty_K
    expected = np.zeros(k) if expected_K is None else expected_K

    def loss(theta: np.ndarray) -> float:
        logits = design_NK @ theta
        misfit = count @ (np.logaddexp(0, logits) - target * logits)
        return float(misfit + penalty @ (theta - expected) ** 2 / 2)

    theta = np.zeros(k) if start_K is None else np.array(start_K, dtype=np.float64)
    curvature = np.eye(k)
    for _ in range(_MOST_STEPS):
        p = sigmoid(design_NK @ theta)
        gradient = design_NK.T @ (count * (p - target)) + penalty * (theta - expected)
        curvature = (design_NK.T * (count * p * (1 - p))) @ design_NK + np.diag(penalty)
        if np.abs(gradient).max() < tolerance * n:
            break
        step, size = _solve(curvature, gradient), 1.0
        enough = loss(theta) * (1 + 1e-12)  # near the end, steps change less than rounding does
        while size > 1e-9 and loss(theta - size * step) > enough:
            size /= 2
        theta = theta - size * step
    return LogisticFit(theta, curvature)


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-logits)), which does not overflow."""
    return np.exp(-np.logaddexp(0, -logits))


def _solve(curvature: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Newton's step; where every row is very sure the curvature may vanish in some direction."""
    if np.linalg.cond(curvature) < 1e12:
        return np.linalg.solve(curvature, gradient)
    return np.linalg.lstsq(curvature, gradient, rcond=None)[0]
