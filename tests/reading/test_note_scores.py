"""Scores of notes: calibration by hand, and where a note becomes sure."""

import numpy as np
import pytest

from wherefrom.reading.note_scores import SURE, Calibration, Choice


def choices(probabilities, right, silenced: bool = False) -> list[Choice]:
    pairs = zip(probabilities, right, strict=True)
    return [Choice(float(p), one, 1.0, silenced) for p, one in pairs]


def test_a_calibration_follows_what_was_right():
    p = np.linspace(0.05, 0.95, 19)
    same = Calibration.fit(choices(p, p))
    assert same.apply(0.3) == pytest.approx(0.3, abs=0.01)
    modest = Calibration.fit(choices(np.full(50, 0.7), np.ones(50)))
    assert modest.apply(0.7) > SURE
    vain = Calibration.fit(choices(np.full(50, 0.95), np.arange(50) % 2))
    assert vain.apply(0.95) == pytest.approx(0.5, abs=0.05)
    upside_down = Calibration.fit(choices(p, 1 - p))
    assert upside_down.apply(0.9) > upside_down.apply(0.1)


def test_few_silenced_texts_have_a_sure_value():
    """Of 100 silenced texts five may have one: the sixth likeliest value is not sure."""
    stated = choices(np.linspace(0.7, 0.99, 200), np.ones(200))
    silenced = choices(np.linspace(0.5, 0.97, 100), np.zeros(100), silenced=True)
    assert Calibration.fit(stated).apply(silenced[-20].probability) >= SURE
    found = Calibration.fit(stated + silenced)
    assert found.apply(silenced[-5].probability) >= SURE > found.apply(silenced[-6].probability)


def test_many_right_values_are_sure_few_are_not_for_that():
    """A wrong one at the top flattens the line; that all of 100 below are right corrects it."""

    def lowest(count: int) -> float:
        likely = choices(np.linspace(0.85, 0.95, count), np.ones(count))
        unlikely = choices(np.linspace(0.2, 0.8, count), np.arange(count) % 2)
        return Calibration.fit([*likely, *unlikely, Choice(0.999, False)]).apply(0.85)

    assert lowest(100) >= SURE > lowest(10)


def test_a_value_that_is_hardly_likely_is_never_sure():
    """Every one of them is right, but the line gives the lowest less than 3 : 1."""
    p = np.concatenate([np.full(90, 0.99), np.full(2, 0.02)])
    wrong = choices(np.full(40, 0.01), np.zeros(40))
    assert Calibration.fit(choices(p, np.ones(92)) + wrong).apply(0.02) < SURE
