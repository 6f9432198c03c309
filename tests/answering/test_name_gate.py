"""Names that the model has read, told from decoys."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.familiarity import FAMILIARITY
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.name_gate import LOST, NameGate, choose_known, fit_name_gate
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData


def table(values: np.ndarray) -> FeatureTable:
    return FeatureTable.from_matrix(values, FAMILIARITY)


def cloud(centre: float, n: int, seed: int) -> FeatureTable:
    return table(np.random.default_rng(seed).normal(centre, 1.0, (n, 2)))


def test_names_that_are_far_apart_are_told_apart_and_nobody_is_lost():
    known, decoys = cloud(0, 100, 0), cloud(-12, 200, 1)
    gate = fit_name_gate(known, decoys)
    assert gate.opens(known).all()
    assert not gate.opens(decoys).any()
    # It stands between the two, not at the edge of either.
    assert gate.opens(table(np.full((1, 2), known.matrix(FAMILIARITY).min() - 0.5))).all()
    assert not gate.opens(table(np.full((1, 2), decoys.matrix(FAMILIARITY).max() + 0.5))).any()


def test_where_they_overlap_few_people_are_lost():
    known, decoys = cloud(0, 500, 2), cloud(-1, 500, 3)
    gate = fit_name_gate(known, decoys)
    assert 0 < (~gate.opens(known)).mean() <= LOST
    assert (~gate.opens(decoys)).mean() > (~gate.opens(known)).mean()


def test_decoys_that_all_look_the_same_are_refused_and_the_known_are_not():
    """As where nothing is more unfamiliar than it gets."""
    known, decoys = cloud(0, 50, 4), table(np.full((80, 2), -6.0))
    gate = fit_name_gate(known, decoys)
    assert gate.opens(known).all()
    assert not gate.opens(decoys).any()


def test_the_chance_that_a_name_was_read_is_even_where_the_gate_opens():
    known, decoys = cloud(0, 100, 7), cloud(-2, 200, 8)
    gate = fit_name_gate(known, decoys)
    both = table(np.vstack([part.matrix(FAMILIARITY) for part in (known, decoys)]))
    chance = gate.probability(both)
    # The gate may stand at somebody's own probability: there the chance is 1/2, but for rounding.
    assert ((chance >= 0.5 - 1e-9) == gate.opens(both)).all()
    assert (np.argsort(chance) == np.argsort(gate.curve.probability(both))).all()
    evens = replace(gate, least=0.5)  # there the curve's own
    assert evens.probability(both) == pytest.approx(gate.curve.probability(both))
    # By hand: a curve's 0.8 has odds of 4, a gate at 0.9 odds of 9; the chance is 4/13.
    flat = LogisticCalibration(FAMILIARITY, (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), 0.0)
    name = table(np.array([[np.log(4), 7.0]]))
    assert NameGate(flat, 0.9).probability(name) == pytest.approx([4 / 13])
    # A gate that only certainty opens, and a certain name.
    sure = table(np.array([[900.0, 0.0], [-900.0, 0.0]]))
    assert NameGate(flat, 1.0).probability(sure) == pytest.approx([0.5, 0.0])


def test_it_takes_its_columns_by_their_names():
    known, decoys = cloud(0, 50, 9), cloud(-4, 50, 10)
    gate = fit_name_gate(known, decoys)
    more = FeatureTable({"margin": np.zeros(50)} | dict(reversed(known.columns.items())))
    assert fit_name_gate(more, decoys) == gate
    assert (gate.probability(more) == gate.probability(known)).all()


def test_it_comes_back_from_json():
    gate = fit_name_gate(cloud(0, 30, 5), cloud(-3, 30, 6))
    written = json.loads(json.dumps(to_json(gate)))
    assert from_json(NameGate, written, "names") == gate
    assert gate.curve.features == FAMILIARITY
    renamed = written["curve"] | {"features": ["a", "b"]}
    for spoilt, message in (
        (None, "names: expected a table of NameGate, found None"),
        ({}, "names: expected the field 'curve', found none"),
        ({"curve": {}, "least": 0.5}, r"names\.curve: expected the field 'features', found none"),
        (written | {"least": "x"}, r"names\.least: expected a number, found 'x'"),
        (written | {"least": math.nan}, "names: expected a finite least value, found nan"),
        (written | {"curve": renamed}, r"names: expected the features .* found \('a', 'b'\)"),
    ):
        with pytest.raises(BadData, match=message):
            from_json(NameGate, spoilt, "names")


def test_a_curve_is_fitted_on_known_names_unless_they_are_few():
    curve = LogisticCalibration(FAMILIARITY, (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), 0.0)
    gate = NameGate(curve, 0.5)  # opens where the familiarity is 0 or more
    values = np.zeros((40, 2))
    values[::2, 0] = -1.0
    assert choose_known(gate, table(values)).tolist() == list(range(1, 40, 2))
    assert choose_known(gate, table(values[:38])).size == 38, "19 known people are too few"
    assert choose_known(None, table(values)).size == 40
