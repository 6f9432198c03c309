"""The sections of an audit about confidence: calibration, abstention, the risk bound."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wherefrom.answering.abstention import choose_thresholds, report_answered
from wherefrom.answering.fitting import CertifiedPolicy
from wherefrom.answering.policy import AnswerPolicy, Threshold, Thresholds
from wherefrom.auditing.audit_findings import (
    AbstentionFindings,
    ConfidenceFindings,
    SupportFindings,
    ThresholdFindings,
)
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import EVERY_SUPPORT
from wherefrom.evaluation.calibration_measures import score_calibration
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import RESAMPLES
from wherefrom.evaluation.relations import divide, group
from wherefrom.evaluation.selective import compare_areas, risk_coverage

TARGETS = (0.9, 0.95)  # precisions that a threshold is set for


def report_confidence(examined: AnswerTable, policy: AnswerPolicy) -> ConfidenceFindings:
    """The calibrated probability beside the model's own, on held-out people."""
    held = np.flatnonzero(examined.select("held-out"))
    relations = [examined.relations[i] for i in held]
    confidence = policy.confidence(examined.features.rows(held), relations)
    raw, right = model_probabilities(examined)[held], examined.right[held]
    parts = divide(relations)
    each = {name: _confidence(confidence[at], raw[at], right[at]) for name, at in parts.items()}
    return replace(_confidence(confidence, raw, right), by_relation=each)


def _confidence(confidence: np.ndarray, raw: np.ndarray, right: np.ndarray) -> ConfidenceFindings:
    return ConfidenceFindings(
        calibrated=score_calibration(confidence, right),
        raw=score_calibration(raw, right),
        risk_coverage=risk_coverage(confidence, right, resamples=RESAMPLES),
        risk_coverage_raw=risk_coverage(raw, right, resamples=RESAMPLES),
        area_difference=compare_areas(confidence, raw, right),
    )


def model_probabilities(examined: AnswerTable) -> np.ndarray:
    """The model's own probabilities of its answers, at most 1 in spite of rounding."""
    return np.clip([answer.probability for answer in examined.answers], 0.0, 1.0)


def report_abstention(
    examined: AnswerTable, policy: AnswerPolicy, bound: CertifiedPolicy | None
) -> AbstentionFindings:
    """Thresholds set on calibration people, and what each does to held-out people."""
    features, relations, right = examined.features, examined.relations, examined.right
    held, calibration = (
        np.flatnonzero(examined.select(split)) for split in ("held-out", "calibration")
    )
    asked = [relations[i] for i in held]
    parts = group([relations[i] for i in calibration])
    support = group([examined.known[i].support for i in held])

    def report(thresholds: Thresholds, score: np.ndarray) -> ThresholdFindings:
        found = _report_thresholds(thresholds, score[held], right[held], asked)
        given = thresholds.answers(score[held], asked)
        return replace(found, by_support=_report_support(given, right[held], support))

    def set_for(target: float, score: np.ndarray) -> ThresholdFindings:
        chosen = choose_thresholds(score[calibration], right[calibration], parts, target)
        return report(chosen, score)

    score, raw = policy.score(features, relations), model_probabilities(examined)
    found = AbstentionFindings(
        in_use=report(policy.thresholds, score),
        thresholds={f"{target:g}": set_for(target, score) for target in TARGETS},
        raw_probability={f"{TARGETS[-1]:g}": set_for(TARGETS[-1], raw)},
    )
    if bound is None:
        return found
    own = bound.policy.score(features, relations)  # `uncertified` has the same curves
    return replace(
        found,
        certificate=bound.certificate,
        certified=report(bound.policy.thresholds, own),
        uncertified=report(bound.uncertified.thresholds, own),
        advice=bound.certificate.explain(),
    )


def _report_thresholds(
    thresholds: Thresholds, score: np.ndarray, right: np.ndarray, relations: Sequence[str]
) -> ThresholdFindings:
    found = _report_threshold(thresholds.overall, thresholds.answers(score, relations), right)
    if not thresholds.several:
        return found
    each = {
        name: _report_threshold(own, own.answers(score[at]), right[at])
        for name, at in group(relations).items()
        for own in (thresholds.of(name),)
    }
    return replace(found, threshold=None, why_not=None, by_relation=each)


def _report_support(
    given: np.ndarray, right: np.ndarray, support: Mapping[str, np.ndarray]
) -> dict[str, SupportFindings]:
    """Answered, and wrong among these, for each kind of support that held-out people have."""
    found: dict[str, SupportFindings] = {}
    for kind in filter(support.__contains__, EVERY_SUPPORT):
        answered = given[support[kind]]
        wrong, n = int((answered & ~right[support[kind]]).sum()), int(answered.sum())
        found[kind] = SupportFindings(
            Score.of_share("answered_share", n, answered.size),
            Score.of_share("risk", wrong, n) if n else None,
        )
    return found


def _report_threshold(
    threshold: Threshold, given: np.ndarray, right: np.ndarray
) -> ThresholdFindings:
    applied = report_answered(given, right)
    return ThresholdFindings(
        threshold=threshold.value,
        target=threshold.precision_target,
        answered_share=applied["answered_share"],
        precision=applied.get("precision"),
        why_not=threshold.why_not,
        pooled=threshold.pooled,
        unverified=threshold.unverified,
    )
