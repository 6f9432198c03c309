"""The answering policy: when a run answers and when it says "I don't know".

It is fitted on calibration questions, reported on held-out ones, and kept in the run folder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from wherefrom.answering.abstention import (
    EVEN_ODDS,
    Threshold,
    apply,
    choose_threshold,
    refused,
)
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.closed_book import FEATURES, ClosedBookModel
from wherefrom.answering.decoys import DecoyNames
from wherefrom.answering.familiarity import FamiliarityReference
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.name_gate import NameGate, fit_name_gate
from wherefrom.answering.risk_bound import (
    Bound,
    Certificate,
    fit_bound,
    gated_probability,
    split_people,
)
from wherefrom.core.config import from_json, to_json
from wherefrom.core.contracts import WITH_TEXT, Answer, Dataset, Question
from wherefrom.core.errors import BadData, Damaged, Mismatch, MissingInput
from wherefrom.core.files import read_json, write_json
from wherefrom.evaluation.evaluator import Score
from wherefrom.runs.run import Run

DECOYS = 12  # how many decoys are made for a name
FILE = "confidence.json"  # in a run's audit/


@dataclass(frozen=True)
class AnswerPolicy:
    """A calibration, the threshold on it, and the gate that stops unknown names.

    The familiarity of names is measured relative to `reference`. It is None in folders of the
    first version, where it must be measured again.
    """

    format_version: ClassVar[int] = 2

    calibration: LogisticCalibration
    threshold: Threshold
    names: NameGate | None = None
    reference: FamiliarityReference | None = None

    def confidence(self, features: FeatureTable) -> np.ndarray:
        """The calibrated probability that each answer is right, provided the name is known."""
        return self.calibration.probability(features)

    def score(self, features: FeatureTable) -> np.ndarray:
        """The score that the threshold is applied to: the confidence, or 0 for unknown names."""
        return gated_probability(self.calibration, self.names, features)

    def answers(self, features: FeatureTable) -> np.ndarray:
        """Whether each answer is given."""
        return self.threshold.answers(self.score(features))

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
) -> AnswerPolicy:
    """Fit on all calibration people, whatever their text says, and choose the threshold there.

    Here and below, questions that the model cannot be asked are left out.
    """
    judged = judge(model, calibration)
    curve = LogisticCalibration.fit(judged.features, judged.right, FEATURES)
    gate = fit_gate(model, judged.people, judged.features, decoys)
    score = gated_probability(curve, gate, judged.features)
    threshold = choose_threshold(score, judged.right, precision, EVEN_ODDS)
    return AnswerPolicy(curve, threshold, gate, model.reference)


def fit_certified_policy(
    model: ClosedBookModel,
    calibration: Sequence[Question],
    alpha: float,
    delta: float,
    decoys: DecoyNames | None = None,
) -> tuple[AnswerPolicy, Certificate]:
    """A policy whose threshold carries a risk bound; if none is certified, it answers nothing."""
    judged = judge(model, calibration)
    bound = fit_people_bound(model, judged, alpha, delta, decoys)
    threshold = bound.certificate.as_threshold()
    policy = AnswerPolicy(bound.calibration, threshold, bound.names, model.reference)
    return policy, bound.certificate


@dataclass(frozen=True)
class Judged:
    """Questions with known answers, the features of the model's answers, and which are right."""

    people: tuple[Question, ...]
    features: FeatureTable
    right: np.ndarray


def judge(
    model: ClosedBookModel,
    people: Sequence[Question],
    known: Mapping[str, Answer] | None = None,
) -> Judged:
    """Ask the questions that the model can be asked; `known` answers are not decoded again."""
    parsed = [(q, found) for q in people if (found := model.try_parse(q.text))]
    if not parsed:
        raise BadData(
            f"calibration people: expected questions that the model can be asked, found none among "
            f"{len(people)}; check that they have a form that the model was taught"
        )
    answered = model.answer([found for _, found in parsed], known)
    asked = tuple(q for q, _ in parsed)
    right = [a.text == q.answer for a, q in zip(answered.answers, asked, strict=True)]
    return Judged(asked, answered.features, np.array(right))


def make_decoy_names(model: ClosedBookModel, dataset: Dataset) -> DecoyNames | None:
    """The maker of decoys from parts of known names; None if the model can write no known name."""
    avoid = [q.subject for q in dataset.questions]
    texts = [d.text for d in dataset.documents]
    try:
        return DecoyNames(names_with_text(dataset), model.spells, DECOYS, avoid=avoid, texts=texts)
    except BadData:
        return None


def names_with_text(dataset: Dataset) -> list[str]:
    """The subjects of the text or, if no document has a subject, those of the asked questions."""
    read = {d.subject.of(d.text) for d in dataset.documents if d.subject}
    return sorted(read or {q.subject for q in dataset.asked})


def fit_gate(
    model: ClosedBookModel,
    people: Sequence[Question],
    features: FeatureTable,
    decoys: DecoyNames | None,
) -> NameGate | None:
    """The gate that separates people with text from decoys; None if there are none of either."""
    with_text = np.array([q.support in WITH_TEXT for q in people], dtype=bool)
    if decoys is None or not with_text.any():
        return None
    names = dict.fromkeys(name for q in people for name in decoys.of(q.subject)[:2])
    if not names:
        return None
    return fit_name_gate(features.rows(with_text), model.familiarity(list(names)))


def fit_people_bound(
    model: ClosedBookModel,
    judged: Judged,
    alpha: float,
    delta: float,
    decoys: DecoyNames | None = None,
) -> Bound:
    """A risk bound: some calibration people fit the curves, the others certify the threshold."""
    fit, test = split_people([q.subject for q in judged.people])
    fitting = [q for q, here in zip(judged.people, fit, strict=True) if here]
    gate = fit_gate(model, fitting, judged.features.rows(fit), decoys)
    return fit_bound(judged.features, judged.right, FEATURES, (fit, test), alpha, delta, gate)


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
    names = {"none": "refused_without_text", "omitted": "refused_omitted"}
    scores: dict[str, Score] = {}
    for support, questions in groups.items():
        try:
            judged = judge(model, questions, known)
        except BadData:  # nobody of this group can be asked about
            continue
        score = policy.score(judged.features)
        if support == "stated":
            scores |= apply(policy.threshold, score, judged.right)
        else:
            scores[names[support]] = refused(policy.threshold, score)
    return scores


# -- the file beside a run -----------------------------------------------------------


def write_policy(run_path: Path, policy: AnswerPolicy) -> None:
    write_json(run_path / "audit" / FILE, to_json(policy))


def read_policy(run: Run) -> AnswerPolicy:
    path = run.path / "audit" / FILE
    if not path.exists():
        raise MissingInput(
            f"{path}: expected the run's calibration, found no file; finish the run first "
            f"('wherefrom run {run.recipe.name} --out {run.path}')"
        )
    try:
        policy = from_json(AnswerPolicy, _upgrade(read_json(path)), "policy")
    except BadData as error:
        raise Damaged(
            f"{path}: {error}; 'wherefrom evaluate {run.path}' writes it again"
        ) from error
    if policy.calibration.features != FEATURES:
        raise Mismatch(
            f"{path}: expected a calibration over the features {', '.join(FEATURES)}, found the "
            f"features of another version; 'wherefrom evaluate {run.path}' writes it again"
        )
    return policy


def _upgrade(data: Any) -> Any:
    """Add the version: files of the first version have neither a version nor a reference."""
    if not isinstance(data, dict):
        return data
    return {"format_version": AnswerPolicy.format_version} | cast(dict[str, Any], data)
