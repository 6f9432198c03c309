"""The risk bound: its steps by hand and against scipy, its promise on known populations."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.answering.calibration import fit_calibration
from wherefrom.answering.certificate import Certificate, least_people
from wherefrom.answering.policy import DECLINE_ALL
from wherefrom.answering.risk_bound import (
    Scores,
    certify,
    certify_relations,
    fit_bounds,
    plan_thresholds,
    split_people,
    walk,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.errors import BadData, UsageError

GOOD = np.repeat([0.99, 0.9, 0.1], [60, 20, 20])  # as a curve would have them
ALPHA, DELTA = 0.2, 0.3
SURE = ("sure",)


def certified(
    tested: np.ndarray, right: np.ndarray, alpha: float = 0.1, fitted: np.ndarray = GOOD
) -> Certificate:
    return certify(Scores(fitted, tested, right), alpha, 0.1)


@pytest.fixture(scope="module")
def binom(stats):
    return stats.binom


# --- the split -------------------------------------------------------------------------------


def test_the_split_depends_on_the_subject_alone(binom):
    people = [f"person {i}" for i in range(400)]
    fit, test = split_people(people)
    assert (fit ^ test).all()
    low, high = binom.interval(0.999, 400, 0.3)
    assert low <= fit.sum() <= high, "three in ten fit"
    fewer = split_people(people[100:])
    assert (fewer[0] == fit[100:]).all()


def test_of_several_answers_about_one_person_one_certifies():
    people = [f"person {i % 50}" for i in range(150)]
    fit, test = split_people(people)
    for i in range(50):
        rows = np.arange(150) % 50 == i
        assert (fit[rows].all() and not test[rows].any()) or (test[rows].sum() == 1)
        assert not (fit & test)[rows].any()
    assert {i // 50 for i in np.flatnonzero(test)} == {0, 1, 2}


# --- the steps -------------------------------------------------------------------------------


def test_the_walk_stops_at_the_first_failure(binom):
    """0 of 30, 1 of 40, then 3 of 60, which just fails; what comes after is not looked at."""
    p = np.repeat([0.9, 0.8, 0.7, 0.6], [30, 10, 20, 500])
    right = np.ones(p.size, dtype=bool)
    right[30], right[40:42] = False, False
    tried = walk([0.9, 0.8, 0.7, 0.6], p, right, 0.1, 0.1)
    assert [(t.threshold, t.n_answered, t.wrong) for t in tried] == [
        (0.9, 30, 0), (0.8, 40, 1), (0.7, 60, 3)
    ]  # fmt: skip
    for trial in tried:
        wanted = binom.cdf(trial.wrong, trial.n_answered, 0.1)
        assert trial.p_value == pytest.approx(wanted)


def test_a_plan_begins_where_the_smallest_risk_can_be_hoped_for(stats):
    """Of 100 others, 60 would answer above 0.99: with probability 0.8 at most one is wrong."""
    grid, start = plan_thresholds(GOOD, 100, 0.1)
    assert grid == [0.99, 0.9, 0.1]
    hoped = []
    for n, risk in ((60, 0.01), (80, 0.0325), (100, 0.206)):
        wrong = stats.binom.ppf(0.8, n, risk)
        hoped.append(stats.beta.ppf(0.9, wrong + 1, n - wrong))
    assert start == int(np.argmin(hoped)) == 0
    assert plan_thresholds(np.repeat([0.99, 0.98, 0.1], [5, 75, 20]), 100, 0.1)[1] == 1


@st.composite
def any_scores(draw: st.DrawFn) -> Scores:
    """Some people to fit and some to certify, whom the curve is right about."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    fitted, tested = (generator.beta(2, 0.3, draw(st.integers(20, 160))) for _ in range(2))
    return Scores(fitted, tested, generator.random(tested.size) < tested)


