"""Calibration: the probability that an answer is right, from a few features of it.

A logistic curve as Platt (1999) fits one, over several features instead of one score.
Shapes: N answers, K features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.errors import BadData
from wherefrom.evaluation.logistic import fit_logistic, sigmoid

PSEUDO = 0.5  # weight of each of the two imagined answers


@dataclass(frozen=True)
class LogisticCalibration:
    """A logistic curve over standardised features, fitted on calibration questions.

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

    def __post_init__(self) -> None:
        lists = (self.mean, self.scale, self.weights)
        if any(len(values) != len(self.features) for values in lists):
            raise BadData(
                f"calibration: expected one number for each of {self.features} in every list"
            )
        numbers = np.array([*self.mean, *self.scale, *self.weights, self.bias])
        if not np.isfinite(numbers).all() or min(self.scale, default=1.0) <= 0:
            raise BadData("calibration: expected finite numbers and scales above 0, found others")

    @classmethod
    def fit(
        cls,
        features: FeatureTable,
        right_N: np.ndarray,
        names: Sequence[str],
        ridge: float = 1.0,
    ) -> "LogisticCalibration":
        """Fit on answers known to be right or wrong, over the named features.

        With ridge 1 the prior expects a standard deviation of a feature to change the odds about
        e-fold, until the answers say more; a hundred of them easily do.
        """
        if not ridge > 0:
            raise ValueError(f"expected a ridge above 0, found {ridge}")
        x_NK, right = _finite(features, names), np.asarray(right_N, dtype=bool)
        if right.shape != x_NK.shape[:1] or not right.size:
            raise BadData(
                f"calibration: expected one right or wrong for each of at least one answer, "
                f"found {right.shape} for {x_NK.shape[0]} answers"
            )
        mean, scale = x_NK.mean(0), x_NK.std(0)
        # A constant feature says nothing; its spread can be rounding dust instead of nothing.
        scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
        weights, bias = _fit_with_priors((x_NK - mean) / scale, right, ridge)
        return cls(
            features=tuple(names),
            mean=tuple(mean.tolist()),
            scale=tuple(scale.tolist()),
            weights=tuple(weights.tolist()),
            bias=bias,
        )

    def probability(self, features: FeatureTable) -> np.ndarray:
        """The calibrated probability of each answer; it takes its own columns by their names."""
        x_NK = _finite(features, self.features)
        return sigmoid((x_NK - self.mean) / self.scale @ np.array(self.weights) + self.bias)


def _fit_with_priors(
    x_NK: np.ndarray, right_N: np.ndarray, ridge: float
) -> tuple[np.ndarray, float]:
    """The penalised fit, with the two imagined answers as rows that touch the bias alone."""
    n, k = x_NK.shape
    design = np.vstack((np.hstack((x_NK, np.ones((n, 1)))), np.eye(k + 1)[[k, k]]))
    fit = fit_logistic(
        design,
        np.append(right_N.astype(np.float64), (1.0, 0.0)),
        count_N=np.append(np.ones(n), (PSEUDO, PSEUDO)),
        penalty_K=np.append(np.full(k, ridge), 0.0),
    )
    return fit.weights_K[:k], float(fit.weights_K[k])


def _finite(features: FeatureTable, names: Sequence[str]) -> np.ndarray:
    x_NK = features.matrix(names).astype(np.float64)
    if not np.isfinite(x_NK).all():
        row, column = np.argwhere(~np.isfinite(x_NK))[0]
        raise BadData(
            f"answer {row}: expected a finite '{names[column]}', found {x_NK[row, column]}"
        )
    return x_NK
