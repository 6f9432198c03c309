"""Fitting a policy: on calibration questions, and reported on held-out ones.

Each relation that the questions ask for has its own calibration and threshold: a confidence then
means the same for all of them, and each reaches the precision or is not answered at all. Where the
questions are too few to tell, answers are given as unverified (`unverified.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.answering.abstention import LEAST_SURE, apply, choose_thresholds, report_declined
from wherefrom.answering.calibration import PSEUDO, fit_by_relation, fit_calibration
from wherefrom.answering.certificate import Certificate
from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.decoys import DecoyNames
from wherefrom.answering.features import FEATURES
from wherefrom.answering.name_gate import choose_known, fit_gate
from wherefrom.answering.policy import (
    EVEN_ODDS,
    AnswerPolicy,
    LogisticCalibration,
    NameGate,
    RelationPolicy,
    Thresholds,
    own_probability,
)
from wherefrom.answering.risk_bound import Sides, fit_bounds, gated_probability, split_people
from wherefrom.answering.unverified import CalibrationAnswers, settle_thresholds
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.relations import group

UNANSWERABLE = "unanswerable"  # held-out questions that have no answer


def fit_policy(
    model: ClosedBookModel,
    judged: AnswerTable,
    precision: float,
    decoys: DecoyNames | None = None,
    masked: AnswerTable | None = None,
) -> AnswerPolicy:
    """Fit on calibration people, whatever their text says, and choose the threshold there.

    The curves are fitted on those whose names the model knows, the thresholds are chosen on all.
    The curve of the only relation is fitted on `masked` people too.
    """
    gate = fit_gate(model, judged.known, judged.features, decoys)
    parts, every = group(judged.relations), sorted({*judged.relations, *model.relations})
    curve = _fit_with_masked(judged, gate, masked if len(every) == 1 else None)
    curves = dict.fromkeys(every, curve)
    if len(every) > 1:
        known = choose_known(gate, judged.features)
        features, right = judged.features.rows(known), judged.right[known]
        among = group(np.array(judged.relations, dtype=object)[known].tolist())
        guesses = {name: rate_guesses(judged, at.tolist()) for name, at in parts.items()}
        curves |= fit_by_relation(features, right, FEATURES, among, guesses)
    score, own = np.zeros(len(judged)), own_probability(judged.features, gate)
    for relation, places in parts.items():
        score[places] = gated_probability(curves[relation], gate, judged.features.rows(places))
    chosen = choose_thresholds(score, judged.right, parts, precision, LEAST_SURE)
    answers = CalibrationAnswers(score, own, judged.right, judged.subjects, parts)
    chosen = settle_thresholds(chosen, answers, every, LEAST_SURE)
    policy = _combine(model, gate, curve, curves, chosen)
    return replace(policy, without_text=_share_without_text(judged))


def rate_guesses(judged: AnswerTable, places: Sequence[int]) -> float:
    """How often a guess is right by chance: how often a wrong answer is right for another question.

    `places` are those of the questions that ask for one relation. Where most guesses would be right
    it is 0: wrong answers are then about the few with an unusual answer, whom chance does not help.
    """
    golds = Counter(judged.known[i].answer for i in places)
    guesses = [golds[judged.answers[i].text] for i in places if not judged.right[i]]
    rate = sum(guesses) / max(len(guesses) * (len(places) - 1), 1)
    return rate if rate < EVEN_ODDS else 0.0


def _share_without_text(judged: AnswerTable) -> float | None:
    """How often answers to calibration people without text are right, with Jeffreys' prior."""
    right = judged.right[[q.support == "none" for q in judged.known]]
    return float((right.sum() + 0.5) / (right.size + 1)) if right.size else None


def _combine(
    model: ClosedBookModel,
    gate: NameGate | None,
    curve: LogisticCalibration,
    curves: Mapping[str, LogisticCalibration],
    thresholds: Thresholds,
) -> AnswerPolicy:
    """A policy of these parts; `curves` are those of the relations, each with a threshold."""
    each = {name: RelationPolicy(own, thresholds.of(name)) for name, own in curves.items()}
    return AnswerPolicy(curve, thresholds.overall, each, gate, model.reference, model.forms)


