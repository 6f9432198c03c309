"""Risk bounds for several relations at once, each with its own curve and threshold.

What is guaranteed. Every relation's threshold is tested at the level delta / R, where R is the
number of relations (Bonferroni's correction). So all certificates hold together, except with
probability delta. This is the price of several relations: with delta = 0.1 and three of them, a
threshold that gives no wrong answer needs 33 answers to pass instead of 22, so about 48 calibration
questions about that relation instead of 32, and more with every wrong answer. The certificate
of each relation says what it would take. The bound over all answers follows without a further
test, in whatever mix the relations are asked: a mean of shares of at most alpha is at most alpha. A
relation without a certificate is not answered, so it adds no wrong answer. docs/TRUST.md explains
more.

The people are split as for one relation, by a hash of the subject alone. All relations of a person
are on one side, so that no certifying person helped to fit a curve. Within a relation, one answer
about each person certifies. Answers about one person to different relations need not be
independent: Bonferroni's correction does not ask for that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.answering.abstention import NOT_CALIBRATED, REFUSE_ALL, Thresholds, choose_threshold
from wherefrom.answering.calibration import LogisticCalibration, fit_by_relation
from wherefrom.answering.certificate import Certificate
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.name_gate import NameGate, choose_known
from wherefrom.answering.risk_bound import (
    certify,
    check_levels,
    gated_probability,
    require_both,
    split_people,
)
from wherefrom.evaluation.relations import group


@dataclass(frozen=True)
class RelationBounds:
    """A curve for each relation, the certificate for all, and thresholds with and without it.

    `common` is the curve of all relations together.
    """

    common: LogisticCalibration
    curves: Mapping[str, LogisticCalibration]
    certificate: Certificate
    certified: Thresholds
    uncertified: Thresholds


@dataclass(frozen=True)
class RelationScores:
    """A relation's scores: of the fitting people, and of the certifying people with outcomes."""

    fitted: np.ndarray
    tested: np.ndarray
    right: np.ndarray


def fit_relation_bounds(
    features: FeatureTable,
    right: np.ndarray,
    names: Sequence[str],
    parts: Mapping[str, np.ndarray],
    subjects: Sequence[str],
    alpha: float,
    delta: float,
    gate: NameGate | None = None,
) -> RelationBounds:
    """Fit on one part of the calibration people, certify every relation on the other.

    `parts` has the places of each relation's answers. A gate must have been fitted on the first
    part too.
    """
    check_levels(alpha, delta)
    sides = {name: _split(subjects, places) for name, places in parts.items()}
    fit = np.sort(np.concatenate([fitting for fitting, _ in sides.values()]))
    test = np.concatenate([testing for _, testing in sides.values()])
    require_both(fit.size, test.size, alpha, delta / len(parts))
    fit = fit[choose_known(gate, features.rows(fit))]
    relations = {place: name for name, places in parts.items() for place in places.tolist()}
    fitting_parts = group([relations[place] for place in fit.tolist()])
    common = LogisticCalibration.fit(features.rows(fit), right[fit], names)
    fitted = fit_by_relation(features.rows(fit), right[fit], names, fitting_parts)
    curves = {name: fitted.get(name, common) for name in parts}
    scores = {
        name: RelationScores(
            gated_probability(curves[name], gate, features.rows(fitting)),
            gated_probability(curves[name], gate, features.rows(testing)),
            right[testing],
        )
        for name, (fitting, testing) in sides.items()
    }
    certificate = certify_relations(scores, alpha, delta)
    without = {
        name: choose_threshold(each.tested, each.right, 1 - alpha)
        for name, each in scores.items()
        if each.tested.size
    }
    together = replace(certificate.as_threshold(), why_not=NOT_CALIBRATED)
    return RelationBounds(
        common,
        curves,
        certificate,
        Thresholds(together, {n: c.as_threshold() for n, c in certificate.by_relation.items()}),
        Thresholds(together, without),
    )


def certify_relations(
    scores: Mapping[str, RelationScores], alpha: float, delta: float
) -> Certificate:
    """The certificate of each relation at the level delta / R, and what they come to together."""
    level = delta / len(scores)
    each = {name: _certify(found, alpha, level) for name, found in scores.items()}
    n = sum(certificate.n for certificate in each.values())
    answered = sum(certificate.n_answered for certificate in each.values())
    return Certificate(
        threshold=None,
        alpha=alpha,
        delta=delta,
        certified=any(certificate.certified for certificate in each.values()),
        n_answered=answered,
        wrong=sum(certificate.wrong for certificate in each.values()),
        coverage=answered / n if n else 0.0,
        n=n,
        sequence=(),
        more_people=None,
        by_relation=each,
    )


def _certify(found: RelationScores, alpha: float, level: float) -> Certificate:
    if found.fitted.size and found.tested.size:
        return certify(found.fitted, found.tested, found.right, alpha, level)
    return Certificate(
        REFUSE_ALL,
        alpha,
        level,
        False,
        0,
        0,
        0.0,
        found.tested.size,
        (),
        None,
        enough_to_tell=False,
    )


def _split(subjects: Sequence[str], places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of a relation's answers to fit on, and of those to certify with."""
    fit, test = split_people([subjects[int(place)] for place in places])
    return places[fit], places[test]
