"""Recalled or guessed? A prediction, from one model, of what retraining would show.

Memorisation is defined by retraining (`memorisation/counterfactual.py`), which is expensive. An
audit measures it for calibration people and fits the predictor on them
(`memorisation/predictor.py`): a logistic curve over three features of an answer. The predictor then
labels any other answer of the same run. A run without retrained models has no predictor, and its
replies have no source: one that was fitted on another run does no better than the evidence alone
(docs/TRUST.md). Where the questions ask for several relations, each has a curve of its own, as
confidence does.

Shapes: N answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np

from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.policy import EVEN_ODDS, LogisticCalibration
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.config import from_json
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.replies import GUESSED, RECALLED, SUPPORTED, Source, Verdict
from wherefrom.evaluation.relations import group
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.runs.folder import RunFolder

USUAL = "usual"
LEAST_USUAL = 1e-3  # a lower probability of the usual answer is as good as none
RECALLED_ABOVE = 0.5  # with a larger m, most of the answer's probability comes from the text
# How sure the model is, what it tells others of such a name, and whether the text states it (0, 1).
SOURCE_FEATURES = ("log_probability", USUAL, SUPPORTED)
FILE = "audit/source.json"


@dataclass(frozen=True)
class SourcePredictor:
    """A curve over SOURCE_FEATURES.

    It was fitted with the help of `models` retrained models. With several relations, `relations`
    has a curve for each, and `curve` is for any other relation.
    """

    curve: LogisticCalibration
    models: int
    relations: Mapping[str, LogisticCalibration] = field(
        default_factory=dict[str, LogisticCalibration]
    )

    def __post_init__(self) -> None:
        for curve in (self.curve, *self.relations.values()):
            if curve.features != SOURCE_FEATURES:
                wanted, found = SOURCE_FEATURES, curve.features
                raise BadData(f"source: expected the features {wanted}, found {found}")

    def predict(self, features: FeatureTable, relations: Sequence[str]) -> list[Source]:
        """The source of each answer; `relations` has what each question asks for."""
        p_N = np.zeros(len(features))
        for relation, places in group(relations).items():
            curve = self.relations.get(relation, self.curve)
            p_N[places] = curve.probability(features.rows(places))
        return [Source(RECALLED if p > EVEN_ODDS else GUESSED, float(p)) for p in p_N]


def source_features(
    model: ClosedBookModel,
    answered: AnswerTable,
    decoys: Sequence[Sequence[str]],
    verdicts: Sequence[Verdict | None],
) -> FeatureTable:
    """The features of confidence, and those that only the source is predicted from.

    usual: what the model tells strangers with a name like this one, in log-odds. A model that has
    not read somebody's text answers about as it does about the decoys of the name, so an answer
    that these get need not come from the text.
    supported: whether the text states the answer; 0 where nothing is known of it.
    """
    stated = [verdict is not None and verdict.label == SUPPORTED for verdict in verdicts]
    more = {USUAL: _ask_decoys(model, answered, decoys), SUPPORTED: np.array(stated, np.float64)}
    return answered.features.join(FeatureTable(more))


def _ask_decoys(
    model: ClosedBookModel, answered: AnswerTable, decoys: Sequence[Sequence[str]]
) -> np.ndarray:
    """Each answer's probability for the decoys of its name, asked in the same form."""
    each = list(zip(answered.asked, answered.answers, decoys, strict=True))
    asked = [q.form.fill(name) for q, _, names in each for name in names]
    said = [answer.text for _, answer, names in each for _ in names]
    if not asked:
        return np.full(len(each), find_usual("", (), np.zeros(0)))
    ends = np.cumsum([len(names) for names in decoys])
    found = np.split(answer_probabilities(model.answerer, asked, said), ends[:-1])
    rows = zip(each, found, strict=True)
    return np.array([find_usual(q.subject, names, p) for (q, _, names), p in rows])


def find_usual(subject: str, decoys: Sequence[str], probabilities: np.ndarray) -> float:
    """The log-odds of the larger of two medians: decoys that share the first word, and the others.

    Either part of a name may give the answer away, a family's name as well as a first name. A name
    without decoys has the least log-odds.
    """
    first = subject.partition(" ")[0]
    alike = np.array([name.partition(" ")[0] == first for name in decoys], dtype=bool)
    sides = [probabilities[side] for side in (alike, ~alike) if side.any()]
    most = max((float(np.median(side)) for side in sides), default=0.0)
    p = min(max(most, LEAST_USUAL), 1 - LEAST_USUAL)
    return log(p / (1 - p))


def read_source_predictor(folder: RunFolder) -> SourcePredictor | None:
    """The predictor that an audit has fitted; None if no model was retrained."""
    if not folder.has(FILE):
        return None
    try:
        return from_json(SourcePredictor, folder.read_json(FILE), "source")
    except BadData as error:
        raise Damaged(f"{folder.path / FILE}: {error}; audit the run again") from error
