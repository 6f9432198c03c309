"""When to say "I don't know": learnt on calibration people, reported on held-out ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.answering.abstention import Threshold, apply, choose_threshold, refused
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.decoys import Namesakes
from wherefrom.answering.features import FEATURES, Asker
from wherefrom.answering.name_gate import FAMILIARITY, NameGate, learn_gate
from wherefrom.answering.risk_bound import Bound, Certificate, gated, learn_bound, split_people
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.errors import BadData, Damaged, Mismatch, MissingInput
from wherefrom.core.files import cannot_write, read_json, write_json
from wherefrom.evaluation.evaluator import Score
from wherefrom.runs.run import Run

STRANGERS = 12  # nonexistent names that are made for a name
EVENS = 0.5  # below it an answer is likelier wrong than right


@dataclass(frozen=True)
class Doubt:
    """When to answer: a calibration, the threshold, and which names are known at all."""

    calibration: LogisticCalibration
    threshold: Threshold
    gate: NameGate | None = None

    def probability(self, features: np.ndarray) -> np.ndarray:
        """That each answer is right, if the text is about that person."""
        return self.calibration.probability(features)

    def score(self, features: np.ndarray) -> np.ndarray:
        """What the threshold goes by: that probability, and 0 where the name is not known."""
        return gated(self.calibration, self.gate, features)

    def read(self, features: np.ndarray) -> np.ndarray:
        """The probability that the model has read each name; 1 where nothing tells."""
        if self.gate is None:
            return np.ones(len(features))
        return self.gate.probability(features[:, -len(FAMILIARITY) :])

    def as_json(self) -> dict[str, Any]:
        return {
            "calibration": self.calibration.as_json(), "threshold": self.threshold.as_json(),
            "names": None if self.gate is None else self.gate.as_json(),
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Any) -> "Doubt":
        parts = ("calibration", "threshold")
        if not isinstance(data, dict) or not all(isinstance(data.get(k, {}), dict) for k in parts):
            raise BadData("expected a calibration and a threshold, found something else")
        names = data.get("names")
        return cls(
            LogisticCalibration.from_json(data.get("calibration", {})),
            Threshold.from_json(data.get("threshold", {})),
            None if names is None else NameGate.from_json(names),
        )


def find_namesakes(asker: Asker, dataset: Dataset) -> Namesakes | None:
    """What makes nonexistent names out of the parts of known ones; None where none can be asked."""
    avoid = [q.subject for q in dataset.questions]
    texts = [d.text for d in dataset.documents]
    try:
        return Namesakes(read_about(dataset), asker.spells, STRANGERS, avoid=avoid, texts=texts)
    except BadData:
        return None


def read_about(dataset: Dataset) -> list[str]:
    """Everyone the model has read about; if that is nobody, those it was asked about."""
    read = {d.subject.of(d.text) for d in dataset.documents if d.subject}
    return sorted(read or {q.subject for q in dataset.asked})


def learn_names(
    asker: Asker, people: Sequence[Question], features: np.ndarray, namesakes: Namesakes | None
) -> NameGate | None:
    """Known names told from nonexistent ones; None without people who have text."""
    told = np.array([q.support in ("stated", "omitted") for q in people], dtype=bool)
    if namesakes is None or not told.any():
        return None
    strangers = [name for q in people for name in namesakes.of(q.subject)[:2]]
    unknown = asker.acquaintance(list(dict.fromkeys(strangers)))
    return learn_gate(features[told][:, -len(FAMILIARITY) :], unknown) if len(unknown) else None


def learn_doubt(
    asker: Asker,
    calibration: Sequence[Question],
    precision: float,
    namesakes: Namesakes | None = None,
) -> Doubt:
    """Fit on all calibration people, told, half told and untold, and choose the threshold there.

    Those that the model cannot be asked about, here and below, are left out.
    """
    people, features, right = _judge(asker, calibration)
    model = LogisticCalibration.fit(features, right, FEATURES)
    gate = learn_names(asker, people, features, namesakes)
    score = gated(model, gate, features)
    return Doubt(model, choose_threshold(score, right, precision, EVENS), gate)


def learn_certified_doubt(
    asker: Asker,
    calibration: Sequence[Question],
    alpha: float,
    delta: float,
    namesakes: Namesakes | None = None,
) -> tuple[Doubt, Certificate]:
    """Doubt by a threshold with a promise; where none can be made, everything is doubted."""
    judged = _judge(asker, calibration)
    bound = certify_answers(asker, *judged, alpha, delta, namesakes)
    doubt = Doubt(bound.calibration, bound.certificate.as_threshold(), bound.gate)
    return doubt, bound.certificate


def _judge(
    asker: Asker, people: Sequence[Question]
) -> tuple[list[Question], np.ndarray, np.ndarray]:
    """Those that can be asked, the features of their answers, and which are right."""
    askable = [q for q in people if asker.can_ask(q.text)]
    if not askable:
        raise BadData(
            f"calibration people: expected questions that the model can be asked, found none "
            f"among {len(people)}"
        )
    answers, features = asker.examine([q.text for q in askable])
    right = np.array([a.text == q.answer for a, q in zip(answers, askable, strict=True)])
    return askable, features, right


def certify_answers(
    asker: Asker,
    people: Sequence[Question],
    features: np.ndarray,
    right: np.ndarray,
    alpha: float,
    delta: float,
    namesakes: Namesakes | None = None,
) -> Bound:
    """A threshold with a promise: some calibration people fit the curves, the others certify."""
    fit, test = split_people([q.subject for q in people])
    mine = [q for q, here in zip(people, fit, strict=True) if here]
    gate = learn_names(asker, mine, features[fit], namesakes)
    return learn_bound(features, right, FEATURES, (fit, test), alpha, delta, gate)


def report_doubt(
    asker: Asker, doubt: Doubt, groups: Mapping[str, Sequence[Question]]
) -> dict[str, Score]:
    """What the threshold does to held-out people, by what their text says."""
    scores: dict[str, Score] = {}
    for support, questions in groups.items():
        if not any(asker.can_ask(q.text) for q in questions):
            continue
        _, features, right = _judge(asker, questions)
        score = doubt.score(features)
        if support == "stated":
            scores |= apply(doubt.threshold, score, right)
        else:
            name = {"none": "refused_without_text", "omitted": "refused_birthplace_omitted"}
            scores[name[support]] = refused(doubt.threshold, score)
    return scores


def write_doubt(run_path: Any, doubt: Doubt) -> None:
    path = run_path / "audit" / "confidence.json"
    with cannot_write(path):
        path.parent.mkdir(exist_ok=True)
    write_json(path, doubt.as_json())


def read_doubt(run: Run) -> Doubt:
    path = run.path / "audit" / "confidence.json"
    if not path.exists():
        raise MissingInput(
            f"{path}: expected the run's calibration, found none; finish the run first "
            f"('wherefrom run {run.recipe.name} --out {run.path}')"
        )
    try:
        doubt = Doubt.from_json(read_json(path))
    except BadData as error:
        raise Damaged(f"{path}: {error}") from error
    if doubt.calibration.features != FEATURES:
        raise Mismatch(
            f"{path}: expected a calibration over {len(FEATURES)} features, found another "
            f"version's; 'wherefrom evaluate {run.path}' writes it again"
        )
    return doubt
