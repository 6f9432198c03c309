"""Calibration: the probability that an answer is right, from a few features of the answer.

It is the logistic curve of Platt (1999), over several features instead of one score.
Shapes: N answers, K features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.errors import BadData
from wherefrom.evaluation.logistic import fit_logistic, sigmoid

PSEUDO = 0.5  # weight of each of the two pseudo-answers


@dataclass(frozen=True)
class LogisticCalibration:
    """A logistic curve over standardised features, fitted on calibration questions.

    Two priors keep the curve finite, since it is fitted on only a hundred answers or so. Each
    weight has a normal prior of variance 1 / ridge: if a feature separates right from wrong
    perfectly, the best fit without this prior is a step with probabilities 0 and 1, which a
    hundred answers do not justify. The bias has Jeffreys' prior for a rate: one right and one
    wrong pseudo-answer at the average features, each with the weight of half an answer. They keep
    the bias finite when all answers are right or all are wrong.
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
        """Fit on answers that are known to be right or wrong, over the named features.

        With ridge 1 the prior expects that one standard deviation of a feature changes the odds
        about e-fold. A hundred answers easily outweigh it.
        """
        if not ridge > 0:
            raise ValueError(f"expected a ridge above 0, found {ridge}")
        x_NK, right = _finite(features, names), np.asarray(right_N, dtype=bool)
        if right.shape != x_NK.shape[:1] or not right.size:
            raise BadData(
                f"calibration: expected at least one answer, each marked right or wrong, "
                f"found {right.shape} marks for {x_NK.shape[0]} answers"
            )
        mean, scale = x_NK.mean(0), x_NK.std(0)
        # A constant feature says nothing; through rounding, its spread need not be exactly 0.
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
        """The calibrated probability of each answer; the curve's columns are found by name."""
        x_NK = _finite(features, self.features)
        return sigmoid((x_NK - self.mean) / self.scale @ np.array(self.weights) + self.bias)


def _fit_with_priors(
    x_NK: np.ndarray, right_N: np.ndarray, ridge: float
) -> tuple[np.ndarray, float]:
    """The penalised fit, with the two pseudo-answers as rows that only affect the bias."""
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
