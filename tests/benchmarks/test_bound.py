"""The benchmark of the risk bound: its population, and what its rules answer."""

import bound
import numpy as np

from wherefrom.answering.features import FEATURES
from wherefrom.core.answer_table import FeatureTable


def test_raw_answers_are_pooled_and_an_ungated_run_knows_every_name():
    features = dict.fromkeys(FEATURES, 1.0)
    rows = [
        {"split": split, "right": right, "name_known": known, "features": features}
        for split, right, known in (
            ("calibration", True, None), ("held-out", False, True), ("held-out", True, False),
        )
    ]  # fmt: skip
    found = bound.read_population(rows)
    assert (found.calibration, found.chance.tolist()) == (1, [1, 0, 1])
    assert bound.KnownNames().opens(found.features).tolist() == [True, True, False]


def test_a_name_that_the_model_does_not_know_is_not_answered():
    """The gate of the audit is kept: an unknown name has no score, however sure the features."""
    n = 200
    known = np.arange(n) % 2 == 0
    sure = np.where(np.arange(n) % 4 < 2, 3.0, -3.0)
    features = FeatureTable({"sure": sure, "known": known.astype(float)})
    rules = bound.fit_rules((features, sure > 0), 0.1, 0.1)
    for rule in rules.values():
        given = rule(features)
        assert given.any()
        assert not given[~known].any()


def test_conformal_risk_control_by_hand():
    """Of 19 answers the third and the fourth are wrong: 2 + 1 of 20 are allowed at 0.15."""
    score, right = np.linspace(0.95, 0.05, 19), np.ones(19, dtype=bool)
    right[[2, 3]] = False
    assert bound.control_risk(score, right, 0.15) == 0.0, "everything is answered"
    assert bound.control_risk(score, right, 0.14) == score[3], "what is above the second error"
    assert bound.control_risk(score, right, 0.05) == score[2]
    assert bound.control_risk(score, right, 0.04) == score[0], "nothing"
