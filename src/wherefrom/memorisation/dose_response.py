"""Dose and response: is a model right more often about facts that it was shown more often?

If the data set assigns exposures at random, as a clinical trial assigns doses, then a rise in
accuracy is an effect of the exposure (`exposure_is_randomised`; `people` with
`data.exposure=zipf`). Otherwise it need not be: a value that stands early in a line is shown more
often and is also easier to learn. So the answers are also grouped by the value's place in the line.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.core.recipe import Recipe
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import Interval, paired_difference
from wherefrom.evaluation.outcomes import check_outcomes

POSITIONS = (0, 32, 64, 96, 128, 192)  # where the ranges of a line begin, in characters


@dataclass(frozen=True)
class Dose:
    """Answers to questions about facts that were shown `low` to `high` times, both included."""

    low: int
    high: int
    n: int
    right: int
    accuracy: float
    interval: Interval


@dataclass(frozen=True)
class CharacterRange:
    """The characters of a line from `start` up to `end` (not included), or to the line's end."""

    start: int
    end: int | None


@dataclass(frozen=True)
class PositionedDose(Dose, CharacterRange):  # a dataclass puts the fields of the last base first
    """A dose among the facts whose value starts in this range of its line."""


@dataclass(frozen=True)
class NeverExposed:
    """A model and a baseline on facts that training never showed, so that both can only guess.

    A model that beats the baseline (`nearest_name`) has the answers from somewhere else.
    """

    model: Score
    baseline: Score
    difference: Score


def exposure_is_randomised(recipe: Recipe) -> bool:
    """Whether the recipe's data set assigns exposures at random, so that a rise is an effect."""
    return bool(getattr(recipe.data, "randomised_exposure", False))


def bin_by_exposure(
    exposures: np.ndarray, right: np.ndarray, edges: Sequence[int] | None = None
) -> list[Dose]:
    """One dose for each bin that has answers, with Wilson's interval.

    `edges` are the smallest counts of the bins. By default the bins double: 0, 1, 2-3, 4-7, ...
    """
    count, is_right = check_outcomes(exposures, right)
    most = int(count.max())
    if edges is None:
        edges = [0, *(2**i for i in range(most.bit_length()))]
    doses: list[Dose] = []
    for low, above in zip(edges, [*edges[1:], most + 1], strict=True):
        here = (count >= low) & (count < above)
        if here.any():
            hits, n = int(is_right[here].sum()), int(here.sum())
            score = Score.of_share("accuracy", hits, n)
            doses.append(Dose(low, above - 1, n, hits, score.value, score.interval))
    return doses


def bin_by_position(
    exposures: np.ndarray, positions: np.ndarray, right: np.ndarray
) -> list[PositionedDose]:
    """Doses for each range of the line; a position of -1 belongs to none."""
    count, is_right = check_outcomes(exposures, right)
    place = np.asarray(positions)
    doses: list[PositionedDose] = []
    for start, end in zip(POSITIONS, [*POSITIONS[1:], None], strict=True):
        here = (place >= start) & (place < end if end is not None else True)
        if here.any():
            found = bin_by_exposure(count[here], is_right[here])
            doses += [PositionedDose(start=start, end=end, **vars(dose)) for dose in found]
    return doses


def score_never_exposed(
    seen: np.ndarray, right: np.ndarray, baseline: np.ndarray
) -> NeverExposed | None:
    """The accuracies of the model and a baseline on facts that were never shown; None if none."""
    shown, is_right = check_outcomes(np.asarray(seen, dtype=bool), right)
    _, guessed = check_outcomes(shown, baseline)
    here = ~shown
    if not here.any():
        return None
    difference, interval = paired_difference(is_right[here], guessed[here])
    return NeverExposed(
        _accuracy(is_right[here]),
        _accuracy(guessed[here]),
        Score("difference", difference, interval, int(here.sum())),
    )


def _accuracy(right: np.ndarray) -> Score:
    hits = int(right.sum())
    return Score.of_share("accuracy", hits, right.size, {"correct": hits})
