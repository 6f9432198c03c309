"""The slider: thresholds chosen on calibration answers, counted on held-out ones, by hand."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.policies import share_threshold
from wherefrom.answering.abstention import LEAST_SURE
from wherefrom.answering.policy import LogisticCalibration, RelationPolicy, Threshold
from wherefrom.show.page.judged_answers import JudgedAnswers, Scored
from wherefrom.show.page.risk import offer_risks
from wherefrom.show.page.sections import tell_stops

CURVE = LogisticCalibration(("log_probability",), (0.0,), (1.0,), (1.0,), 0.0)
POLICY = share_threshold(CURVE, Threshold(0.7, 0.9, 0.5, 0.9, 10), "r")
DOUBTFUL = share_threshold(CURVE, Threshold(0.6, 0.9, 0.5, 0.9, 10), "r")


HELD_OUT = [
    (0.95, True, "stated"), (0.85, True, "stated"), (0.75, False, "omitted"),
    (0.55, True, "stated"), (None, False, "none"),
]  # fmt: skip


def offer(known, policy, relations="r"):
    """The slider for these pairs of a calibration answer's score and whether it is right."""
    held_out = tuple(
        SimpleNamespace(
            reply=SimpleNamespace(certainty=score, relation="r"), right=right, support=support
        )
        for score, right, support in HELD_OUT
    )
    scores, right = (np.array([row[i] for row in known]) for i in (0, 1))
    asked = [relations[i % len(relations)] for i in range(len(known))]
    calibration = Scored(scores, right.astype(bool), asked, asked)
    return offer_risks(JudgedAnswers(held_out, calibration, None), policy)


@pytest.fixture
def offered():
    # Ranked by score: right, right, wrong, right, right: the precisions are 1, 1, 2/3, 3/4, 4/5.
    known = [(0.9, True), (0.75, True), (0.7, False), (0.65, True), (0.6, True), (0.3, True)]
    return offer(known * 20, POLICY)


def stop(offered, risk):
    return next(each for each in offered.stops if each.risk == risk)


def test_each_stop_has_the_loosest_threshold_of_its_risk_and_changes_something(offered):
    """By hand: 40 right ones show a risk of 7 % (0.93**40 = 0.055), and of 5 % they do not (0.13).

    Four in five right is no luck for a risk of 30 %; 0.3 is below even odds.
    """
    assert [(each.risk, each.thresholds["r"]) for each in offered.stops] == [
        (0.05, 2.0), (0.07, 0.75), (0.1, 0.7), (0.3, 0.5)
    ]  # fmt: skip


def test_a_risk_that_the_calibration_questions_cannot_show_answers_nothing():
    found = offer([(0.9, True)] * 40, DOUBTFUL)
    assert stop(found, 0.1).answered > 0  # of 7 %, the threshold would be the same
    refused = stop(found, 0.05)
    assert offer([], POLICY) is offer([(0.5, True)], None) is None, "no slider at all"
    assert refused.answered == 0
    assert refused.why_not == (
        "40 calibration questions are too few for a threshold: it takes at least 45 answers if all "
        "are right, 77 with one wrong, 105 with two"
    )


def test_doubtful_answers_are_for_those_who_accept_more_risk_than_the_run():
    found = offer([(score, True) for score in (0.9, 0.85, 0.6) * 40], DOUBTFUL)
    assert stop(found, 0.07).thresholds == {"r": LEAST_SURE}, "all are right, but 0.6 is doubtful"
    assert stop(found, 0.15).thresholds == {"r": 0.5}


def test_answers_that_were_not_verified_are_called_so_at_every_risk():
    own = Threshold(0.8, 0.9, 1.0, 1.0, 17, unverified="too few")
    found = offer([(0.9, True)] * 17, share_threshold(CURVE, own, "r"))
    assert [(each.risk, each.unverified) for each in found.stops] == [
        (0.07, 0), (0.1, 2), (0.15, 4)
    ]  # fmt: skip
    said = tell_stops(found)[found.usual]["said"]
    assert said.endswith("They are unverified: no threshold was shown to keep the risk.")


def test_what_the_runs_own_threshold_does_is_counted_on_held_out_people_and_told(offered):
    usual = offered.stops[offered.usual]
    assert (usual.risk, usual.thresholds) == (0.1, {"r": 0.7})
    assert (usual.answered, usual.right, usual.n) == (3, 2, 5)
    assert usual.groups == {"stated": [3, 2, 2], "omitted": [1, 1, 0], "none": [1, 0, 0]}
    words = tell_stops(offered)[offered.usual]
    assert words["risk"] == "10\u00a0%"
    assert words["said"].startswith("It then answers 3 of 5 held-out questions, and 2 of these")
    assert words["groups"].startswith(
        "The 5 are 3 whose text tells (2 answered), 1 whose text leaves"
    )


def test_the_lower_floor_of_a_higher_risk_does_not_raise_the_threshold():
    """By hand: 0.8 is the lowest score above the floor, and 0.75 is the run's own threshold.

    For a risk of 15 % the floor is 1/2. The wrong 0.6 would make it 1 in 4, and 0.8 is left: then
    an answer with a score of 0.77 would be given to who accepts 10 %, and not at 15 %. So 15 % and
    20 % are no stops.
    """
    known = [(score, score > 0.7) for score in (0.95, 0.9, 0.8, 0.6)] * 30
    policy = share_threshold(CURVE, Threshold(0.75, 0.9, 0.75, 1.0, 4), "r")
    found = offer(known, policy)
    above = {each.risk: each.thresholds["r"] for each in found.stops[found.usual :]}
    assert above == {0.1: 0.75, 0.4: 0.5}


SCORES = st.sampled_from([0.0, *np.arange(0.4, 1, 0.05)])


@given(
    st.lists(st.tuples(SCORES, st.booleans()), min_size=1),
    st.sampled_from([0.55, 0.75, 0.9, 2.0]),
    st.booleans(),
)
@settings(max_examples=30)
def test_less_risk_never_answers_more(known, own, several):
    threshold = Threshold(own, 0.9, 0.5, 0.9, 10)
    relations = "rs" if several else "r"
    found = offer(known, share_threshold(CURVE, threshold, *relations), relations)
    for strict, loose in pairwise(found.stops):
        assert strict.thresholds != loose.thresholds
        assert all(
            loose.thresholds.get(name, 2) <= least for name, least in strict.thresholds.items()
        )
        assert strict.answered <= loose.answered
    assert set(found.stops[found.usual].thresholds.values()) == {own}


@pytest.mark.parametrize(("other", "said"), [(0.7, None), (2.0, "too few")])
def test_it_is_said_why_only_where_nothing_is_answered_at_all(other, said):
    none = Threshold(2.0, 0.9, 0.0, None, 4, "too few")
    each = {"r": none, "s": replace(none, value=other)}
    policy = replace(POLICY, relations={n: RelationPolicy(CURVE, t) for n, t in each.items()})
    found = offer([(0.9, True)], policy)
    assert found.stops[found.usual].why_not == said
