"""Names that the model has read, told from names that nobody bears."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.name_gate import FAMILIARITY, LOST, NameGate, learn_gate
from wherefrom.core.errors import BadData


def cloud(centre: float, n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(centre, 1.0, (n, 2))


def test_names_that_are_far_apart_are_told_apart_and_nobody_is_lost():
    known, strangers = cloud(0, 100, 0), cloud(-12, 200, 1)
    gate = learn_gate(known, strangers)
    assert gate.opens(known).all()
    assert not gate.opens(strangers).any()
    # It stands between the two, not at the edge of either.
    assert gate.opens(np.full((1, 2), known.min() - 0.5)).all()
    assert not gate.opens(np.full((1, 2), strangers.max() + 0.5)).any()


def test_where_they_overlap_few_people_are_lost():
    known, strangers = cloud(0, 500, 2), cloud(-1, 500, 3)
    gate = learn_gate(known, strangers)
    assert 0 < (~gate.opens(known)).mean() <= LOST
    assert (~gate.opens(strangers)).mean() > (~gate.opens(known)).mean()


def test_strangers_who_all_look_the_same_are_refused_and_the_known_are_not():
    """As where nothing is more unfamiliar than it gets."""
    known, strangers = cloud(0, 50, 4), np.full((80, 2), -6.0)
    gate = learn_gate(known, strangers)
    assert gate.opens(known).all()
    assert not gate.opens(strangers).any()


def test_the_chance_that_a_name_was_read_is_even_where_the_gate_opens():
    known, strangers = cloud(0, 100, 7), cloud(-2, 200, 8)
    gate, both = learn_gate(known, strangers), np.vstack((known, strangers))
    chance = gate.probability(both)
    assert ((chance >= 0.5) == gate.opens(both)).all()
    assert (np.argsort(chance) == np.argsort(gate.curve.probability(both))).all()
    evens = replace(gate, least=0.5)  # there the curve's own
    assert evens.probability(both) == pytest.approx(gate.curve.probability(both))
    # By hand: a curve's 0.8 has odds of 4, a gate at 0.9 odds of 9; the chance is 4/13.
    flat = LogisticCalibration(FAMILIARITY, (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), 0.0)
    name = np.array([[np.log(4), 7.0]])
    assert NameGate(flat, 0.9).probability(name) == pytest.approx([4 / 13])
    # A gate that only certainty opens, and a certain name.
    sure = np.array([[900.0, 0.0], [-900.0, 0.0]])
    assert NameGate(flat, 1.0).probability(sure) == pytest.approx([0.5, 0.0])


def test_it_comes_back_from_json():
    gate = learn_gate(cloud(0, 30, 5), cloud(-3, 30, 6))
    written = json.loads(json.dumps(gate.as_json()))
    assert NameGate.from_json(written) == gate
    assert gate.curve.features == FAMILIARITY
    for spoilt in (None, {}, {"curve": {}}, written | {"least": "x"},
                   written | {"curve": written["curve"] | {"features": ["a", "b"]}}):  # fmt: skip
        with pytest.raises(BadData, match=r"names: expected|calibration: expected"):
            NameGate.from_json(spoilt)