@given(st.dictionaries(st.sampled_from("abc"), any_scores(), min_size=1))
@settings(max_examples=20, deadline=None)
def test_more_accepted_risk_never_answers_fewer(scores):
    """One relation or several: a laxer bound gives every answer of a stricter one."""

    def thresholds(alpha: float) -> list[float]:
        found = certify_relations(scores, alpha, 0.1)
        parts = found.by_relation.values() or [found]
        return [part.as_threshold().value for part in parts]

    by_risk = np.array([thresholds(alpha) for alpha in (0.03, 0.05, 0.1, 0.2, 0.3)])
    assert (np.diff(by_risk, axis=0) <= 0).all()


def test_a_certificate_by_hand():
    right = GOOD > 0.5
    found = certified(GOOD, right)
    assert (found.threshold, found.certified) == (0.9, True)
    assert (found.n_answered, found.wrong, found.coverage, found.n) == (80, 0, 0.8, 100)
    assert [t.threshold for t in found.sequence] == [0.99, 0.9, 0.1]
    assert found.as_threshold().answers(np.array([0.95, 0.5])).tolist() == [True, False]
    assert (found.as_threshold().precision, found.as_threshold().answered_share) == (1.0, 0.8)
    assert found.explain().startswith(
        "certified: risk at most 0.1 with probability 0.9, for people like the calibration people;"
    )
    assert "it answers 80 % of such people (0 of 80 answers were wrong)" in found.explain()
    assert found.explain("required").startswith(
        f"{found.explain()}; the bound counts answers before"
    )
    assert "before --evidence stated withholds some of them" in found.explain("stated")


def test_nothing_certified_refuses_all_and_says_how_many_more_would_do(binom):
    """1 wrong of 30 at the surest: 3/62 with half a wrong one added, so 80 % need about 100."""
    tested = np.repeat([0.99, 0.1], [30, 20])
    right = np.arange(50) < 29
    found = certified(tested, right)
    assert (found.certified, found.threshold, found.coverage) == (False, DECLINE_ALL, 0.0)
    answered = (150 + found.more_people) / 150 * 30
    allowed = binom.ppf(0.1, round(answered), 0.1) - 1
    assert binom.cdf(allowed, round(answered), 1.5 / 31) == pytest.approx(0.8, abs=0.08)
    # With 1 wrong it takes 38 answers; 30 of 150 calibration people gave one that certifies.
    assert found.fewest_more == 38 * 150 // 30 - 150
    assert f"40 to {found.more_people} more calibration questions" in found.explain()
    assert "\n" not in found.explain()


def test_what_it_takes_at_the_least_is_said():
    """22 right answers at alpha and delta 0.1 (0.9**22 < 0.1), from seven tenths of the people."""
    assert 0.9**22 < 0.1 < 0.9**21
    assert (least_people(0.1, 0.1), least_people(0.1, 0.1 / 3)) == (32, 48)
    few = certified(np.full(10, 0.99), np.arange(10) > 1, fitted=GOOD[:10])
    assert (few.more_people, few.enough_to_tell) == (None, False)
    assert few.advice == (
        "there are too few calibration questions to tell: it takes at least 32, "
        "whose sure answers are all right"
    )
    bad = certified(np.full(100, 0.99), np.arange(100) > 30)
    assert (bad.more_people, bad.enough_to_tell) == (None, True)
    assert bad.advice.startswith("more calibration questions would not help")
    assert bad.advice in bad.explain()
    right = certified(np.full(10, 0.99), np.ones(10, dtype=bool), fitted=GOOD[:10])
    assert not right.certified
    assert 34 < right.more_people < 300  # at the very least 22 answers on one half


# --- people and their features ---------------------------------------------------------------


def one_relation(n: int) -> tuple[FeatureTable, np.ndarray, dict[str, tuple[np.ndarray, ...]]]:
    generator = np.random.default_rng(0)
    familiar = np.where(generator.random(n) < 0.6, 0.0, -6.0) + generator.normal(size=n)
    right = generator.random(n) < np.where(familiar > -3, 0.98, 0.03)
    features = FeatureTable({"familiar": familiar, "noise": generator.random(n)})
    split = split_people([f"p{i}" for i in range(n)])
    return features, right, {"": tuple(map(np.flatnonzero, split))}


