"""A log-linear model that chooses one candidate of a line, or "none"; fitted in numpy.

A candidate's score is the sum of its features' weights, and "none" has the score 0; a softmax over
the scores gives the probabilities. If several candidates are right, such as a place that occurs
twice, the likelihood adds their probabilities: it is enough that the model chooses one of them.

Shapes: L lines; C candidates of all lines, those of one line side by side; F features; N pairs
of a candidate and one of its features.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

STEPS = 60  # of L-BFGS at most; most fits need half of them
RIDGE = 3.0  # the prior of a weight is normal: mean 0, variance 1 / RIDGE
MIN_COUNT = 2  # a feature that fewer candidates have is left out: it says nothing about others
FOLDS = 5
_NEGLIGIBLE = 1e-3  # smaller weights change nothing and are not kept
_TINY = 1e-300
_PRECISE = 0.02  # a fit ends when no part of its gradient is larger
_REMEMBERED = 8  # steps that L-BFGS estimates the curvature from
_LEAST_RIVAL = 0.05
_LEFT_OUT, _FEW_LINES = 3, 30  # three lines may state two answers, one in each 30 if they are few
# Factor and share of `choose_rival`: the words before a phrase say more than its probability.
_EVERY, _ANCHORED = (10.0, 0.02), (2.0, 0.01)


@dataclass(frozen=True)
class Example:
    """A line of an asked person: each candidate's features, and whether it is the answer.

    `offsets` are added to the scores: a candidate that stands for n others which were left out has
    log n. `is_rival`: whether it would be another answer, neither part of the answer nor around it;
    `is_anchored`: whether the words before it are those of an answer. Lines of one `fold` are
    judged by weights of the other folds; a line counts `weight` times. A line of weight 0 has its
    answer, but not as a candidate: nothing is learnt from it.
    """

    features: Sequence[Sequence[str]]
    is_answer: Sequence[bool]
    fold: int
    weight: float = 1.0
    offsets: Sequence[float] = ()
    is_rival: Sequence[bool] = ()
    is_anchored: Sequence[bool] = ()


@dataclass(frozen=True)
class LogLinearModel:
    """The weights of features, and the threshold on the probability that a line has an answer.

    A line has a second answer if this has at least `rival` of the best one's probability, or
    `anchored_rival` of it where the words before it are those of an answer.
    """

    weights: Mapping[str, float]
    threshold: float
    rival: float = 1.0
    anchored_rival: float = 1.0

    @classmethod
    def fit_folds(
        cls, examples: Sequence[Example]
    ) -> tuple["LogLinearModel", list["LogLinearModel"]]:
        """The model of all lines, and for each fold the model that did not learn from its lines.

        Weights by maximum a posteriori. The threshold and all other choices are the same for all:
        they are made by cross-validation.
        """
        names, design = _tabulate(examples)
        weights_F = design.fit(np.ones(len(examples), dtype=bool))
        states_L = np.array([any(example.is_answer) for example in examples])
        others, p_C = _cross_validate(examples, design)
        total_L = np.bincount(design.line_C, p_C, len(examples))
        every, anchored = _rival_ratios(examples, p_C)
        whole = cls(
            _name(names, weights_F),
            choose_threshold(total_L[design.weight_L > 0], states_L[design.weight_L > 0]),
            choose_rival(every, *_EVERY),
            choose_rival(anchored, *_ANCHORED),
        )
        return whole, [replace(whole, weights=_name(names, each)) for each in others]

    @staticmethod
    def probabilities(scores: Sequence[float]) -> np.ndarray:
        """The probability of each candidate of one line, by their sums of weights.

        "none" has the rest up to 1.
        """
        return _softmax(np.array(scores), np.zeros(len(scores), dtype=np.int64), 1)


def _name(names: Sequence[str], weights_F: np.ndarray) -> dict[str, float]:
    pairs = zip(names, weights_F.tolist(), strict=True)
    return {name: round(w, 4) for name, w in pairs if abs(w) >= _NEGLIGIBLE}


def choose_threshold(probability_L: np.ndarray, states_L: np.ndarray) -> float:
    """The threshold that best separates lines that state an answer from the others.

    Of those that do best it is the nearest to 1/2. If that is not 1/2 itself, and there are enough
    lines to tell, it is halfway between the lowest and the highest that do about as well: two lines
    in a thousand are chance.
    """
    tried = np.arange(1, 100) / 100
    right = ((probability_L[None] >= tried[:, None]) == states_L[None]).sum(1)
    best = tried[right == right.max()]
    nearest = float(best[np.abs(best - 0.5).argmin()])
    chance = states_L.size // 500
    if nearest == 0.5 or not chance:
        return nearest
    about = tried[right >= right.max() - chance]
    return float(about[0] + about[-1]) / 2


def choose_rival(ratios: np.ndarray, factor: float, share: float) -> float:
    """The least ratio that a second answer needs: a multiple of what lines with one answer have.

    `ratios` are, in lines with a known answer, the best rival's probability over that of the
    answer. The highest, a `share` of them or a few, are left out: those lines may state two
    answers.
    """
    if ratios.size < _FEW_LINES:
        return 1.0
    few = min(_LEFT_OUT, ratios.size // _FEW_LINES)
    left_out = max(few, int(share * ratios.size))
    usual = float(np.sort(ratios)[-1 - left_out])
    return round(min(max(factor * usual, _LEAST_RIVAL), 1.0), 4)


@dataclass(frozen=True)
class _DesignMatrix:
    """Which candidate has which feature: a sparse matrix of zeros and ones, as coordinates."""

    candidate_N: np.ndarray
    feature_N: np.ndarray
    line_C: np.ndarray
    is_answer_C: np.ndarray
    offset_C: np.ndarray
    weight_L: np.ndarray
    lines: int
    features: int

    def probabilities(self, weights_F: np.ndarray) -> np.ndarray:
        scores_C = np.bincount(self.candidate_N, weights_F[self.feature_N], self.line_C.size)
        return _softmax(scores_C + self.offset_C, self.line_C, self.lines)

    def fit(self, used_L: np.ndarray) -> np.ndarray:
        """Minimise the regularised loss on the lines that are used, by L-BFGS.

        (Nocedal and Wright, Numerical Optimization, algorithm 7.5.)
        """
        part = replace(self, weight_L=self.weight_L * used_L)
        weights_F = np.zeros(self.features)
        loss, gradient_F = part.loss(weights_F)
        steps: list[tuple[np.ndarray, np.ndarray]] = []
        for _ in range(STEPS):
            if np.abs(gradient_F).max(initial=0.0) < _PRECISE:
                break
            direction_F = -_precondition(gradient_F, steps)
            slope, size = _dot(gradient_F, direction_F), 1.0
            while True:
                moved_F = weights_F + size * direction_F
                new_loss, new_gradient_F = part.loss(moved_F)
                if new_loss <= loss + 1e-4 * size * slope or size < 1e-6:
                    break
                size /= 2
            step = (moved_F - weights_F, new_gradient_F - gradient_F)
            if _dot(*step) > 0:
                steps = [*steps[1 - _REMEMBERED :], step]
            weights_F, loss, gradient_F = moved_F, new_loss, new_gradient_F
        return weights_F

    def loss(self, weights_F: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the log-likelihood and the log-prior, and its gradient.

        The gradient is expected minus observed feature counts, as in any log-linear model, plus
        the prior. The right candidates of a line share one observed count, in proportion to their
        probabilities. In a line without a right candidate "none" is observed, which has no
        features.
        """
        p_C = self.probabilities(weights_F)
        right_C = p_C * self.is_answer_C
        right_L = np.bincount(self.line_C, right_C, self.lines)
        states_L = np.bincount(self.line_C, self.is_answer_C, self.lines) > 0
        none_L = 1 - np.bincount(self.line_C, p_C, self.lines)
        observed_L = np.maximum(np.where(states_L, right_L, none_L), _TINY)
        error_C = p_C - right_C / np.maximum(right_L, _TINY)[self.line_C]
        error_C *= self.weight_L[self.line_C]
        counts_F = np.bincount(self.feature_N, error_C[self.candidate_N], self.features)
        loss = RIDGE / 2 * _dot(weights_F, weights_F) - _dot(self.weight_L, np.log(observed_L))
        return loss, counts_F + RIDGE * weights_F


