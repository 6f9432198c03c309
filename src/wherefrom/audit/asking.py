"""Asking a run: the answer, how sure to be of it, and when to say "I don't know".

The same code calibrates on calibration people, reports on held-out ones and serves `ask`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.audit.abstention import Threshold, apply, choose_threshold, refused
from wherefrom.audit.bound import Bound, Certificate, gated, learn_bound, split_people
from wherefrom.audit.confidence import LogisticCalibration
from wherefrom.audit.familiarity import familiarity, openings
from wherefrom.audit.known_names import FAMILIARITY, NameGate, learn_gate
from wherefrom.audit.nonexistent import Namesakes
from wherefrom.core.contracts import Answer, Dataset, Document, Question
from wherefrom.core.errors import BadData, Damaged, Mismatch, MissingInput
from wherefrom.core.files import cannot_write, read_json, write_json
from wherefrom.core.forms import find_forms, match
from wherefrom.core.vocabulary import MASK, PAD
from wherefrom.evaluation.evaluator import Score
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.run import Run

FEATURES = ("log_probability", "margin", *FAMILIARITY)
STRANGERS = 12  # nonexistent names that are made for a name
EVENS = 0.5  # below it an answer is likelier wrong than right
_TINY = 1e-12
_SPREADS = 6.0  # past so many standard deviations a name is as unfamiliar as it gets
_REFERENCES = 500
_FORMS = 3  # that are shown to someone who asked in another one


@dataclass(frozen=True)
class Reply:
    """An answer with its calibrated probability of being right; `known` if it is given at all.

    The probability is meant for people whom the text is about: where the model does not know
    the name, `stranger`, nothing is given whatever it is. A run without calibration people
    has no such probability, and gives every answer.
    """

    question: str
    answer: Answer
    confidence: float | None
    known: bool
    stranger: bool = False


class Asker:
    """A model and what it was taught from, put to questions.

    Familiarity is measured against the people it was asked about in training: names that it
    must know.
    """

    def __init__(
        self, answerer: ModelAnswerer, documents: Sequence[Document], asked: Sequence[Question]
    ) -> None:
        self.answerer = answerer
        self.contexts = openings(documents) or [""]
        texts = [q.text for q in asked]
        self.forms = find_forms(texts)
        names = [pair[1] for text in texts if (pair := match(self.forms, text))]
        if not names:
            raise BadData(
                f"asked questions: expected several of one form, found {len(texts)} without"
            )
        known = self._familiarity(names[:_REFERENCES])
        self._typical, self._spread = known.mean(0), known.std(0) + _TINY

    def subject(self, question: str) -> str:
        """The name in a question of a form the model was taught."""
        found = match(self.forms, question)
        if found is None:
            taught = " or ".join(f"'{form.fill('...')}'" for form in self.forms[:_FORMS])
            only = "only this one" if len(self.forms) == 1 else f"{len(self.forms)} forms"
            raise BadData(
                f"{question!r}: expected a question like {taught}, "
                f"found another form; the model was taught {only}"
            )
        return found[1]

    def check(self, question: str) -> None:
        """Raise BadData, which says what is wrong, if the model cannot be asked this."""
        name = self.subject(question)
        self.answerer.vocabulary.encode(question)
        if marks := [c for c in (PAD, MASK) if c in question]:
            raise BadData(
                f"{question!r}: expected no {marks[0]!r} (U+{ord(marks[0]):04X}), found one; "
                "the model needs it for itself"
            )
        opening = max(len(context) for context in self.contexts)
        longest = max(len(question) + 1, opening + len(name) - 1)
        spare = self.answerer.model.max_input - longest
        if spare < 0:
            raise BadData(
                f"{question!r}: expected a name of at most {len(name) + spare} characters, "
                f"found {len(name)}; the model reads no more at once"
            )

    def can_ask(self, question: str) -> bool:
        try:
            self.check(question)
        except BadData:
            return False
        return True

    def examine(self, questions: Sequence[str]) -> tuple[list[Answer], np.ndarray]:
        """The answers and, for each, the features that tell how far to trust it."""
        known = self.acquaintance([self.subject(q) for q in questions])
        answers = self.answerer.answer(questions)
        best = np.log([max(a.probability, _TINY) for a in answers])
        second = [a.others[0].probability if a.others else 0.0 for a in answers]
        margin = best - np.log(np.maximum(second, _TINY))
        return answers, np.column_stack((best, margin, known))

    def acquaintance(self, names: Sequence[str]) -> np.ndarray:
        """How familiar the names are, (N, 2), in spreads of the asked people's.

        A name may be strange in one part only: after its first word, in one character there, or
        in its first word. Calibration people without text are strange in the first two ways at
        once, so a curve could not learn to mind each by itself: where one part is as unfamiliar
        as it gets, the whole name is.
        """
        known = (self._familiarity(names) - self._typical) / self._spread
        known = np.clip(known, -_SPREADS, _SPREADS)
        known[known.min(axis=1) == -_SPREADS] = -_SPREADS
        return known[:, : len(FAMILIARITY)]

    def spells(self, name: str) -> bool:
        """Whether a name can stand in every form of question that the model was taught."""
        return all(self.can_ask(form.fill(name)) for form in self.forms)

    def _familiarity(self, names: Sequence[str]) -> np.ndarray:
        return familiarity(self.answerer.model, self.answerer.vocabulary, names, self.contexts)


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


def open_asker(run: Run) -> Asker:
    predictor = run.predictor()
    if not isinstance(predictor, ModelAnswerer) or not run.dataset.questions:
        raise BadData(f"{run.path}: expected a run that answers questions, found {run.recipe.name}")
    return Asker(predictor, run.dataset.documents, run.dataset.asked)


def ask(run: Run, questions: Sequence[str]) -> list[Reply]:
    """Put questions to a finished run."""
    return put(open_asker(run), read_doubt(run), questions)


def put(asker: Asker, doubt: Doubt, questions: Sequence[str]) -> list[Reply]:
    """Put questions to a model that is already open."""
    if not questions:
        return []
    for question in questions:
        asker.check(question)
    answers, features = asker.examine(questions)
    return reply(doubt, questions, answers, features)


def reply(
    doubt: Doubt | None, questions: Sequence[str], answers: Sequence[Answer], features: np.ndarray
) -> list[Reply]:
    """What is said to questions whose answers have been examined."""
    if doubt is None:
        return [Reply(q, a, None, True) for q, a in zip(questions, answers, strict=True)]
    confidence, score = doubt.probability(features), doubt.score(features)
    known = doubt.threshold.answers(score)
    return [
        Reply(q, a, float(c), bool(k), bool(c > s))
        for q, a, c, k, s in zip(questions, answers, confidence, known, score, strict=True)
    ]


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
