"""The sections of an audit about confidence: calibration, abstention, the risk bound, decoys."""

import numpy as np

from wherefrom.answering.abstention import Threshold, apply, choose_threshold, refused
from wherefrom.answering.decoys import make_tiers
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.policy import (
    AnswerPolicy,
    Judged,
    fit_people_bound,
    names_with_text,
)
from wherefrom.answering.risk_bound import Bound
from wherefrom.auditing.findings import (
    AbstentionFindings,
    ConfidenceFindings,
    DecoyFindings,
    ThresholdFindings,
)
from wherefrom.auditing.inspector import Examined, Inspector
from wherefrom.evaluation.calibration import score_calibration
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.selective import auroc, compare_areas, risk_coverage

TARGETS = (0.9, 0.95)  # precisions that a threshold is set for
TIER = 200  # decoys in each tier
_LAST = 1e-9  # so small that it only breaks ties


def report_confidence(examined: Examined, policy: AnswerPolicy) -> ConfidenceFindings:
    """The calibrated probability beside the model's own, on held-out people."""
    held = examined.select("held-out")
    right = examined.right[held]
    confidence = policy.confidence(examined.features.rows(held))
    raw = model_probabilities(examined)[held]
    return ConfidenceFindings(
        calibrated=score_calibration(confidence, right),
        raw=score_calibration(raw, right),
        risk_coverage=risk_coverage(confidence, right),
        risk_coverage_raw=risk_coverage(raw, right),
        area_difference=compare_areas(confidence, raw, right),
    )


def model_probabilities(examined: Examined) -> np.ndarray:
    """The model's own probabilities of its answers, at most 1 in spite of rounding."""
    return np.clip([answer.probability for answer in examined.answers], 0.0, 1.0)


def report_abstention(
    examined: Examined, policy: AnswerPolicy, bound: Bound | None
) -> AbstentionFindings:
    """Thresholds set on calibration people, and what each does to held-out people."""
    held, calibration = examined.select("held-out"), examined.select("calibration")
    right = examined.right

    def set_for(target: float, score: np.ndarray) -> ThresholdFindings:
        chosen = choose_threshold(score[calibration], right[calibration], target)
        return _report_threshold(chosen, score[held], right[held])

    score, raw = policy.score(examined.features), model_probabilities(examined)
    found = AbstentionFindings(
        in_use=_report_threshold(policy.threshold, score[held], right[held]),
        thresholds={f"{target:g}": set_for(target, score) for target in TARGETS},
        raw_probability={f"{TARGETS[-1]:g}": set_for(TARGETS[-1], raw)},
    )
    if bound is None:
        return found
    own = bound.score(examined.features.rows(held))
    return AbstentionFindings(
        in_use=found.in_use,
        thresholds=found.thresholds,
        raw_probability=found.raw_probability,
        certificate=bound.certificate,
        certified=_report_threshold(bound.certificate.as_threshold(), own, right[held]),
        uncertified=_report_threshold(bound.uncertified, own, right[held]),
        advice=bound.certificate.explain(),
    )


def _report_threshold(
    threshold: Threshold, score: np.ndarray, right: np.ndarray
) -> ThresholdFindings:
    applied = apply(threshold, score, right)
    return ThresholdFindings(
        threshold=threshold.value,
        target=threshold.precision_target,
        answered_share=applied["answered_share"],
        precision=applied.get("precision"),
    )


def fit_audit_bound(inspector: Inspector, examined: Examined, alpha: float, delta: float) -> Bound:
    """A risk bound from calibration people alone: some fit the curve, the others certify."""
    judged = examined.select("calibration")
    places = np.flatnonzero(judged).tolist()
    people = Judged(
        tuple(examined.questions[i] for i in places),
        examined.features.rows(judged),
        examined.right[judged],
    )
    return fit_people_bound(inspector.model, people, alpha, delta, inspector.opened.decoys)


def report_decoys(
    inspector: Inspector, examined: Examined, policy: AnswerPolicy, bound: Bound | None
) -> dict[str, DecoyFindings]:
    """For each tier of decoys: the share refused, and how well the score separates them."""
    model = inspector.model
    found: dict[str, DecoyFindings] = {}
    people = _ranking(policy, examined.features.rows(examined.select("held-out", ("stated",))))
    for tier, names in make_audit_decoys(inspector, TIER).items():
        if not names:
            continue
        form = model.parser.forms[0]
        features = model.answer([model.parser.fill(form, name) for name in names]).features
        found[tier] = DecoyFindings(
            n=len(names),
            refused=refused(policy.threshold, policy.score(features)),
            auroc=_separation(people, _ranking(policy, features)),
            refused_at_bound=_refused_at_bound(bound, features),
        )
    return found


def _refused_at_bound(bound: Bound | None, features: FeatureTable) -> Score | None:
    if bound is None or not bound.certificate.certified:
        return None
    return refused(bound.certificate.as_threshold(), bound.score(features))


def _separation(people: np.ndarray, decoys: np.ndarray) -> Score | None:
    """AUROC of a score that should rank people above decoys."""
    if not people.size:
        return None
    is_person = np.repeat((True, False), (people.size, decoys.size))
    return auroc(np.append(people, decoys), is_person)


def _ranking(policy: AnswerPolicy, features: FeatureTable) -> np.ndarray:
    """The score that the threshold is applied to; the confidence breaks ties at 0."""
    return policy.score(features) + _LAST * policy.confidence(features)


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
