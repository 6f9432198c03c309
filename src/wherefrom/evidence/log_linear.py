"""Which of a line's phrases, or none: a softmax over their clues, fitted in numpy.

None has the score 0, a phrase the sum of its clues' weights. Where several phrases are right,
such as a place that is named twice, it is enough that the model chooses one of them.
Shapes: L lines, P phrases (a line's stand side by side), C clues in all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

STEPS, RATE = 100, 0.3
RIDGE = 3.0  # the prior of a weight: mean 0, variance 1 / RIDGE
FEWEST = 2  # phrases that have a clue, or nothing can be learnt from it
FOLDS = 3
_SMALL = 1e-3  # weights below it change nothing and are not kept
_TINY = 1e-300


@dataclass(frozen=True)
class Example:
    """A line of someone who was asked about: each phrase's clues, and whether it is the answer."""

    phrases: Sequence[Sequence[str]]
    right: Sequence[bool]
    person: int


def fit(examples: Sequence[Example]) -> tuple[dict[str, float], float]:
    """A weight for each clue that matters, and the threshold: see `choose_threshold`."""
    clues, table = _tabulate(examples)
    weights = table.fit(np.ones(len(examples), dtype=bool))
    kept = {c: round(float(w), 4) for c, w in zip(clues, weights, strict=True) if abs(w) >= _SMALL}
    told = np.array([any(example.right) for example in examples])
    return kept, choose_threshold(_cross_validate(examples, table), told)


def choose_threshold(stated: np.ndarray, told: np.ndarray) -> float:
    """What tells lines that state an answer from others best; of equals, the nearest to 1/2."""
    tried = np.arange(1, 100) / 100
    right = ((stated[None] >= tried[:, None]) == told[None]).sum(1)
    best = tried[right == right.max()]
    return float(best[np.abs(best - 0.5).argmin()])


def probabilities(phrases: Sequence[Sequence[str]], weights: Mapping[str, float]) -> np.ndarray:
    """Of each phrase of one line that it is the answer; what is missing to 1 is for none."""
    scores = np.array([sum(weights.get(clue, 0.0) for clue in clues) for clues in phrases])
    return _softmax(scores, np.zeros(len(phrases), dtype=np.int64), 1)


@dataclass(frozen=True)
class _Table:
    """Every clue of every phrase as two flat lists of numbers: whose it is, and which."""

    phrase: np.ndarray
    clue: np.ndarray
    line: np.ndarray  # of each phrase
    right: np.ndarray  # of each phrase
    lines: int
    clues: int

    def probabilities(self, weights: np.ndarray) -> np.ndarray:
        scores = np.bincount(self.phrase, weights[self.clue], self.line.size)
        return _softmax(scores, self.line, self.lines)

    def fit(self, used: np.ndarray) -> np.ndarray:
        """Adam on all the lines that are used, with a rate that falls to nothing."""
        weights, mean, square = (np.zeros(self.clues) for _ in range(3))
        for step in range(1, STEPS + 1):
            p = self.probabilities(weights)
            hit = p * self.right
            total = np.bincount(self.line, hit, self.lines)[self.line]
            error = (p - hit / np.maximum(total, _TINY)) * used[self.line]
            gradient = np.bincount(self.clue, error[self.phrase], self.clues) + RIDGE * weights
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            size = np.sqrt(square / (1 - 0.99**step)) + 1e-8
            rate = RATE * (1 - step / (STEPS + 1))
            weights -= rate * mean / (1 - 0.9**step) / size
        return weights


def _cross_validate(examples: Sequence[Example], table: _Table) -> np.ndarray:
    """For each line, the probability that it states anything, by weights that never saw it."""
    fold = np.array([example.person % FOLDS for example in examples])
    stated = np.zeros(len(examples))
    for number in range(FOLDS):
        p = table.probabilities(table.fit(fold != number))
        totals = np.bincount(table.line, p, len(examples))
        stated[fold == number] = totals[fold == number]
    return stated


def _tabulate(examples: Sequence[Example]) -> tuple[list[str], _Table]:
    counts = Counter(clue for e in examples for clues in e.phrases for clue in clues)
    kept = [clue for clue, count in counts.items() if count >= FEWEST]
    numbers = {clue: i for i, clue in enumerate(kept)}
    every = [clues for e in examples for clues in e.phrases]
    rows = [[numbers[clue] for clue in clues if clue in numbers] for clues in every]
    return kept, _Table(
        phrase=np.repeat(np.arange(len(rows)), [len(row) for row in rows]),
        clue=np.array([number for row in rows for number in row], dtype=np.int64),
        line=np.repeat(np.arange(len(examples)), [len(e.phrases) for e in examples]),
        right=np.array([right for e in examples for right in e.right], dtype=np.float64),
        lines=len(examples),
        clues=len(kept),
    )


def _softmax(scores_P: np.ndarray, line_P: np.ndarray, lines: int) -> np.ndarray:
    """Of each phrase among those of its line and none, whose score is 0."""
    top_L = np.zeros(lines)
    np.maximum.at(top_L, line_P, scores_P)
    power_P = np.exp(scores_P - top_L[line_P])
    total_L = np.bincount(line_P, power_P, lines) + np.exp(-top_L)
    return power_P / total_L[line_P]