def test_a_bound_is_fitted_on_one_half_and_tested_on_the_other():
    features, right, sides = one_relation(400)
    test = sides[""][1]

    def fit(outcome: np.ndarray) -> Any:
        return fit_bounds(features, outcome, tuple(features.columns), sides, 0.1, 0.1)

    found = fit(right)
    assert found.certificate.certified
    assert 0.5 < found.certificate.coverage < 0.7
    without = found.uncertified.overall
    assert found.certificate.n == without.n == test.size
    assert without.precision >= 0.9
    assert without.answered_share >= found.certificate.coverage - 0.05
    assert found.certified.of("") == found.certified.overall == found.certificate.as_threshold()
    # Outcomes of the certifying half change neither the curve nor the plan.
    changed = right.copy()
    changed[test] = False
    other = fit(changed)
    assert (other.common, other.curves) == (found.common, found.curves)
    assert not other.certificate.certified
    assert other.certificate.sequence[0].threshold == found.certificate.sequence[0].threshold
    # The curve is fitted on people whose names are known.
    gate: Any = SimpleNamespace(opens=lambda table: table["familiar"] > -3, leaks=None)
    found = fit_bounds(features, right, ("noise",), sides, 0.1, 0.1, gate)
    fit = sides[""][0]
    known = fit[features["familiar"][fit] > -3]
    assert found.common == fit_calibration(features.rows(known), right[known], ("noise",))


def test_nothing_is_certified_behind_a_gate_that_leaks():
    gate: Any = SimpleNamespace(opens=lambda table: table["familiar"] > -9, leaks="all names pass")
    for features, right, sides in (one_relation(400), two_relations(300)):
        table = features.join(FeatureTable({"familiar": np.zeros(len(features))}))
        found = fit_bounds(table, right, tuple(features.columns), sides, 0.1, 0.1, gate)
        assert found.certificate.explain() == (
            "risk at most 0.1 with probability 0.9: nothing is certified, since all names pass"
        )
        for relation in sides:
            threshold = found.certified.of(relation)
            assert (threshold.value, threshold.answered_share) == (DECLINE_ALL, 0.0)


# --- several relations -----------------------------------------------------------------------


def drawn(generator: np.random.Generator, risk: float, n: int = 120) -> Scores:
    """People whose answers are all wrong with this risk, however sure the curve is."""
    fitted, tested = generator.uniform(0.9, 1.0, (2, n))
    return Scores(fitted, tested, generator.random(n) >= risk)


@pytest.mark.parametrize("draws", [40, pytest.param(300, marks=pytest.mark.nightly)])
def test_all_bounds_hold_together_as_often_as_promised(draws):
    """Three relations whose risk is a hair above alpha: whatever is certified, is so by mistake.

    Each tested at the level delta, one of three would fail with probability 1 - 0.7^3 = 0.66.
    """
    generator = np.random.default_rng(0)
    mistakes = alone = 0
    for _ in range(draws):
        scores = {name: drawn(generator, ALPHA + 1e-9) for name in ("a", "b", "c")}
        mistakes += certify_relations(scores, ALPHA, DELTA).certified
        alone += any(certify(own, ALPHA, DELTA).certified for own in scores.values())
    assert mistakes <= DELTA * draws
    assert alone > 1.2 * DELTA * draws, "without the correction the promise is broken"


def test_together_the_certificates_count_all_certifying_people():
    generator = np.random.default_rng(2)
    scores = {"easy": drawn(generator, 0.0, 100), "bad": drawn(generator, 0.9, 60)}
    found = certify_relations(scores, ALPHA, DELTA)
    easy, bad = found.by_relation["easy"], found.by_relation["bad"]
    assert (easy.certified, bad.certified, found.certified) == (True, False, True)
    assert (found.alpha, found.delta, easy.delta) == (ALPHA, DELTA, DELTA / 2)
    assert (found.threshold, found.sequence) == (None, ())
    assert (found.n, found.n_answered, found.wrong) == (160, easy.n_answered, 0)
    assert found.coverage == easy.n_answered / 160
    words = found.explain()
    assert words.startswith(
        "risk at most 0.2 with probability 0.7, in each of 2 relations and over"
    )
    assert "easy is certified and answers" in words
    assert "bad is not certified and not answered (found" in words
    assert "\n" not in words


