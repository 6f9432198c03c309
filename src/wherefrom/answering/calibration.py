"""How likely is it that this answer is right? A calibrated probability from a few features.

Shapes: N answers, K features.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wherefrom.core.errors import BadData

PSEUDO = 0.5  # weight of each of the two imagined answers
_MOST_STEPS = 200


@dataclass(frozen=True)
class LogisticCalibration:
    """A logistic curve over standardised features, fitted on calibration people.

    Two priors keep it finite on the hundred or so answers there are. Each weight has a normal
    prior of variance 1 / ridge: when a feature separates right from wrong perfectly, the best
    fit without it is a step with probabilities 0 and 1, which no hundred answers justify. And
    one right and one wrong answer are imagined at the average features, half an answer each
    (Jeffreys' prior for a rate): they touch the bias alone, and keep it finite when all the
    answers are right, or all wrong.
    """

    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    @classmethod
    def fit(
        cls,
        features_NK: np.ndarray,
        right_N: np.ndarray,
        names: Sequence[str],
        ridge: float = 1.0,
    ) -> "LogisticCalibration":
        """Fit on answers known to be right or wrong.

        With ridge 1 a standard deviation of a feature is taken to change the odds about
        e-fold, until the answers say more; a hundred of them easily do.
        """
        if not ridge > 0:
            raise ValueError(f"expected a ridge above 0, found {ridge}")
        x_NK, right = _checked(features_NK, names), np.asarray(right_N, dtype=bool)
        if right.shape != x_NK.shape[:1] or not right.size:
            raise BadData(
                f"calibration: expected one right or wrong for each of at least one answer, "
                f"found {right.shape} for {x_NK.shape[0]} answers"
            )
        mean, scale = x_NK.mean(0), x_NK.std(0)
        # A constant feature says nothing; its spread can be rounding dust instead of nothing.
        scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
        weights, bias = _newton((x_NK - mean) / scale, right, ridge)
        return cls(
            features=tuple(names),
            mean=tuple(mean.tolist()),
            scale=tuple(scale.tolist()),
            weights=tuple(weights.tolist()),
            bias=bias,
        )

    def probability(self, features_NK: np.ndarray) -> np.ndarray:
        """The calibrated probability of each answer, in the features' order of `fit`."""
        x_NK = _checked(features_NK, self.features)
        return _sigmoid((x_NK - self.mean) / self.scale @ np.array(self.weights) + self.bias)

    def as_json(self) -> dict[str, Any]:
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LogisticCalibration":
        try:
            names = tuple(str(name) for name in data["features"])
            lists = {k: tuple(map(float, data[k])) for k in ("mean", "scale", "weights")}
            found = cls(features=names, bias=float(data["bias"]), **lists)
        except (KeyError, TypeError, ValueError) as error:
            raise BadData(f"calibration: expected its five fields, found: {error}") from None
        if any(len(values) != len(names) for values in lists.values()):
            raise BadData(f"calibration: expected one number for each of {names} in every list")
        numbers = np.array([value for values in lists.values() for value in values] + [found.bias])
        if not np.isfinite(numbers).all() or min(found.scale, default=1.0) <= 0:
            raise BadData("calibration: expected finite numbers and scales above 0, found others")
        return found


def _newton(x_NK: np.ndarray, right_N: np.ndarray, ridge: float) -> tuple[np.ndarray, float]:
    """The penalised fit: Newton's step, halved until it improves, since the curve is convex."""
    n, k = x_NK.shape
    design = np.vstack((np.hstack((x_NK, np.ones((n, 1)))), np.eye(k + 1)[[k, k]]))
    target = np.append(right_N.astype(np.float64), (1.0, 0.0))
    count = np.append(np.ones(n), (PSEUDO, PSEUDO))
    penalty = np.append(np.full(k, ridge), 0.0)

    def loss(theta: np.ndarray) -> float:
        logits = design @ theta
        misfit = count @ (np.logaddexp(0, logits) - target * logits)
        return float(misfit + penalty @ theta**2 / 2)

    theta = np.zeros(k + 1)
    for _ in range(_MOST_STEPS):
        p = _sigmoid(design @ theta)
        gradient = design.T @ (count * (p - target)) + penalty * theta
        if np.abs(gradient).max() < 1e-12 * (n + 1):
            break
        curvature = (design.T * (count * p * (1 - p))) @ design + np.diag(penalty)
        step, size = np.linalg.solve(curvature, gradient), 1.0
        enough = loss(theta) * (1 + 1e-12)  # near the end, steps change less than rounding does
        while size > 1e-9 and loss(theta - size * step) > enough:
            size /= 2
        theta = theta - size * step
    return theta[:k], float(theta[k])


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    return np.exp(-np.logaddexp(0, -logits))


def _checked(features_NK: np.ndarray, names: Sequence[str]) -> np.ndarray:
    x_NK = np.asarray(features_NK, dtype=np.float64)
    if x_NK.ndim != 2 or x_NK.shape[1] != len(names):
        raise ValueError(f"expected columns {tuple(names)}, found the shape {x_NK.shape}")
    if not np.isfinite(x_NK).all():
        row, column = np.argwhere(~np.isfinite(x_NK))[0]
        raise BadData(
            f"answer {row}: expected a finite '{names[column]}', found {x_NK[row, column]}"
        )
    return x_NK
