"""The answering policy: when a run answers and when it says "I don't know".

It is fitted on calibration questions, reported on held-out ones, and kept in the run folder. Each
relation that the questions ask for has its own calibration and threshold: a confidence then means
the same for all of them, and each reaches the precision or is not answered at all.
Where the questions are too few to tell, answers are given as unverified (`unverified.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from wherefrom.answering.abstention import (
    LEAST_SURE,
    Threshold,
    Thresholds,
    apply,
    choose_thresholds,
    refused,
)
from wherefrom.answering.answer_table import AnswerTable, FeatureTable
from wherefrom.answering.calibration import PSEUDO, LogisticCalibration, fit_by_relation
from wherefrom.answering.certificate import Certificate
from wherefrom.answering.closed_book import FEATURES, ClosedBookModel, open_closed_book
from wherefrom.answering.decoys import DecoyNames
from wherefrom.answering.familiarity import FamiliarityReference
from wherefrom.answering.name_gate import NameGate, choose_known, fit_gate
from wherefrom.answering.risk_bound import Sides, fit_bounds, gated_probability, split_people
from wherefrom.answering.statement_forms import NO_FORMS, StatementForms
from wherefrom.answering.unverified import (
    CalibrationAnswers,
    fewest_questions,
    own_probability,
    settle_thresholds,
)
from wherefrom.core.config import from_json, to_json
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.relations import group
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.run import Run

FILE = "audit/confidence.json"
UNANSWERABLE = "unanswerable"  # held-out questions that have no answer


@dataclass(frozen=True)
class RelationPolicy:
    """The calibration and the threshold of a relation."""

    calibration: LogisticCalibration
    threshold: Threshold


@dataclass(frozen=True)
class AnswerPolicy:
    """A calibration and a threshold for each relation, and the gate that stops unknown names.

    `calibration` is that of a relation without calibration questions, and `threshold` describes
    what the thresholds together did to the calibration questions. The familiarity of names is
    measured relative to `reference`. `forms` are the wordings in which answers are scored.
    """

    format_version: ClassVar[int] = 6

    calibration: LogisticCalibration
    threshold: Threshold
    relations: Mapping[str, RelationPolicy]
    names: NameGate | None = None
    reference: FamiliarityReference | None = None
    forms: StatementForms = NO_FORMS

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(self.threshold, {r: p.threshold for r, p in self.relations.items()})

    def confidence(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """The calibrated probability that each answer is right, provided the name is known.

        `relations` has what each question asks for.
        """
        found = np.zeros(len(features))
        for relation, places in group(relations).items():
            own = self.relations.get(relation)
            curve = self.calibration if own is None else own.calibration
            found[places] = curve.probability(features.rows(places))
        return found

    def score(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """The score that the threshold is applied to: the confidence, or 0 for unknown names.

        Where answers are unverified, it is the model's own probability.
        """
        score, known = self.confidence(features, relations), self.knows_name(features)
        if (unverified := self.unverified(relations)).any():
            score = np.where(unverified, own_probability(features), score)
        return score if known is None else np.where(known, score, 0.0)

    def answers(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """Whether each answer is given."""
        return self.thresholds.answers(self.score(features, relations), relations)

    def unverified(self, relations: Sequence[str]) -> np.ndarray:
        """Whether each question asks for a relation without a threshold that was shown to hold."""
        thresholds = self.thresholds
        each = {name: thresholds.of(name).unverified is not None for name in set(relations)}
        return np.array([each[name] for name in relations], dtype=bool)

    def knows_name(self, features: FeatureTable) -> np.ndarray | None:
        """Whether the model knows each name; None if the policy has no name gate."""
        return None if self.names is None else self.names.opens(features)

    def probability_read(self, features: FeatureTable) -> np.ndarray:
        """The probability that the model has read each name; 1 if the policy has no name gate."""
        return np.ones(len(features)) if self.names is None else self.names.probability(features)


# -- fitting -----------------------------------------------------------------------


def fit_policy(
    model: ClosedBookModel,
    calibration: Sequence[Question],
    precision: float,
    decoys: DecoyNames | None = None,
    masked: Sequence[Question] = (),
) -> AnswerPolicy:
    """Fit on calibration people, whatever their text says, and choose the threshold there.

    The curves are fitted on those whose names the model knows, the thresholds are chosen on all.
    The curve of the only relation is fitted on `masked` people too.

    Here and below, questions that the model cannot be asked are left out.
    """
    judged = judge(model, calibration)
    gate = fit_gate(model, judged.known, judged.features, decoys)
    parts, every = group(judged.relations), sorted({*judged.relations, *model.relations})
    curve = _fit_with_masked(model, judged, gate, masked if len(every) == 1 else ())
    curves = dict.fromkeys(every, curve)
    if len(every) > 1:
        known = choose_known(gate, judged.features)
        features, right = judged.features.rows(known), judged.right[known]
        among = group(np.array(judged.relations, dtype=object)[known].tolist())
        curves |= fit_by_relation(features, right, FEATURES, among)
    score, own = np.zeros(len(judged)), own_probability(judged.features, gate)
    for relation, places in parts.items():
        score[places] = gated_probability(curves[relation], gate, judged.features.rows(places))
    enough = fewest_questions(precision)
    chosen = choose_thresholds(score, judged.right, parts, precision, LEAST_SURE, enough)
    answers = CalibrationAnswers(score, own, judged.right, judged.subjects, parts)
    chosen = settle_thresholds(chosen, answers, every, LEAST_SURE)
    return _combine(model, gate, curve, curves, chosen)


def _combine(
    model: ClosedBookModel,
    gate: NameGate | None,
    curve: LogisticCalibration,
    curves: Mapping[str, LogisticCalibration],
    thresholds: Thresholds,
) -> AnswerPolicy:
    """A policy of these parts; `curves` are those of the relations, each with a threshold."""
    each = {name: RelationPolicy(own, thresholds.of(name)) for name, own in curves.items()}
    return AnswerPolicy(curve, thresholds.together, each, gate, model.reference, model.forms)


def _fit_with_masked(
    model: ClosedBookModel, judged: AnswerTable, gate: NameGate | None, masked: Sequence[Question]
) -> LogisticCalibration:
    """The curve over calibration people and masked people.

    The people whose text omits the answer, masked ones among them, count together as often as they
    come among calibration people: the curve stays calibrated, and learns from more of them.
    """
    features, right = judged.features, judged.right
    if not masked:
        known = choose_known(gate, features)
        return LogisticCalibration.fit(features.rows(known), right[known], FEATURES)
    more = judge(model, masked)
    natural = np.array([q.support == "omitted" for q in judged.known], dtype=bool)
    omitted = np.append(natural, np.ones(len(more), dtype=bool))
    features, right = features.append(more.features), np.append(right, more.right)
    count = np.where(omitted, (natural.sum() + PSEUDO) / omitted.sum(), 1.0)
    known = choose_known(gate, features)
    return LogisticCalibration.fit(
        features.rows(known), right[known], FEATURES, count_N=count[known]
    )


@dataclass(frozen=True)
class CertifiedPolicy:
    """A policy with a risk bound, its certificate, and the same policy without a guarantee.

    If nothing is certified, the policy answers nothing. `uncertified` has the thresholds that
    answer most certifying people with an observed risk of at most alpha.
    """

    policy: AnswerPolicy
    certificate: Certificate
    uncertified: AnswerPolicy


def fit_certified_policy(
    model: ClosedBookModel,
    calibration: Sequence[Question],
    alpha: float,
    delta: float,
    decoys: DecoyNames | None = None,
) -> CertifiedPolicy:
    """A policy whose thresholds carry a risk bound."""
    return certify_policy(model, judge(model, calibration), alpha, delta, decoys)


def judge(
    model: ClosedBookModel,
    people: Sequence[Question],
    known: Mapping[str, Answer] | None = None,
) -> AnswerTable:
    """Ask the questions that the model can be asked; `known` answers are not decoded again."""
    parsed = [(q, found) for q in people if (found := model.try_parse(q.text))]
    if not parsed:
        raise BadData(
            f"calibration people: expected questions that the model can be asked, found none among "
            f"{len(people)}; check that they have a form that the model was taught"
        )
    found = model.answer([asked for _, asked in parsed], known)
    return replace(found, known=tuple(q for q, _ in parsed))


def certify_policy(
    model: ClosedBookModel,
    judged: AnswerTable,
    alpha: float,
    delta: float,
    decoys: DecoyNames | None = None,
) -> CertifiedPolicy:
    """Some calibration people fit the curves and the gate, the others certify thresholds."""
    subjects = judged.subjects
    fitting = judged.rows(split_people(subjects)[0])
    gate = fit_gate(model, fitting.known, fitting.features, decoys)
    sides = {name: _split(subjects, at) for name, at in group(judged.relations).items()}
    found = fit_bounds(judged.features, judged.right, FEATURES, sides, alpha, delta, gate)
    policy, uncertified = (
        _combine(model, gate, found.common, found.curves, thresholds)
        for thresholds in (found.certified, found.uncertified)
    )
    return CertifiedPolicy(policy, found.certificate, uncertified)


def _split(subjects: Sequence[str], places: np.ndarray) -> Sides:
    """The places of a relation's answers to fit on, and of those to certify with."""
    fit, test = split_people([subjects[int(place)] for place in places])
    return places[fit], places[test]


