"""Recalled or guessed? A cheap prediction, from one model, of what retraining would show.

Memorisation is defined by retraining (`memorisation/counterfactual.py`), which is expensive. The
predictor is a logistic curve over features of one model's answer. It is fitted on runs that have
retrained models (`memorisation/predictor.py`). Other runs borrow the predictor of another run, and
their replies say that it is borrowed. Where the questions ask for several relations, each has a
curve of its own, as confidence does.

Shapes: N answers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, cast

import numpy as np

from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.features import FAMILIARITY, FEATURES, STATEMENT, TINY
from wherefrom.answering.policy import EVEN_ODDS, LogisticCalibration
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.config import from_json
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.replies import GUESSED, RECALLED, Source
from wherefrom.evaluation.relations import group
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.runs.folder import RunFolder

USUAL = "usual"
RECALLED_ABOVE = 0.5  # with a larger m, most of the answer's probability comes from the text
# Of some twenty sets, the best predictor of calibration labels (docs/research/LOG.md).
SOURCE_FEATURES = ("log_probability", *STATEMENT, *FAMILIARITY, USUAL)
COLUMNS = (*FEATURES, "contrast", "agreement", USUAL)  # what an audit writes of each answer
FILE = "audit/source.json"


@dataclass(frozen=True)
class SourcePredictor:
    """A curve over SOURCE_FEATURES.

    It was fitted with the help of `models` retrained models. With several relations, `relations`
    has a curve for each, and `curve` is for any other relation.
    """

    curve: LogisticCalibration
    models: int
    borrowed: bool = False  # fitted on another run
    relations: Mapping[str, LogisticCalibration] = field(
        default_factory=dict[str, LogisticCalibration]
    )

    def __post_init__(self) -> None:
        for curve in (self.curve, *self.relations.values()):
            if curve.features != SOURCE_FEATURES:
                wanted, found = SOURCE_FEATURES, curve.features
                raise BadData(f"source: expected the features {wanted}, found {found}")

    def predict(
        self,
        features: FeatureTable,
        probability_read: np.ndarray | float = 1.0,
        relations: Sequence[str] = (),
    ) -> list[Source]:
        """The source of each answer.

        Where it is rather unlikely that the model has read the name, the curve is multiplied by
        this probability, `probability_read`. Nothing can be recalled about a name that was never
        read, and the curve does not know this: all people that it was fitted on have text.
        `relations` has what each question asks for; a predictor for one relation does not need it.
        """
        read_N = np.asarray(probability_read)
        known_N = np.where(read_N < EVEN_ODDS, read_N, 1.0)
        p_N = self._curves(features, relations) * known_N * _room_for_recall(features)
        return [
            Source(RECALLED if p > EVEN_ODDS else GUESSED, float(p), self.borrowed) for p in p_N
        ]

    def _curves(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        if not self.relations:
            return self.curve.probability(features)
        found = np.zeros(len(features))
        for relation, places in group(relations).items():
            curve = self.relations.get(relation, self.curve)
            found[places] = curve.probability(features.rows(places))
        return found


def _room_for_recall(features: FeatureTable) -> np.ndarray:
    """A factor that keeps the answer which anybody gets from being called recalled.

    A model that has not read somebody's text answers about as it does about decoys. If they get
    the answer with a probability u, m is at most about 1 - u; with u above 1/2 it is too small to
    count as recalled, however sure the model is: "right" when most people are right-handed.
    """
    usual_N = features.columns[USUAL]
    return np.where(usual_N > 1 - RECALLED_ABOVE, 1 - usual_N, 1.0)


def source_features(
    model: ClosedBookModel, answered: AnswerTable, decoys: Sequence[Sequence[str]]
) -> FeatureTable:
    """COLUMNS: the features of confidence and three more.

    contrast: how much likelier the answer is after the question for this name than for its decoys,
    in nats; 0 for a name without decoys.
    agreement: the best answer's share of the probability of all answers that the search found.
    usual: the answer's mean probability for the decoys of the name; 0 for a name without decoys.
    """
    best = np.array([max(a.probability, TINY) for a in answered.answers])
    own = _probability_of_question(model, answered, best)
    usual = _probability_for_decoys(model, answered, decoys, own)
    total = [a.probability + sum(o.probability for o in a.others) for a in answered.answers]
    more = {
        "contrast": np.log(own) - np.log(usual),
        "agreement": best / np.maximum(total, TINY),
        USUAL: np.where([len(names) > 0 for names in decoys], usual, 0.0),
    }
    return answered.features.join(FeatureTable(more))


def _probability_of_question(
    model: ClosedBookModel, answered: AnswerTable, best: np.ndarray
) -> np.ndarray:
    """Each answer's probability after the question alone, whatever else the model was asked."""
    if not model.searches_wordings:
        return best
    asked, said = [q.text for q in answered.asked], [a.text for a in answered.answers]
    return np.maximum(answer_probabilities(model.answerer, asked, said), TINY)


def _probability_for_decoys(
    model: ClosedBookModel,
    answered: AnswerTable,
    decoys: Sequence[Sequence[str]],
    own: np.ndarray,
) -> np.ndarray:
    """Each answer's mean probability over the decoys of its name, asked in the same form.

    A name without decoys gets the answer's `own` probability.
    """
    each = list(zip(answered.asked, answered.answers, decoys, strict=True))
    asked = [q.form.fill(name) for q, _, names in each for name in names]
    said = [answer.text for _, answer, names in each for _ in names]
    if not asked:
        return own
    ends = np.cumsum([len(names) for names in decoys])
    found = np.split(answer_probabilities(model.answerer, asked, said), ends[:-1])
    means = [float(p.mean()) if p.size else None for p in found]
    return np.array(
        [alone if mean is None else max(mean, TINY) for mean, alone in zip(means, own, strict=True)]
    )


def read_source_predictor(folder: RunFolder) -> SourcePredictor:
    """The run's own predictor, or the borrowed one that comes with the package."""
    if not folder.has(FILE):
        return borrowed_predictor()
    try:
        return _decode(folder.read_json(FILE), borrowed=False)
    except BadData as error:
        raise Damaged(f"{folder.path / FILE}: {error}; audit the run again") from error


def borrowed_predictor() -> SourcePredictor:
    """The predictor that comes with the package; docs/TRUST.md says which run it was fitted on."""
    text = (files("wherefrom.answering") / "borrowed_predictor.json").read_text("utf-8")
    return _decode(json.loads(text), borrowed=True)


def _decode(data: Any, borrowed: bool) -> SourcePredictor:
    """Decode a predictor; `borrowed` depends on where the file is, not on what it contains."""
    if not isinstance(data, Mapping):
        raise BadData("source: expected the curve of a source predictor, found something else")
    fields = {**cast(Mapping[str, Any], data), "borrowed": borrowed}
    return from_json(SourcePredictor, fields, "source")
