"""What is decided about an answer, and the reason in words."""

import numpy as np
import pytest

from tests.support.policies import share_threshold
from wherefrom.answering.features import FAMILIARITY
from wherefrom.answering.policy import (
    DECLINE_ALL,
    AnswerPolicy,
    Decision,
    LogisticCalibration,
    NameGate,
    RelationPolicy,
    Threshold,
    decide,
)
from wherefrom.core.answer_table import FeatureTable

CURVE = LogisticCalibration(("sure",), (0.0,), (1.0,), (1.0,), 0.0)
HALF, NONE = (
    Threshold(0.5, 0.9, 0.5, 0.9, 40),
    Threshold(DECLINE_ALL, 0.9, 0.0, None, 40, "too few"),
)
FEATURES = FeatureTable({"sure": np.array([2.0, -2.0])})


def test_without_a_policy_everything_is_answered_and_else_by_the_threshold():
    expected = Decision(True, None, None, unverified=True)
    assert decide(None, FEATURES, ["a", "b"]) == [expected] * 2
    yes, no = decide(share_threshold(CURVE, HALF, "a", "b"), FEATURES, ["a", "b"])
    assert (yes.given, yes.reason, yes.why_not) == (True, None, None)
    assert yes.confidence == pytest.approx(1 / (1 + np.exp(-2)))
    assert (no.given, no.reason) == (False, "low confidence")
    assert no.why_not == (
        "its confidence is below 50.0 %, the threshold that was set for 90 % right among such "
        "answers"
    )
    # Each relation has its own reason.
    policies = {"a": RelationPolicy(CURVE, HALF), "b": RelationPolicy(CURVE, NONE)}
    policy = AnswerPolicy(CURVE, NONE, relations=policies)
    sure = FeatureTable({"sure": np.array([2.0, 2.0, 2.0])})
    yes, no, other = decide(policy, sure, ["a", "b", "c"])
    assert (yes.given, no.given, other.given) == (True, False, False)
    assert no.why_not == "no such question is answered: too few"
    assert other.why_not == "no such question is answered: no calibration question asks for this"


def test_an_unknown_name_is_reason_enough():
    found = Decision(False, None, False, HALF)
    assert (found.reason, found.why_not) == ("unknown name", "the model does not know the name")
    curve = LogisticCalibration(FAMILIARITY, (0.0, 0.0), (1.0, 1.0), (1.0, 0.0), 0.0)
    familiar = dict.fromkeys(FAMILIARITY, np.array([1.0, -1.0]))
    sure = FeatureTable({"sure": np.array([2.0, 2.0]), **familiar})
    known, unknown = decide(
        share_threshold(CURVE, HALF, "a", gate=NameGate(curve, 0.5)), sure, ["a", "a"]
    )
    assert (known.given, known.name_known, unknown.given) == (True, True, False)
    assert (unknown.name_known, unknown.confidence, unknown.reason) == (False, None, "unknown name")


@pytest.mark.parametrize(
    ("share", "given", "confidence", "unverified"),
    [(None, True, None, True), (0.02, False, 0.02, False), (0.99, True, 0.867, False)],
)
def test_confidence_takes_in_that_the_text_lacks_the_name(share, given, confidence, unverified):
    """86.7 % sure of somebody without text: as sure as of other people without text, at most."""
    sure = Decision(True, 0.867, True, Threshold(0.75, 0.9, 0.5, 0.9, 40))
    found = sure.without_text(share)
    assert (found.given, found.confidence, found.unverified) == (given, confidence, unverified)
    assert found.needs == (None if given else 0.75)
    unknown = Decision(False, None, False, sure.threshold)
    assert unknown.without_text(share) == unknown
