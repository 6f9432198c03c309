"""The profile of a step: its gaps, with figures made by hand."""

import step_profile


def test_gaps_are_the_time_in_which_nothing_runs():
    spans = [(0.0, 4.0), (1.0, 2.0), (6.0, 7.0), (6.5, 9.0), (9.5, 10.0)]
    assert step_profile.find_gaps(spans) == 2.5