def _precondition(
    gradient_F: np.ndarray, steps: Sequence[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """The gradient times the inverse curvature that the last steps let one estimate."""
    found_F = gradient_F.copy()
    shares: list[float] = []
    for step_F, change_F in reversed(steps):
        shares.append(_dot(step_F, found_F) / _dot(step_F, change_F))
        found_F -= shares[-1] * change_F
    if steps:
        step_F, change_F = steps[-1]
        found_F *= _dot(step_F, change_F) / _dot(change_F, change_F)
    else:
        found_F /= max(float(np.abs(gradient_F).max()), 1.0)
    for (step_F, change_F), share in zip(steps, reversed(shares), strict=True):
        found_F += (share - _dot(change_F, found_F) / _dot(step_F, change_F)) * step_F
    return found_F


def _dot(one: np.ndarray, other: np.ndarray) -> float:
    """The inner product in one thread: numpy's own starts many, and they wait for each other."""
    return float((one * other).sum())


def _cross_validate(
    examples: Sequence[Example], design: _DesignMatrix
) -> tuple[list[np.ndarray], np.ndarray]:
    """The weights of each fold, fitted without it, and each candidate's probability by its fold's.

    The folds are over people: the lines of one person are alike, and one line in training would
    make the others look easier than those of a new person.
    """
    fold_L = np.array([example.fold for example in examples])
    weights = [design.fit(fold_L != number) for number in range(FOLDS)]
    probability_C = np.zeros(design.line_C.size)
    for number, weights_F in enumerate(weights):
        held_out_C = (fold_L == number)[design.line_C]
        probability_C[held_out_C] = design.probabilities(weights_F)[held_out_C]
    return weights, probability_C


def _rival_ratios(examples: Sequence[Example], p_C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each line whose answer the model finds, the best rival's probability over its own.

    Of all rivals, in lines that have any: many lines without one would only hide how likely the
    few others are. And of those that are anchored, in all lines: that there are none says that
    such words mark answers alone.
    """
    every: list[float] = []
    anchored: list[float] = []
    start = 0
    for example in examples:
        p = p_C[start : (start := start + len(example.features))]
        rivals = np.array(example.is_rival, dtype=bool)
        own = float(p[np.array(example.is_answer, dtype=bool)].sum())
        if rivals.size and own >= p[rivals].max(initial=0.0) and own > 0:
            if rivals.any():
                every.append(float(p[rivals].max()) / own)
            both = rivals & np.array(example.is_anchored, dtype=bool)
            anchored.append(float(p[both].max(initial=0.0)) / own)
    return np.array(every), np.array(anchored)


def _tabulate(examples: Sequence[Example]) -> tuple[list[str], _DesignMatrix]:
    """The names of the features that are kept, and the design matrix over them."""
    candidates = [features for example in examples for features in example.features]
    counts = Counter(name for features in candidates for name in features)
    names = [name for name, count in counts.items() if count >= MIN_COUNT]
    numbers = {name: i for i, name in enumerate(names)}
    rows = [[numbers[name] for name in features if name in numbers] for features in candidates]
    offsets = [e.offsets or [0.0] * len(e.features) for e in examples]
    return names, _DesignMatrix(
        candidate_N=np.repeat(np.arange(len(rows)), [len(row) for row in rows]),
        feature_N=np.array([number for row in rows for number in row], dtype=np.int64),
        line_C=np.repeat(np.arange(len(examples)), [len(e.features) for e in examples]),
        is_answer_C=np.array([one for e in examples for one in e.is_answer], dtype=np.float64),
        offset_C=np.array([one for line in offsets for one in line], dtype=np.float64),
        weight_L=np.array([e.weight for e in examples]),
        lines=len(examples),
        features=len(names),
    )


def _softmax(scores_C: np.ndarray, line_C: np.ndarray, lines: int) -> np.ndarray:
    """Each candidate's probability among those of its line and "none", whose score is 0."""
    # The highest score of a line is subtracted first, so that no exponential overflows.
    top_L = np.zeros(lines)
    np.maximum.at(top_L, line_C, scores_C)
    power_C = np.exp(scores_C - top_L[line_C])
    total_L = np.bincount(line_C, power_C, lines) + np.exp(-top_L)
    return power_C / total_L[line_C]
