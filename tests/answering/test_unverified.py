"""Relations with few calibration questions: what is pooled, unverified or withheld, by hand."""

import numpy as np
import pytest

from wherefrom.answering.abstention import choose_thresholds
from wherefrom.answering.policy import DECLINE_ALL, Thresholds, own_probability
from wherefrom.answering.unverified import CalibrationAnswers, settle_thresholds
from wherefrom.core.answer_table import FeatureTable

TARGET, FLOOR = 0.9, 0.75


def settle(rows, every=()) -> Thresholds:
    """`rows` are (relation, subject, score, own probability, whether right)."""
    relations, subjects, *numbers = zip(*rows, strict=True)
    score, own, right = (np.array(column) for column in numbers)
    names = np.array(relations)
    parts = {name: np.flatnonzero(names == name) for name in sorted(set(relations))}
    chosen = choose_thresholds(score, right, parts, TARGET, FLOOR)
    answers = CalibrationAnswers(score, own, right, subjects, parts)
    return settle_thresholds(chosen, answers, every, FLOOR)


def about(relation, count, wrong=0, who="", own=0.97):
    """So many answers, the least sure ones wrong; subjects of a relation's own, unless named."""
    return [
        (relation, f"{who or relation} {i}", 0.95 - i / 1000, own - i / 1000, i < count - wrong)
        for i in range(count)
    ]


def test_few_questions_leave_the_answers_unverified():
    """14 questions about the same 14 people: 22 are needed, and two about one are no more."""
    found = settle(about("born", 14, who="x") + about("died", 14, wrong=1, who="x"))
    for name in ("born", "died"):
        own = found.of(name)
        assert own.unverified.startswith("14 calibration questions are too few")
        assert (own.why_not, own.pooled) == (None, False)
    assert (found.overall.answered_share, found.overall.precision) == (27 / 28, 1.0)
    # Relations about different subjects share a threshold.
    found = settle(about("rivers", 14) + about("towns", 14))
    assert found.of("rivers") == found.of("towns")
    assert (found.of("towns").pooled, found.of("towns").n) == (True, 28)
    assert found.of("towns").unverified is None


def test_a_pool_is_not_for_a_relation_that_it_would_be_wrong_for():
    """3 wrong of 10 are hardly luck at 10 %: P(Bin(10, 0.1) >= 3) is 0.07. 40 others hide them."""
    good = [row for name in "abc" for row in about(name, 20)]
    found = settle(good + about("bad", 10, wrong=3))
    assert not any(found.of(name).pooled for name in ("a", "b", "c", "bad"))
    assert found.of("a").unverified is not None
    assert settle(good + about("good", 10, wrong=1)).of("good").pooled


def test_an_unverified_threshold_is_on_the_models_own_probability():
    """Twelve questions, the two least probable answers wrong: the threshold is above both.

    How low these probabilities are does not matter: those of long answers are.
    """
    for own in (0.9, 0.4):
        found = settle(about("born", 12, wrong=2, own=own)).of("born")
        assert found.value == pytest.approx(own - 9 / 1000)
        assert (found.precision, found.answered_share) == (1.0, 10 / 12)
        assert found.unverified is not None


def test_answers_that_may_be_wrong_as_often_as_right_are_withheld():
    """Four right without a wrong one are hardly luck at even odds; three are."""
    kept = [("born", f"y {i}", 0.9, 0.9 - i / 100, i < 4) for i in range(12)]
    assert settle(kept).of("born").precision == 1
    lost = [(*row[:4], i < 3) for i, row in enumerate(kept)]
    found = settle(lost).of("born")
    assert (found.value, found.unverified) == (DECLINE_ALL, None)
    assert found.why_not.startswith("no threshold reaches 90 % on the 12 calibration questions")


def test_three_questions_show_nothing_but_a_mistake():
    found = [settle(about("born", 3, wrong=wrong)).of("born").value for wrong in (0, 1)]
    assert found == [FLOOR, DECLINE_ALL]


def test_enough_questions_that_reach_the_target_by_luck_are_no_cliff():
    """23 of 24 right, the surest wrong: more questions than 20 must not cost all answers."""
    surest = ("born", "y", 0.99, 0.99, False)
    others = about("other", 40)
    few, more = (settle([surest, *about("born", n), *others]).of("born") for n in (19, 23))
    assert few.unverified is not None
    assert more.unverified is not None
    assert "by more than luck" in more.unverified
    bad = settle(about("born", 40, wrong=30) + others).of("born")
    assert (bad.value, bad.unverified) == (DECLINE_ALL, None)


def test_what_was_shown_stays():
    """Also where the model's own probability would choose another threshold."""
    found = settle(about("many", 40) + about("few", 10))
    shown = found.of("many")
    assert (shown.value, shown.unverified, shown.pooled) == (0.91, None, False), "all are surer"
    assert found.of("few").unverified is not None
    none = settle(about("many", 40), every=("many", "none")).of("none")
    assert (none.value, none.n) == (FLOOR, 0)
    assert none.unverified == "no calibration question asks for this"
    assert shown == settle(about("many", 40, own=0.6)).of("many")


def test_the_models_own_probability():
    features = FeatureTable({"log_probability": np.array([np.log(0.25), 1e-9])})
    assert own_probability(features).tolist() == pytest.approx([0.25, 1.0])
    assert own_probability(features).max() <= 1
