"""Bounds for several relations: who certifies, and that all of them hold together."""

import numpy as np
import pytest

from wherefrom.answering.abstention import REFUSE_ALL
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.relation_bounds import (
    RelationScores,
    certify_relations,
    fit_relation_bounds,
)
from wherefrom.answering.risk_bound import certify, split_people
from wherefrom.core.errors import BadData, UsageError

ALPHA, DELTA = 0.2, 0.3


def _drawn(generator: np.random.Generator, risk: float, n: int = 120) -> RelationScores:
    """People whose answers are all wrong with this risk, however sure the curve is."""
    fitted, tested = generator.uniform(0.9, 1.0, (2, n))
    return RelationScores(fitted, tested, generator.random(n) >= risk)


@pytest.mark.parametrize("draws", [40, pytest.param(300, marks=pytest.mark.nightly)])
def test_all_bounds_hold_together_as_often_as_promised(draws):
    """Three relations whose risk is a hair above alpha: whatever is certified, is so by mistake.

    Each tested at the level delta, one of three would fail with probability 1 - 0.7^3 = 0.66.
    """
    generator = np.random.default_rng(0)
    mistakes = alone = 0
    for _ in range(draws):
        scores = {name: _drawn(generator, ALPHA + 1e-9) for name in ("a", "b", "c")}
        mistakes += certify_relations(scores, ALPHA, DELTA).certified
        each = [certify(s.fitted, s.tested, s.right, ALPHA, DELTA) for s in scores.values()]
        alone += any(certificate.certified for certificate in each)
    assert mistakes <= DELTA * draws
    assert alone > 1.2 * DELTA * draws, "without the correction the promise is broken"


def test_relations_are_certified_by_their_risk():
    generator = np.random.default_rng(1)
    risks = {"easy": 0.02, "fair": 0.1, "bad": 0.6}
    found = certify_relations(
        {name: _drawn(generator, risk, 400) for name, risk in risks.items()}, ALPHA, DELTA
    )
    certified = [name for name, each in found.by_relation.items() if each.certified]
    assert certified == ["easy", "fair"]


def test_together_the_certificates_count_all_certifying_people():
    generator = np.random.default_rng(2)
    scores = {"easy": _drawn(generator, 0.0, 100), "bad": _drawn(generator, 0.9, 60)}
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
    assert bad.as_threshold().why_not is not None


def _people(n: int) -> tuple[FeatureTable, np.ndarray, dict[str, np.ndarray], list[str]]:
    """Each person is asked two things: one is known where the feature says so, one never is."""
    generator = np.random.default_rng(3)
    known = generator.random(n) < 0.6
    feature = np.where(known, 2.0, -2.0) + generator.normal(size=n) / 4
    table = FeatureTable({"sure": np.repeat(feature, 2)})
    right = np.column_stack((known, np.zeros(n, dtype=bool))).ravel()
    parts = {"where": np.arange(0, 2 * n, 2), "when": np.arange(1, 2 * n, 2)}
    return table, right, parts, [f"person {i // 2}" for i in range(2 * n)]


def test_a_relation_that_is_known_is_certified_and_one_that_is_guessed_is_not():
    table, right, parts, subjects = _people(300)
    found = fit_relation_bounds(table, right, ("sure",), parts, subjects, 0.1, 0.1)
    where, when = (found.certificate.by_relation[name] for name in ("where", "when"))
    assert (where.certified, when.certified) == (True, False)
    assert where.wrong <= 0.1 * where.n_answered
    assert found.certified.of("where").value == where.threshold
    assert found.certified.of("when").value == REFUSE_ALL
    assert found.certified.of("when").why_not == when.why_not
    assert found.uncertified.of("where").precision_target == 0.9


def test_every_relation_is_certified_by_all_certifying_people():
    """Of each person one answer a relation: nobody fits the curves and certifies them too."""
    table, right, parts, subjects = _people(300)
    found = fit_relation_bounds(table, right, ("sure",), parts, subjects, 0.1, 0.1)
    _, test = split_people([f"person {i}" for i in range(300)])
    sizes = {each.n for each in found.certificate.by_relation.values()}
    assert sizes == {int(test.sum())}
    changed = right.copy()
    people = np.repeat(test, 2)
    changed[people] = ~right[people]
    other = fit_relation_bounds(table, changed, ("sure",), parts, subjects, 0.1, 0.1)
    assert other.curves == found.curves, "the curves do not know who certifies them"


def test_a_relation_that_nobody_can_certify_is_not_answered():
    table, right, parts, subjects = _people(100)
    fit, _ = split_people(subjects)
    alone = parts | {"when": parts["when"][fit[parts["when"]]]}
    found = fit_relation_bounds(table, right, ("sure",), alone, subjects, 0.1, 0.1)
    lacking = found.certificate.by_relation["when"]
    assert (lacking.n, lacking.certified) == (0, False)
    assert "found only 0 people to test thresholds on" in lacking.why_not
    assert "it takes at least 42, whose sure answers are all right" in lacking.advice
    assert not found.uncertified.answers(np.array([1.0]), ["when"]).any()


def test_a_bound_needs_people_on_both_sides_and_levels_between_0_and_1():
    table, right, parts, subjects = _people(40)
    with pytest.raises(BadData, match="expected some to fit on and some to certify with"):
        fit_relation_bounds(table, right, ("sure",), parts, ["one"] * 80, 0.1, 0.1)
    with pytest.raises(UsageError, match="risk: expected a number between 0 and 1"):
        fit_relation_bounds(table, right, ("sure",), parts, subjects, 1.5, 0.1)
