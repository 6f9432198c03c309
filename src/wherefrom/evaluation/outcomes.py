"""Scores of answers and their outcomes: the check that all measures of answers begin with."""

import numpy as np

from wherefrom.core.errors import BadData


def check_outcomes(value: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Check that there is one number and one outcome for each answer, and at least one answer."""
    values, is_right = np.asarray(value), np.asarray(right, dtype=bool)
    if values.ndim != 1 or values.shape != is_right.shape:
        raise ValueError(f"expected one list of answers, found {values.shape}, {is_right.shape}")
    if not values.size:
        raise BadData("answers: expected at least one to score, found none")
    return values, is_right


def check_probabilities(value: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same for probabilities, which are returned in double precision."""
    values, is_right = check_outcomes(np.asarray(value, dtype=np.float64), right)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("expected probabilities from 0 to 1")
    return values, is_right
