"""The parts of an audit that say how far to trust an answer, and when to give none.

Every function gives a part of audit.json; `docs/TRUST.md` says what its numbers mean.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wherefrom.answering.abstention import Threshold, apply, choose_threshold, refused
from wherefrom.answering.decoys import generate
from wherefrom.answering.familiarity import familiarity
from wherefrom.answering.policy import Doubt, certify_answers, read_about
from wherefrom.answering.risk_bound import Bound
from wherefrom.auditing.inspector import Examined, Witness
from wherefrom.core.errors import BadData
from wherefrom.evaluation.calibration import score_calibration
from wherefrom.evaluation.selective import auroc, compare_areas, risk_coverage

if TYPE_CHECKING:
    from wherefrom.auditing.audit import Case

TARGETS = (0.9, 0.95)  # precisions that a threshold is set for
_LAST = 1e-9  # so little that it only orders what is equal
TIER = 200  # nonexistent names a tier
NO_CALIBRATION = (
    "confidence: expected calibration people, found none: confidence, threshold and bound are "
    "left out; a run with some (such as birthplaces-calibrated) has them"
)


def report_trust(case: "Case") -> dict[str, Any]:
    """confidence, abstention and nonexistent; None each without calibration people."""
    doubt = case.witness.doubt
    if doubt is None:
        case.notes.append(NO_CALIBRATION)
        return {"confidence": None, "abstention": None, "nonexistent": None}
    bound = None
    try:
        bound = learn_case_bound(case)
    except BadData as error:
        case.notes.append(str(error))
    return {
        "confidence": report_confidence(case.examined, doubt),
        "abstention": report_abstention(case.examined, doubt, bound),
        "nonexistent": report_strangers(case, doubt, bound),
    }


def report_confidence(examined: Examined, doubt: Doubt) -> dict[str, Any]:
    """The calibrated probability beside the model's own, on held-out people."""
    held = examined.select("held-out")
    right = examined.right[held]
    sure = doubt.probability(examined.features[held])
    raw = np.clip([examined.answers[i].probability for i in np.flatnonzero(held)], 0.0, 1.0)
    return {
        "calibrated": score_calibration(sure, right).as_json(),
        "raw": score_calibration(raw, right).as_json(),
        "risk_coverage": risk_coverage(sure, right).as_json(),
        "risk_coverage_raw": risk_coverage(raw, right).as_json(),
        "area_difference": compare_areas(sure, raw, right).as_json(),
    }


def report_abstention(examined: Examined, doubt: Doubt, bound: Bound | None) -> dict[str, Any]:
    """Thresholds set on calibration people, and what each does to held-out people.

    `in_use` is the one that the run answers by: as the others, but never under even odds.
    """
    held, told = examined.select("held-out"), examined.select("calibration")
    sure = doubt.score(examined.features)
    thresholds: dict[str, Any] = {}
    for target in TARGETS:
        chosen = choose_threshold(sure[told], examined.right[told], target)
        thresholds[f"{target:g}"] = {"threshold": chosen.value} | _applied(
            chosen, sure[held], examined.right[held]
        )
    raw = np.clip([a.probability for a in examined.answers], 0.0, 1.0)
    unaided = choose_threshold(raw[told], examined.right[told], TARGETS[1])
    found: dict[str, Any] = {
        "in_use": {"threshold": doubt.threshold.value, "target": doubt.threshold.precision_target}
        | _applied(doubt.threshold, sure[held], examined.right[held]),
        "thresholds": thresholds,
        "raw_probability": {f"{TARGETS[1]:g}": _applied(unaided, raw[held], examined.right[held])},
        "certificate": None, "uncertified": None, "held_out": None, "advice": None,
    }  # fmt: skip
    if bound is None:
        return found
    fitted = bound.score(examined.features[held])
    return found | {
        "certificate": bound.certificate.as_json(),
        "uncertified": bound.uncertified.as_json()
        | {"held_out": _applied(bound.uncertified, fitted, examined.right[held])},
        "held_out": _applied(bound.certificate.as_threshold(), fitted, examined.right[held]),
        "advice": bound.certificate.explain(),
    }


def _applied(threshold: Threshold, probability: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    scores = apply(threshold, probability, right)
    return {name: score.as_json() for name, score in scores.items()}


def learn_case_bound(case: "Case") -> Bound:
    """On calibration people alone: some fit the curve, the others certify."""
    examined, told = case.examined, case.examined.select("calibration")
    people = [examined.questions[i] for i in np.flatnonzero(told)]
    return certify_answers(
        case.witness.asker, people, examined.features[told], examined.right[told],
        case.risk.alpha, case.risk.delta, case.witness.namesakes,
    )  # fmt: skip


def report_strangers(case: "Case", doubt: Doubt, bound: Bound | None) -> dict[str, Any]:
    """Names of nobody, tier by tier: refused by the run's threshold, and by the bound's.

    Where nothing was certified everything is refused, which is no merit: None there. The AUROC
    tells them from held-out people whose text states the answer, by what the threshold goes by.
    """
    known = case.examined.select("held-out", ("stated",))
    own = _ranked(doubt, case.examined.features[known])
    found: dict[str, Any] = {}
    for tier, names in make_strangers(case.witness, TIER).items():
        if not names:
            continue
        form = case.witness.asker.forms[0]
        _, features = case.witness.asker.examine([form.fill(name) for name in names])
        other = _ranked(doubt, features)
        told = np.repeat((True, False), (own.size, other.size))
        area = auroc(np.append(own, other), told) if own.size else None
        found[tier] = {
            "n": len(names),
            "refused": refused(doubt.threshold, doubt.score(features)).as_json(),
            "auroc": None if area is None else area.as_json(),
            "refused_at_bound": None if bound is None or not bound.certificate.certified
            else refused(
                bound.certificate.as_threshold(), bound.score(features)
            ).as_json(),
        }  # fmt: skip
    return found


def _ranked(doubt: Doubt, features: np.ndarray) -> np.ndarray:
    """By what the threshold goes by; names that are not known, by their probability."""
    return doubt.score(features) + _LAST * doubt.probability(features)


def make_strangers(witness: Witness, count: int) -> dict[str, tuple[str, ...]]:
    """The tiers for a run: nobody who is in its text or in its questions."""
    dataset, asker = witness.run.dataset, witness.asker
    model, vocabulary = asker.answerer.model, asker.answerer.vocabulary

    def likely(names: Sequence[str]) -> np.ndarray:
        return familiarity(model, vocabulary, names, asker.contexts)[:, 0]

    return generate(
        read_about(dataset), asker.spells, likely, count,
        avoid=[q.subject for q in dataset.questions],
        texts=[d.text for d in dataset.documents],
    )  # fmt: skip
