"""The sections of an audit about confidence: calibration, abstention, the risk bound, decoys."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wherefrom.answering.abstention import (
    Threshold,
    Thresholds,
    choose_threshold,
    choose_thresholds,
    refused,
    report_answered,
)
from wherefrom.answering.decoys import make_tiers
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.name_gate import names_with_text
from wherefrom.answering.policy import AnswerPolicy, CertifiedPolicy, Judged, certify_policy
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.auditing.findings import (
    AbstentionFindings,
    ConfidenceFindings,
    DecoyFindings,
    ThresholdFindings,
)
from wherefrom.auditing.inspector import Examined, Inspector
from wherefrom.core.forms import Form
from wherefrom.evaluation.calibration import score_calibration
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import RESAMPLES
from wherefrom.evaluation.relations import divide, group
from wherefrom.evaluation.selective import auroc, compare_areas, risk_coverage

TARGETS = (0.9, 0.95)  # precisions that a threshold is set for
TIER = 200  # decoys in each tier
_LAST = 1e-9  # so small that it only breaks ties


def report_confidence(examined: Examined, policy: AnswerPolicy) -> ConfidenceFindings:
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


def model_probabilities(examined: Examined) -> np.ndarray:
    """The model's own probabilities of its answers, at most 1 in spite of rounding."""
    return np.clip([answer.probability for answer in examined.answers], 0.0, 1.0)


def report_abstention(
    examined: Examined, policy: AnswerPolicy, bound: CertifiedPolicy | None
) -> AbstentionFindings:
    """Thresholds set on calibration people, and what each does to held-out people."""
    features, relations, right = examined.features, examined.relations, examined.right
    held, calibration = (
        np.flatnonzero(examined.select(split)) for split in ("held-out", "calibration")
    )
    asked = [relations[i] for i in held]
    parts = divide([relations[i] for i in calibration], policy.relations)

    def report(thresholds: Threshold | Thresholds, score: np.ndarray) -> ThresholdFindings:
        return _report_thresholds(thresholds, score[held], right[held], asked)

    def set_for(target: float, score: np.ndarray) -> ThresholdFindings:
        known, outcome = score[calibration], right[calibration]
        if parts:
            return report(choose_thresholds(known, outcome, parts, target), score)
        return report(choose_threshold(known, outcome, target), score)

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
    thresholds: Threshold | Thresholds,
    score: np.ndarray,
    right: np.ndarray,
    relations: Sequence[str],
) -> ThresholdFindings:
    if isinstance(thresholds, Threshold):
        return _report_threshold(thresholds, thresholds.answers(score), right)
    found = _report_threshold(thresholds.together, thresholds.answers(score, relations), right)
    each = {
        name: _report_threshold(own, own.answers(score[at]), right[at])
        for name, at in group(relations).items()
        for own in (thresholds.of(name),)
    }
    return replace(found, threshold=None, why_not=None, by_relation=each)


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
    )


def fit_audit_bound(
    inspector: Inspector, examined: Examined, alpha: float, delta: float
) -> CertifiedPolicy:
    """A risk bound from calibration people alone: some fit the curve, the others certify."""
    judged = examined.select("calibration")
    places = np.flatnonzero(judged).tolist()
    people = Judged(
        tuple(examined.questions[i] for i in places),
        examined.features.rows(judged),
        examined.right[judged],
        tuple(examined.relations[i] for i in places),
    )
    return certify_policy(inspector.model, people, alpha, delta, inspector.opened.decoys)


def report_decoys(
    inspector: Inspector, examined: Examined, policy: AnswerPolicy, bound: CertifiedPolicy | None
) -> dict[str, DecoyFindings]:
    """For each tier of decoys: the share refused, and how well the score separates them."""
    model = inspector.model
    found: dict[str, DecoyFindings] = {}
    held = np.flatnonzero(examined.select("held-out", ("stated",)))
    relations = [examined.relations[i] for i in held]
    people = _ranking(policy, examined.features.rows(held), relations)
    forms = _form_of_each_relation(model.parser)
    for tier, names in make_audit_decoys(inspector, TIER).items():
        if not names:
            continue
        asked = [model.parser.fill(forms[i % len(forms)], name) for i, name in enumerate(names)]
        features, relations = model.answer(asked).features, [q.relation for q in asked]
        found[tier] = DecoyFindings(
            n=len(names),
            refused=refused(policy.thresholds, policy.score(features, relations), relations),
            auroc=_separation(people, _ranking(policy, features, relations)),
            refused_at_bound=_refused_at_bound(bound, features, relations),
        )
    return found


def _form_of_each_relation(parser: QuestionParser) -> list[Form]:
    """The commonest form of each relation, in which decoys are asked about."""
    found: dict[str, Form] = {}
    for form in parser.forms:
        found.setdefault(parser.fill(form, "").relation, form)
    if len(found) > 1:
        found.pop("", None)  # a form whose questions all have a closer one
    return list(found.values())


def _refused_at_bound(
    bound: CertifiedPolicy | None, features: FeatureTable, relations: Sequence[str]
) -> Score | None:
    if bound is None or not bound.certificate.certified:
        return None
    policy = bound.policy
    return refused(policy.thresholds, policy.score(features, relations), relations)


def _separation(people: np.ndarray, decoys: np.ndarray) -> Score | None:
    """AUROC of a score that should rank people above decoys."""
    if not people.size:
        return None
    is_person = np.repeat((True, False), (people.size, decoys.size))
    return auroc(np.append(people, decoys), is_person)


def _ranking(policy: AnswerPolicy, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
    """The score that the threshold is applied to; the confidence breaks ties at 0."""
    return policy.score(features, relations) + _LAST * policy.confidence(features, relations)


def make_audit_decoys(inspector: Inspector, count: int) -> dict[str, tuple[str, ...]]:
    """The tiers of decoys for a run; no decoy is in its text or in its questions."""
    dataset, model = inspector.run.dataset, inspector.model
    return make_tiers(
        names_with_text(dataset),
        model.spells,
        model.likelihood,
        count,
        avoid=[q.subject for q in dataset.questions],
        texts=[d.text for d in dataset.documents],
    )
