"""Calibration: the probability that an answer is right, from a few features of the answer.

It is the logistic curve of Platt (1999), over several features instead of one score. Where the
questions ask for several relations, each relation has a curve of its own, partially pooled with
the others (Gelman and Hill 2007): a majority guess and a recalled place of birth may look alike,
but are not equally often right. A guess may be right by chance, and the curve ends there at its
lower end (the guessing parameter of Birnbaum 1968).
Shapes: N answers, K features, R relations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from wherefrom.answering.policy import LogisticCalibration
from wherefrom.core.answer_table import FeatureTable
from wherefrom.evaluation.logistic import fit_logistic, sigmoid

PSEUDO = 0.5  # weight of each of the two pseudo-answers
# The prior expects that one standard deviation of a feature changes the odds about six-fold. A
# hundred answers easily outweigh it; with 1.0 instead, confidence was too modest (LOG.md).
RIDGE = 0.3
# Penalties of how far a relation departs from the common curve: see docs/research/LOG.md.
OWN_WEIGHT, OWN_BIAS = 3.0, 1.0
NO_GUESSES: Mapping[str, float] = MappingProxyType({})
_MOST_TURNS, _SETTLED = 100, 1e-6


def fit_calibration(
    features: FeatureTable,
    right_N: np.ndarray,
    names: Sequence[str],
    count_N: np.ndarray | None = None,
    guess: float = 0.0,
    ridge: float = RIDGE,
) -> LogisticCalibration:
    """Fit on answers that are known to be right or wrong, over the named features.

    Each answer counts once, or `count_N` times; a share `guess` of guesses is right by chance.
    """
    x_NK, right = features.finite(names), np.asarray(right_N, dtype=bool)
    count = np.ones(right.size) if count_N is None else np.asarray(count_N, dtype=np.float64)
    mean = np.average(x_NK, 0, count)
    scale = np.sqrt(np.average((x_NK - mean) ** 2, 0, count))
    # A constant feature says nothing; through rounding, its spread need not be exactly 0.
    scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
    design = np.column_stack(((x_NK - mean) / scale, np.ones(right.size)))
    k = len(names)
    chance = np.full(right.size, guess)
    theta = _fit_design(design, right, np.append(np.full(k, ridge), 0.0), k, count, chance)
    return LogisticCalibration(
        features=tuple(names),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(theta[:k].tolist()),
        bias=float(theta[k]),
        guess=guess,
    )


def fit_by_relation(
    features: FeatureTable,
    right_N: np.ndarray,
    names: Sequence[str],
    parts: Mapping[str, np.ndarray],
    guesses: Mapping[str, float] = NO_GUESSES,
    ridge: float = RIDGE,
) -> dict[str, LogisticCalibration]:
    """A curve for each relation, whose answers are at the places that `parts` has.

    `guesses` has for each relation how often a guess is right by chance.

    A relation's weights and bias are those of a common curve and a difference of its own. The
    differences are penalised (OWN_WEIGHT, OWN_BIAS), so a relation with few answers keeps near
    the common curve, and one with some hundred answers has in effect its own. No number of answers
    has to be chosen at which the one turns into the other.
    """
    common = fit_calibration(features, right_N, names, ridge=ridge)  # checks what is given
    x_NK = (features.matrix(names) - common.mean) / common.scale
    n, k = x_NK.shape
    x_NC = np.hstack((x_NK, np.ones((n, 1))))  # C = K + 1 columns: the weights and the bias
    blocks, guess_N = [x_NC], np.zeros(n)
    for name, places in parts.items():
        blocks.append(np.zeros_like(x_NC))
        blocks[-1][places] = x_NC[places]
        guess_N[places] = guesses.get(name, 0.0)
    own = np.append(np.full(k, OWN_WEIGHT), OWN_BIAS)
    penalty = np.concatenate((np.append(np.full(k, ridge), 0.0), np.tile(own, len(parts))))
    right, count = np.asarray(right_N, dtype=bool), np.ones(n)
    theta = _fit_design(np.hstack(blocks), right, penalty, k, count, guess_N)
    shared, *others = np.split(theta, len(parts) + 1)
    curves = {name: shared + other for name, other in zip(parts, others, strict=True)}
    return {
        name: replace(
            common,
            weights=tuple(c[:k].tolist()),
            bias=float(c[k]),
            guess=guesses.get(name, 0.0),
        )
        for name, c in curves.items()
    }


def _fit_design(
    design_ND: np.ndarray,
    right_N: np.ndarray,
    penalty_D: np.ndarray,
    bias: int,
    count_N: np.ndarray,
    guess_N: np.ndarray,
) -> np.ndarray:
    """The penalised weights of D columns.

    The two pseudo-answers are rows that only affect the column `bias`. Where guesses may be right,
    expectation and maximisation take turns: how likely the model knew each right answer, by the
    curve so far; and the curve that is fitted to that.
    """
    design = np.vstack((design_ND, np.eye(design_ND.shape[1])[[bias, bias]]))
    count = np.append(count_N, (PSEUDO, PSEUDO))
    known_N = right_N.astype(np.float64)
    theta = np.zeros(design.shape[1])
    for _ in range(_MOST_TURNS):
        target = np.append(known_N, (1.0, 0.0))
        before = theta
        theta = fit_logistic(
            design, target, count_N=count, penalty_K=penalty_D, start_K=theta
        ).weights_K
        if not guess_N.any() or np.abs(theta - before).max() < _SETTLED:
            break
        knows_N = sigmoid(design_ND @ theta)
        known_N = np.where(right_N, knows_N / (knows_N + guess_N * (1 - knows_N)), 0.0)
    return theta
