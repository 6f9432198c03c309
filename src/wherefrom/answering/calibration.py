"""Calibration: the probability that an answer is right, from a few features of the answer.

It is the logistic curve of Platt (1999), over several features instead of one score. Where the
questions ask for several relations, each relation has a curve of its own, partially pooled with
the others (Gelman and Hill 2007): a majority guess and a recalled place of birth may look alike,
but are not equally often right. A guess may be right by chance, and the curve ends there at its
lower end (the guessing parameter of Birnbaum 1968); and no curve says more than its answers show,
so it has an upper end, too (Barton and Lord 1981).
Shapes: N answers, K features, R relations.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.answering.features import FEATURES
from wherefrom.answering.policy import LogisticCalibration
from wherefrom.core.answer_table import FeatureTable
from wherefrom.evaluation.calibration_measures import fit_logistic

PSEUDO = 0.5  # weight of each of the two pseudo-answers
# Which way a feature points is known before any answer is seen: a standard deviation towards sure
# of each is expected to double the odds that an answer is right. This is worth a lot where answers
# are few; a hundred, right and wrong ones, outweigh it (LOG.md). Nothing is expected of a feature
# that is not named here.
EXPECTED = {**dict.fromkeys(FEATURES, math.log(2)), "statement_entropy": -math.log(2)}
RIDGE = 0.5  # one over the variance of a weight around what is expected
# Penalties of how far a relation departs from the common curve: see docs/research/LOG.md.
OWN_WEIGHT, OWN_BIAS = 3.0, 1.0
NO_GUESSES: Mapping[str, float] = MappingProxyType({})
_MOST_TURNS, _SETTLED = 100, 1e-6
_CONSTANT = 1e-6  # a standardised feature that varies has a spread of about 1


def fit_calibration(
    features: FeatureTable,
    right_N: np.ndarray,
    names: Sequence[str],
    count_N: np.ndarray | None = None,
    guess: float = 0.0,
) -> LogisticCalibration:
    """Fit on answers that are known to be right or wrong, over the named features.

    Each answer counts once, or `count_N` times; a share `guess` of guesses is right by chance. The
    upper end is what this many answers show if all of them are right, (n + 1/2) / (n + 1).
    """
    x_NK, right = features.finite(names), np.asarray(right_N, dtype=bool)
    count = np.ones(right.size) if count_N is None else np.asarray(count_N, dtype=np.float64)
    mean = np.average(x_NK, 0, count)
    scale = np.sqrt(np.average((x_NK - mean) ** 2, 0, count))
    # A constant feature says nothing; through rounding, its spread need not be exactly 0.
    scale = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
    z_NK, k, chance = (x_NK - mean) / scale, len(names), np.full(right.size, guess)
    design, lapse = np.column_stack((z_NK, np.ones(right.size))), float(PSEUDO / (count.sum() + 1))
    theta = _fit_design(design, right, _expect(names, z_NK, right), k, count, chance, lapse)
    return LogisticCalibration(
        features=tuple(names),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
        weights=tuple(theta[:k].tolist()),
        bias=float(theta[k]),
        guess=guess,
        lapse=lapse,
    )


def fit_by_relation(
    features: FeatureTable,
    right_N: np.ndarray,
    names: Sequence[str],
    parts: Mapping[str, np.ndarray],
    guesses: Mapping[str, float] = NO_GUESSES,
) -> dict[str, LogisticCalibration]:
    """A curve for each relation, whose answers are at the places that `parts` has.

    `guesses` has for each relation how often a guess is right by chance.

    A relation's weights and bias are those of a common curve and a difference of its own. The
    differences are penalised (OWN_WEIGHT, OWN_BIAS), so a relation with few answers keeps near
    the common curve, and one with some hundred answers has in effect its own. No number of answers
    has to be chosen at which the one turns into the other.
    """
    common = fit_calibration(features, right_N, names)  # checks what is given
    x_NK = (features.matrix(names) - common.mean) / common.scale
    n, k = x_NK.shape
    x_NC = np.hstack((x_NK, np.ones((n, 1))))  # C = K + 1 columns: the weights and the bias
    blocks, guess_N = [x_NC], np.zeros(n)
    for name, places in parts.items():
        blocks.append(np.zeros_like(x_NC))
        blocks[-1][places] = x_NC[places]
        guess_N[places] = guesses.get(name, 0.0)
    own = np.append(np.full(k, OWN_WEIGHT), OWN_BIAS)
    right, count = np.asarray(right_N, dtype=bool), np.ones(n)
    prior = np.hstack((_expect(names, x_NK, right), *[(np.zeros(k + 1), own)] * len(parts)))
    theta = _fit_design(np.hstack(blocks), right, prior, k, count, guess_N, common.lapse)
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


def _expect(names: Sequence[str], x_NK: np.ndarray, right_N: np.ndarray) -> np.ndarray:
    """(2, K + 1): what is expected of each weight and the bias, and the penalty around it.

    Nothing is expected where nothing would correct it: of a constant feature, or if no answer is
    right, since an answer surer than all of these wrong ones would then have a high confidence.
    """
    expected = np.array([EXPECTED.get(name, 0.0) for name in names])
    expected = expected * (x_NK.std(0) > _CONSTANT) * right_N.any()
    return np.array(((*expected, 0.0), (*(RIDGE for _ in names), 0.0)))


def _fit_design(
    design_ND: np.ndarray,
    right_N: np.ndarray,
    prior_2D: np.ndarray,
    bias: int,
    count_N: np.ndarray,
    guess_N: np.ndarray,
    lapse: float,
) -> np.ndarray:
    """The penalised weights of D columns.

    The two pseudo-answers are rows that only affect the column `bias`. A guess may be right and a
    known answer wrong, so expectation and maximisation take turns: how likely the model knew each
    answer, by the curve so far; and the curve that is fitted to that.
    """
    design = np.vstack((design_ND, np.eye(design_ND.shape[1])[[bias, bias]]))
    count = np.append(count_N, (PSEUDO, PSEUDO))
    expected, penalty = prior_2D
    known_N, theta = right_N.astype(np.float64), expected
    # How much likelier each outcome is if the model knows the answer than if it guesses.
    with np.errstate(divide="ignore"):  # no guess is right where the share is 0
        ratio_N = np.where(right_N, (1 - lapse) / guess_N, lapse / (1 - guess_N))
    for _ in range(_MOST_TURNS):
        target = np.append(known_N, (1.0, 0.0))
        before = theta
        theta, _ = fit_logistic(design, target, theta, count, penalty, expected)
        if np.abs(theta - before).max() < _SETTLED:
            break
        known_N = scipy.special.expit(design_ND @ theta + np.log(ratio_N))
    return theta
