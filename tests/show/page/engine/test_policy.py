"""Thresholds, decisions and their words against answering/, on answers that are made up."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.policies import share_threshold
from wherefrom.answering.abstention import choose_thresholds
from wherefrom.answering.features import FAMILIARITY, STATEMENT
from wherefrom.answering.policy import (
    EVEN_ODDS,
    AnswerPolicy,
    LogisticCalibration,
    NameGate,
    RelationPolicy,
    Threshold,
    decide,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json

NAMES = ("log_probability", "margin", *STATEMENT, *FAMILIARITY)
POLICY = {"policy.js": "Policy"}


def make_curve(names: tuple[str, ...], seed: int) -> LogisticCalibration:
    r = np.random.default_rng(seed)
    k = len(names)
    numbers = (r.normal(size=k), r.uniform(0.5, 2, k), r.normal(size=k))
    return LogisticCalibration(
        names, *(tuple(map(float, n)) for n in numbers), 0.3, guess=0.04, lapse=0.01
    )


def make_features(count: int, seed: int) -> FeatureTable:
    values = np.random.default_rng(seed).normal(size=(count, len(NAMES)))
    return FeatureTable.from_matrix(values * 2, NAMES)


def describe(policy: AnswerPolicy) -> dict:
    keys = ("calibration", "threshold", "names", "relations", "without_text")
    return {key: to_json(policy)[key] for key in keys}


@pytest.mark.parametrize("unverified", [False, True])
def test_decisions(run_js, unverified: bool) -> None:
    score = np.random.default_rng(3).uniform(size=300)
    right = score > np.random.default_rng(4).uniform(size=300) * 0.8
    relations = ["place" if i % 3 else "hand" for i in range(300)]
    gate = NameGate(make_curve(FAMILIARITY, 5), 0.45)
    curve = make_curve(NAMES, 1)
    if unverified:
        own = Threshold(0.75, 0.9, 0.5, 1.0, 12, unverified="too few")
        policy = share_threshold(curve, own, "place", gate=gate)
    else:
        parts = {r: np.flatnonzero(np.array(relations) == r) for r in ("place", "hand")}
        chosen = choose_thresholds(score, right, parts, 0.8, EVEN_ODDS)
        each = {r: RelationPolicy(make_curve(NAMES, 7 + len(r)), chosen.of(r)) for r in parts}
        policy = AnswerPolicy(curve, chosen.overall, each, gate)
    features, asked = make_features(40, 9), ["place", "hand", "other", "place"] * 10
    expected = decide(policy, features, asked)
    code = """
    const policy = new Policy(given.policy);
    return given.features.map((features, i) => {
      const judged = policy.judge(features, given.asked[i]);
      return { ...judged, ...policy.decide(judged, given.asked[i]) };
    });
    """
    rows = [features.row(i) for i in range(len(features))]
    given = {"policy": describe(policy), "features": rows, "asked": asked}
    score = policy.score(features, asked)
    for i, (here, there) in enumerate(zip(run_js(POLICY, code, given), expected, strict=True)):
        assert here["answered"] == there.given
        assert here["nameKnown"] == there.name_known
        assert here["reason"] == there.reason
        assert here["whyNot"] == there.why_not
        assert here["confidence"] == (there.confidence and pytest.approx(there.confidence))
        assert (here["unverified"], here["needs"]) == (there.unverified, there.needs)
        assert here["certainty"] == (pytest.approx(score[i]) if there.name_known else None)
    assert {d.given for d in expected} == {True, False}


@pytest.mark.parametrize("share", [None, 0.02, 0.7])
def test_decisions_about_names_that_the_text_does_not_have(run_js, share: float | None) -> None:
    threshold = Threshold(0.6, 0.9, 0.5, 0.9, 40)
    policy = replace(share_threshold(make_curve(NAMES, 1), threshold, "place"), without_text=share)
    features = make_features(20, 9)
    decisions = [d.without_text(share) for d in decide(policy, features, ["place"] * 20)]
    code = """
    const policy = new Policy(given.policy);
    return given.features.map((features) => {
      return policy.decide({ ...policy.judge(features, 'place'), noText: true }, 'place');
    });
    """
    given = {"policy": describe(policy), "features": [features.row(i) for i in range(20)]}
    for here, there in zip(run_js(POLICY, code, given), decisions, strict=True):
        assert (here["answered"], here["unverified"]) == (there.given, there.unverified)
        assert (here["reason"], here["whyNot"]) == (there.reason, there.why_not)
        assert here["needs"] == there.needs
        assert here["confidence"] == (there.confidence and pytest.approx(there.confidence))
    assert {d.given for d in decisions} == ({False} if share == 0.02 else {True, False})


def test_a_score_at_the_threshold_is_enough(run_js) -> None:
    code = """
    const threshold = { value: 0.6, precision_target: 0.9, n: 9 };
    const policy = new Policy({ threshold, relations: { place: { threshold } } });
    const decide = (score) => policy.decide({ score, nameKnown: true }, 'place').answered;
    return given.map(decide);
    """
    assert run_js(POLICY, code, [0.6, 0.5999, 0.6001]) == [True, False, True]
