"""Intervals of a mean over seeds that also count the questions.

Seeds that answer the same questions share their luck with them: Student's interval over the seeds'
scores says how another seed would do on these questions, and not how it would do on others. So the
variance of the mean has two parts, one from the seeds and one from the questions. Both contain the
noise of single answers, which must not count twice (a two-way layout without replication; Searle,
Casella and McCulloch 1992). The degrees of freedom are Satterthwaite's. In simulations a 95 %
interval holds the truth in 93 to 97 % with three seeds or more, and in 89 to 96 % with two.

Where every seed has questions of its own (`people` makes other people for each seed), the seeds'
scores differ by the luck of their questions too, and Student's interval counts both already.
"""

import numpy as np

from wherefrom.evaluation.intervals import LEVEL, Interval, student_quantile


def mean_over_seeds(right_SQ: np.ndarray) -> tuple[float, Interval]:
    """The mean of seeds (rows) that answered the same questions (columns), and its interval."""
    right = _checked(right_SQ)
    half = _half_width(right, None)
    mean = float(right.mean())
    return mean, (max(mean - half, 0.0), min(mean + half, 1.0))


def difference_over_seeds(one_SQ: np.ndarray, other_SQ: np.ndarray) -> tuple[float, Interval]:
    """How much the first seeds' mean lies above the others', on the same questions."""
    one, other = _checked(one_SQ), _checked(other_SQ)
    if one.shape[1] != other.shape[1]:
        raise ValueError(f"expected the same questions, found {one.shape[1]} and {other.shape[1]}")
    half = _half_width(one, other)
    difference = float(one.mean() - other.mean())
    return difference, (max(difference - half, -1.0), min(difference + half, 1.0))


def _half_width(one_SQ: np.ndarray, other_SQ: np.ndarray | None) -> float:
    """Of the interval of a mean over seeds, or of the difference of two.

    The variance is that of seeds plus that of questions minus the noise.
    """
    groups = [one_SQ] if other_SQ is None else [one_SQ, other_SQ]
    by_question = one_SQ.mean(0) if other_SQ is None else one_SQ.mean(0) - other_SQ.mean(0)
    questions = by_question.size
    parts = [(float(by_question.var(ddof=1)) / questions, questions - 1.0)]
    noise = 0.0
    for group in groups:
        seeds = len(group)
        parts.append((float(group.mean(1).var(ddof=1)) / seeds, seeds - 1.0))
        left = group - group.mean(1, keepdims=True) - group.mean(0) + group.mean()
        freedom = (seeds - 1.0) * (questions - 1.0)
        noise += float((left**2).sum()) / freedom / (seeds * questions)
    total = sum(value for value, _ in parts)
    # The noise is in both parts; by chance it may come out larger than one of them.
    value = max(total - noise, *(value for value, _ in parts))
    spread = sum(value**2 / freedom for value, freedom in parts)
    freedom = value**2 / spread if spread else parts[0][1]
    # The next smaller whole number: a little wider.
    return student_quantile((1 + LEVEL) / 2, max(1, int(freedom))) * value**0.5


def _checked(right_SQ: np.ndarray) -> np.ndarray:
    right = np.asarray(right_SQ, dtype=np.float64)
    if right.ndim != 2 or min(right.shape) < 2:
        raise ValueError(f"expected at least 2 seeds and 2 questions, found {right.shape}")
    return right