def _fit_with_masked(
    judged: AnswerTable, gate: NameGate | None, more: AnswerTable | None
) -> LogisticCalibration:
    """The curve over calibration people and masked people.

    The people whose text omits the answer, masked ones among them, count together as often as they
    come among calibration people: the curve stays calibrated, and learns from more of them.
    """
    features, right = judged.features, judged.right
    guess = rate_guesses(judged, range(len(judged)))
    if more is None:
        known = choose_known(gate, features)
        return fit_calibration(features.rows(known), right[known], FEATURES, guess=guess)
    natural = np.array([q.support == "omitted" for q in judged.known], dtype=bool)
    omitted = np.append(natural, np.ones(len(more), dtype=bool))
    features, right = features.append(more.features), np.append(right, more.right)
    count = np.where(omitted, (natural.sum() + PSEUDO) / omitted.sum(), 1.0)
    known = choose_known(gate, features)
    rows, outcome = features.rows(known), right[known]
    return fit_calibration(rows, outcome, FEATURES, count_N=count[known], guess=guess)


@dataclass(frozen=True)
class CertifiedPolicy:
    """A policy with a risk bound, its certificate, and the same policy without a guarantee.

    If nothing is certified, the policy answers nothing. `uncertified` has the thresholds that
    answer most certifying people with an observed risk of at most alpha.
    """

    policy: AnswerPolicy
    certificate: Certificate
    uncertified: AnswerPolicy


def judge(model: ClosedBookModel, people: Sequence[Question]) -> AnswerTable:
    """Ask the questions that the model can be asked."""
    parsed = [(q, found) for q in people if (found := model.try_parse(q.text))]
    if not parsed:
        raise BadData(
            f"people: expected questions that the model can be asked, found none among "
            f"{len(people)}; check that they have a form that the model was taught"
        )
    found = model.answer([asked for _, asked in parsed])
    return replace(found, known=tuple(q for q, _ in parsed))


def certify_policy(
    model: ClosedBookModel,
    judged: AnswerTable,
    alpha: float,
    delta: float,
    decoys: DecoyNames | None = None,
) -> CertifiedPolicy:
    """A policy whose thresholds carry a risk bound.

    Some calibration people fit the curves and the gate, the others certify thresholds.
    """
    subjects = judged.subjects
    fitting = judged.rows(split_people(subjects)[0])
    gate = fit_gate(model, fitting.known, fitting.features, decoys)
    sides = {name: _split(subjects, at) for name, at in group(judged.relations).items()}
    found = fit_bounds(judged.features, judged.right, FEATURES, sides, alpha, delta, gate)
    share = _share_without_text(judged)
    policy, uncertified = (
        replace(_combine(model, gate, found.common, found.curves, thresholds), without_text=share)
        for thresholds in (found.certified, found.uncertified)
    )
    return CertifiedPolicy(policy, found.certificate, uncertified)


def _split(subjects: Sequence[str], places: np.ndarray) -> Sides:
    """The places of a relation's answers to fit on, and of those to certify with."""
    fit, test = split_people([subjects[int(place)] for place in places])
    return places[fit], places[test]


# -- reporting ---------------------------------------------------------------------


def report_policy(policy: AnswerPolicy, groups: Mapping[str, AnswerTable]) -> dict[str, Score]:
    """What the policy does to held-out people, grouped by what their text says."""
    names = {
        "none": "refused_without_text",
        "omitted": "refused_omitted",
        UNANSWERABLE: "refused_unanswerable",
    }
    scores: dict[str, Score] = {}
    everyone: list[tuple[np.ndarray, AnswerTable]] = []
    for support, judged in groups.items():
        score = policy.score(judged.features, judged.relations)
        everyone.append((score, judged))
        if support == "stated":
            scores |= apply(policy.thresholds, score, judged.right, judged.relations)
        else:
            given = policy.thresholds.answers(score, judged.relations)
            several = judged.relations if policy.thresholds.several else None
            scores[names[support]] = report_declined(given, several)
    if len(everyone) > 1:
        scores |= _among_everyone(policy, everyone)
    return scores


def _among_everyone(
    policy: AnswerPolicy, groups: Sequence[tuple[np.ndarray, AnswerTable]]
) -> dict[str, Score]:
    """The precision of all answers that are given, also about people whose text says nothing."""
    found = apply(
        policy.thresholds,
        np.concatenate([score for score, _ in groups]),
        np.concatenate([judged.right for _, judged in groups]),
        [relation for _, judged in groups for relation in judged.relations],
    )
    return {"precision_everyone": found["precision"]} if "precision" in found else {}
