"""Thresholds on answers known by hand, and against trying every threshold there is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.answering.abstention import (
    DOUBT,
    apply,
    choose_threshold,
    choose_thresholds,
    report_declined,
    tighten,
)
from wherefrom.answering.policy import DECLINE_ALL, Threshold, Thresholds

P = np.array([0.9, 0.2, 0.8, 0.6, 0.4])
RIGHT = np.array([True, False, True, False, True])


cases = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=30)


@given(cases, st.sampled_from([0.5, 0.8, 0.95, 1.0]))
def test_it_is_what_trying_every_threshold_finds(case, precision):
    p, right = np.array([c / 6 for c, _ in case]), np.array([r for _, r in case])
    tried = set(p.tolist()) - {0.0}
    good = [t for t in tried if right[p >= t].mean() >= precision]
    found = choose_threshold(p, right, precision)
    assert found.value == (min(good) if good else DECLINE_ALL)
    assert (found.n, found.precision_target) == (len(case), precision)
    if good:
        assert found.precision == pytest.approx(right[p >= found.value].mean())
        assert found.answered_share == pytest.approx((p >= found.value).mean())


@pytest.mark.parametrize(
    ("right", "floor", "value"),
    [
        ((1, 1, 1, 0), 0.6, 0.6),  # all above the floor will do: nothing tells where to stop
        ((1, 1, 1, 0), 0.0, 0.7),  # without a floor, what was observed
        ((1, 1, 1, 0), 0.7, 0.7),  # a score at the floor counts
        ((1, 1, 0, 0), 0.6, 0.9),
        ((1, 1, 0, 0), 0.7, 0.9),  # also a wrong one
    ],
)
def test_no_threshold_is_below_the_floor(right, floor, value):
    score = np.array([0.95, 0.9, 0.7, 0.3])
    assert choose_threshold(score, np.array(right) > 0, 0.9, floor).value == value


@pytest.mark.parametrize(
    ("right", "wrong", "chosen", "value"),
    [
        ((0.987,) * 50, (0.8,) * 2, 0.7, 0.98),  # in whole percent
        ((0.9999,) * 50, (0.8,) * 2, 0.7, 0.99),  # strict enough
        ((0.75, *(0.95,) * 49), (), 0.7, 0.95),  # 1 of 50 is withheld, and 2 of 51 may be
        ((0.75, 0.85, *(0.95,) * 49), (), 0.7, 0.85),
        ((0.6, 0.65, *(0.95,) * 49), (), 0.7, 0.7),  # two are withheld already
        ((0.95,) * 23, (), 0.7, 0.7),  # one of 24 is more than 4 %
        ((0.95,) * 50, (), DECLINE_ALL, DECLINE_ALL),
        ((0.75, *(0.95,) * 49), (0.96,) * 2, 0.7, 0.7),  # 2 of 51 wrong may be luck, 2 of 52 not
        ((0.75, *(0.95,) * 50), (0.96,) * 2, 0.7, 0.95),
    ],
)
def test_a_threshold_rises_while_few_right_answers_are_withheld(right, wrong, chosen, value):
    score, holds = np.array(right + wrong), np.arange(len(right + wrong)) < len(right)
    start = Threshold(chosen, 0.9, 1.0, 0.9, score.size)
    found = tighten(start, score, holds)
    assert found.value == value
    if value != chosen:
        given = score >= value
        assert (found.answered_share, found.precision) == (given.mean(), holds[given].mean())
    shared = replace(start, pooled=True)
    assert tighten(shared, score, holds) == shared


# --- luck, and why nothing is answered ---------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "wrong", "passes"),
    [
        (21, 0, False), (22, 0, True),  # 0.9 to the 22nd power is below a tenth, to the 21st above
        (50, 1, True), (50, 2, False),  # P(Bin(50, 0.1) <= 1) is 0.034, of <= 2 it is 0.112
    ],
)  # fmt: skip
def test_a_precision_that_luck_explains_does_not_count(n, wrong, passes):
    p, right = np.linspace(0.99, 0.6, n), np.arange(n) >= wrong  # the surest are wrong
    assert choose_threshold(p, right, 0.9).value == pytest.approx(0.6)
    found = choose_threshold(p, right, 0.9, doubt=DOUBT)
    assert found.value == (pytest.approx(0.6) if passes else DECLINE_ALL)
    assert choose_threshold(P, RIGHT, 1.0, doubt=DOUBT).value == 0.8, "no number shows that"


@pytest.mark.parametrize(
    ("score", "right", "doubt", "words"),
    [
        ([0.4, 0.3], [1, 1], None, "no answer to the 2 calibration questions has a confidence of "
         "50 % or more (the highest is 40 %)"),
        ([0.0, 0.0], [1, 1], None, "the model knows none of the names in the 2 calibration "
         "questions"),
        ([0.9, 0.8, 0.7], [0, 1, 1], None, "no threshold reaches 90 % on the 3 calibration "
         "questions (the best reaches 67 %)"),
        ([0.9], [1], 0.1, "1 calibration question is too few for a threshold: it takes at least 22 "
         "answers if all are right, 38 with one wrong, 52 with two"),
        ([0.9] * 5 + [0.1] * 25, [1] * 30, 0.1, "only 5 of the 30 calibration questions get an "
         "answer whose confidence is 50 % or more, and 90 % takes at least 22 answers if all are "
         "right, 38 with one wrong, 52 with two"),
        ([0.9] * 30, [1] * 18 + [0] * 12, 0.1, "no threshold reaches 90 % on the 30 calibration "
         "questions (the best reaches 60 %)"),
        ([0.9] * 30, [1] * 28 + [0] * 2, 0.1, "no threshold reaches 90 % on the 30 calibration "
         "questions by more than luck (the best has 28 of 30 answers right; with 2 wrong it takes "
         "52)"),
    ],
)  # fmt: skip
def test_why_nothing_is_answered_is_said_in_words(score, right, doubt, words):
    found = choose_threshold(np.array(score), np.array(right) > 0, 0.9, 0.5, doubt)
    assert (found.value, found.why_not) == (DECLINE_ALL, words)
    thresholds = Thresholds(found, {"r": found})
    applied = apply(thresholds, np.array(score), np.array(right) > 0, ["r"] * len(score))
    assert applied["answered_share"].as_json()["why_not"] == words


def test_a_best_precision_just_below_the_target_is_not_rounded_up_to_it():
    right = np.arange(1000) >= 104  # 89.6 % at the loosest threshold, and less at every other
    found = choose_threshold(np.linspace(0.99, 0.6, 1000), right, 0.9, 0.5)
    assert found.why_not.endswith("(the best reaches 89.6 %)")


# --- several relations -------------------------------------------------------------------------


def _guess_and_recall(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """A guess that is right 8 times in 10 and surer than most recalled answers, which are right."""
    generator = np.random.default_rng(seed)
    guesses, recalled = generator.uniform(0.8, 0.86, n), generator.uniform(0.75, 0.95, n)
    right = np.append(generator.random(n) < 0.81, generator.random(n) < 0.99)
    parts = {"guess": np.arange(n), "recall": np.arange(n, 2 * n)}
    return np.append(guesses, recalled), right, parts


def test_one_threshold_lets_a_guess_through_and_a_threshold_for_each_relation_does_not():
    score, right, parts = _guess_and_recall(400, 0)
    new, outcome, _ = _guess_and_recall(2000, 1)
    relations = np.repeat(["guess", "recall"], 2000).tolist()
    pooled = choose_threshold(score, right, 0.9).answers(new)
    assert pooled.mean() > 0.4
    assert outcome[(np.array(relations) == "guess") & pooled].mean() < 0.83
    each = choose_thresholds(score, right, parts, 0.9)
    found = apply(each, new, outcome, relations)
    assert found["precision"].value > 0.98
    by_relation = found["answered_share"].as_json()["by_relation"]
    assert by_relation["recall"]["answered_share"] > 0.98
    assert "why_not" not in by_relation["recall"]
    assert by_relation["guess"]["answered_share"] == 0.0
    assert by_relation["guess"]["why_not"].startswith("no threshold reaches 90 % on the 400")
    assert found["precision"].as_json()["by_relation"].keys() == {"recall"}
    assert (each.overall.answered_share, each.overall.n) == (0.5, 800)
    assert each.overall.precision == right[400:].mean()


def test_declined_questions_are_counted_by_relation():
    found = report_declined(np.array([True, False, False]), ["a", "b", "a"])
    parts = found.as_json()["by_relation"].items()
    shares = {name: (part["refused_share"], part["n"]) for name, part in parts}
    assert (found.value, shares) == (2 / 3, {"a": (0.5, 2), "b": (1.0, 1)})
