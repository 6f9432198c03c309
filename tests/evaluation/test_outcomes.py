"""The check that all measures of answers begin with."""

import numpy as np
import pytest

from wherefrom.core.errors import BadData
from wherefrom.evaluation.outcomes import check_outcomes, check_probabilities


def test_no_answers_are_a_users_error_and_other_outcomes_a_programmers():
    with pytest.raises(BadData, match="expected at least one to score"):
        check_outcomes(np.array([]), np.array([]))
    with pytest.raises(ValueError, match="one list"):
        check_outcomes(np.ones(3), np.ones(2))


@pytest.mark.parametrize("p", [-0.1, 1.1, np.nan])
def test_probabilities_lie_from_0_to_1(p):
    with pytest.raises(ValueError, match="from 0 to 1"):
        check_probabilities(np.array([0.5, p]), np.array([True, False]))
