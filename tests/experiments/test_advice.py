"""What a finished run is told that it lacks."""

import pytest

from wherefrom.experiments.advice import sentence
from wherefrom.experiments.probing import Glance


def test_by_heart():
    found = sentence(Glance(200, 0.99, 0.31), 8.0)
    assert found == (
        "trained questions 99%, calibration questions 31%: it has learnt the questions by heart; "
        "more reading will help: --minutes 20"
    )


def test_not_yet_learnt():
    assert "has not finished learning" in sentence(Glance(200, 0.5, 0.45), 2.0)


@pytest.mark.parametrize("share", [0.95, 1.0])
def test_nothing_is_lacking(share: float):
    assert sentence(Glance(200, 1.0, share), 8.0) == ""


def test_whoever_set_the_steps_is_told_of_steps():
    assert sentence(Glance(200, 0.99, 0.31), None).endswith("more steps")
