"""Accuracy against exposure: does a model know better what it was shown more often?

Where the exposure was drawn at random (`people` with `data.exposure=zipf`) a rise is an effect of
the exposure. Elsewhere it is not: what stands early in a line is shown oftener and is easier, so
there the rows are told apart by the place in the line first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import Interval, paired_difference, wilson

POSITIONS = (0, 32, 64, 96, 128, 192)  # where a value starts, in characters


@dataclass(frozen=True)
class Dose:
    """Answers about what was shown `low` to `high` times, both included, and seen so often."""

    low: int
    high: int
    n: int
    right: int
    accuracy: float
    interval: Interval


@dataclass(frozen=True)
class PositionedDose:
    """A dose among values that start from `start` up to `end`, not included (None: any later)."""

    start: int
    end: int | None
    dose: Dose


def dose(
    exposures: np.ndarray,
    right: np.ndarray,
    edges: Sequence[int] | None = None,
    level: float = 0.95,
) -> list[Dose]:
    """A row for each bin that has answers, with Wilson's interval.

    `edges` are the least counts of the bins; without them 0, 1, 2-3, 4-7 and so on: doubling.
    """
    count, is_right = _checked(exposures, right)
    most = int(count.max())
    if edges is None:
        edges = [0, *(2**i for i in range(most.bit_length()))]
    rows = []
    for low, above in zip(edges, [*edges[1:], most + 1], strict=True):
        here = (count >= low) & (count < above)
        if n := int(here.sum()):
            good = int((here & is_right).sum())
            rows.append(Dose(low, above - 1, n, good, good / n, wilson(good, n, level)))
    return rows


def dose_by_position(
    exposures: np.ndarray,
    positions: np.ndarray,
    right: np.ndarray,
    starts: Sequence[int] = POSITIONS,
    level: float = 0.95,
) -> list[PositionedDose]:
    """The same for each stretch of the line that a value starts in; -1 is in none of them."""
    count, is_right = _checked(exposures, right)
    place = np.asarray(positions)
    rows = []
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        here = (place >= start) & (place < end if end is not None else True)
        if here.any():
            found = dose(count[here], is_right[here], level=level)
            rows += [PositionedDose(start, end, row) for row in found]
    return rows


def never_exposed(
    seen: np.ndarray, right: np.ndarray, baseline: np.ndarray, level: float = 0.95
) -> dict[str, Score]:
    """The model and a baseline (`nearest_name`) on facts that were never shown.

    Nothing but a guess is left there: a model that beats the baseline knows from elsewhere.
    Empty if everything was shown.
    """
    shown, is_right = _checked(np.asarray(seen, dtype=bool), right)
    _, guessed = _checked(shown, baseline)
    here = ~shown.astype(bool)
    if not here.any():
        return {}
    difference, interval = paired_difference(is_right[here], guessed[here], level)
    n = int(here.sum())
    return {
        "model": _accuracy(is_right[here], level),
        "baseline": _accuracy(guessed[here], level),
        "difference": Score("difference", difference, interval, n),
    }


def _accuracy(right: np.ndarray, level: float) -> Score:
    good, n = int(right.sum()), right.size
    return Score("accuracy", good / n, wilson(good, n, level), n, {"correct": good})


def _checked(exposures: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    count, is_right = np.asarray(exposures, dtype=np.int64), np.asarray(right, dtype=bool)
    if count.ndim != 1 or count.shape != is_right.shape:
        raise ValueError(f"expected one list of answers, found {count.shape}, {is_right.shape}")
    if not count.size:
        raise BadData("exposures: expected at least one answer, found none")
    return count, is_right