def two_relations(n: int) -> tuple[FeatureTable, np.ndarray, dict[str, tuple[np.ndarray, ...]]]:
    """Each person is asked two things: one is known where the feature says so, one never is."""
    generator = np.random.default_rng(3)
    known = generator.random(n) < 0.6
    feature = np.where(known, 2.0, -2.0) + generator.normal(size=n) / 4
    right = np.column_stack((known, np.zeros(n, dtype=bool))).ravel()
    fit, test = map(np.flatnonzero, split_people([f"person {i}" for i in range(n)]))
    sides = {"where": (2 * fit, 2 * test), "when": (2 * fit + 1, 2 * test + 1)}
    return FeatureTable({"sure": np.repeat(feature, 2)}), right, sides


def test_a_relation_that_is_known_is_certified_and_one_that_is_guessed_is_not():
    table, right, sides = two_relations(300)
    found = fit_bounds(table, right, SURE, sides, 0.1, 0.1)
    where, when = (found.certificate.by_relation[name] for name in ("where", "when"))
    assert (where.certified, when.certified) == (True, False)
    assert where.n == when.n == sides["where"][1].size
    assert where.wrong <= 0.1 * where.n_answered
    assert found.certified.of("where").value == where.threshold
    assert found.certified.of("when").value == DECLINE_ALL
    assert found.certified.of("when").why_not == when.why_not
    assert found.uncertified.of("where").precision_target == 0.9
    # A relation that nobody can certify is not answered.
    table, right, sides = two_relations(100)
    alone = sides | {"when": (sides["when"][0], sides["when"][1][:0])}
    found = fit_bounds(table, right, SURE, alone, 0.1, 0.1)
    lacking = found.certificate.by_relation["when"]
    assert (lacking.n, lacking.certified) == (0, False)
    assert "found only 0 people to test thresholds on" in lacking.why_not
    assert "it takes at least 42, whose sure answers are all right" in lacking.advice
    assert not found.uncertified.answers(np.array([1.0]), ["when"]).any()


def test_a_bound_needs_people_on_both_sides_and_levels_between_0_and_1():
    features, right, sides = one_relation(40)
    everybody, nobody = np.arange(40), np.arange(0)
    with pytest.raises(BadData, match="found 40 and 0; a risk bound needs at least 32"):
        fit_bounds(features, right, ("noise",), {"": (everybody, nobody)}, 0.1, 0.1)
    for alpha, delta in ((0.0, 0.1), (1.0, 0.1), (0.1, 0.0), (0.1, 5.0), (float("nan"), 0.1)):
        with pytest.raises(UsageError, match="between 0 and 1"):
            fit_bounds(features, right, ("noise",), sides, alpha, delta)


# --- the promise -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def benchmark():
    import bound

    return bound


@pytest.mark.parametrize("name", ["good", "just too wrong", "misleading"])
@pytest.mark.parametrize(
    ("people", "alpha", "times"),
    [(150, 0.2, 40), pytest.param(400, 0.1, 120, marks=pytest.mark.nightly)],
)
def test_the_promise_is_kept(benchmark, binom, name, people, alpha, times):
    """More broken promises than this have a chance of 1 in 1,000 where a tenth may be broken."""
    population = benchmark.synthetic(people)[name]
    found = benchmark.measure(population, times, alpha, 0.1, 7)
    broken = round(found["certified"]["above"] * times)
    assert broken <= binom.ppf(0.999, times, 0.1)
    if name == "good":
        assert found["certified"]["answers_anybody"] > 0.3