# -- reporting ---------------------------------------------------------------------


def report_policy(
    model: ClosedBookModel,
    policy: AnswerPolicy,
    groups: Mapping[str, Sequence[Question]],
    known: Mapping[str, Answer] | None = None,
) -> dict[str, Score]:
    """What the policy does to held-out people, grouped by what their text says.

    `known` maps the text of a question to an answer that was decoded before.
    """
    names = {
        "none": "refused_without_text",
        "omitted": "refused_omitted",
        UNANSWERABLE: "refused_unanswerable",
    }
    scores: dict[str, Score] = {}
    everyone: list[tuple[np.ndarray, AnswerTable]] = []
    for support, questions in groups.items():
        try:
            judged = judge(model, questions, known)
        except BadData:  # nobody of this group can be asked about
            continue
        score = policy.score(judged.features, judged.relations)
        everyone.append((score, judged))
        if support == "stated":
            scores |= apply(policy.thresholds, score, judged.right, judged.relations)
        else:
            scores[names[support]] = refused(policy.thresholds, score, judged.relations)
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


# -- the file beside a run -----------------------------------------------------------


def write_policy(folder: RunFolder, policy: AnswerPolicy) -> None:
    folder.write_json(FILE, to_json(policy))


def read_policy(run: Run) -> AnswerPolicy:
    path = run.path / FILE
    if not run.folder.has(FILE):
        raise MissingInput(
            f"{path}: expected the run's calibration, found no file; finish the run first "
            f"('wherefrom run {run.recipe.name} --out {run.path}')"
        )
    try:
        policy = from_json(AnswerPolicy, run.folder.read_json(FILE), "policy")
        if (found := policy.calibration.features) != FEATURES:
            raise BadData(f"policy: expected the features {FEATURES}, found {found}")
    except BadData as error:
        raise Damaged(
            f"{path}: {error}; 'wherefrom evaluate {run.path}' writes it again"
        ) from error
    return policy


def find_policy(run: Run) -> AnswerPolicy | None:
    """The policy in the run folder; None if none was fitted."""
    try:
        return read_policy(run)
    except MissingInput:
        return None


def open_as_stored(run: Run, policy: AnswerPolicy | None) -> ClosedBookModel:
    """The run's model, asked as its stored policy says, if it has one."""
    if policy is None:
        return open_closed_book(run)
    return open_closed_book(run, policy.reference, policy.forms)
