"""Recalled or guessed? A cheap prediction, from one model, of what retraining would show.

Memorisation is defined by retraining (`counterfactual.py`), which is expensive. The predictor is a
logistic curve over features of one model's answer. It is fitted on runs that have retrained models.
Other runs borrow the predictor of another run, and their replies say that it is borrowed.

Shapes: N answers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import numpy as np

from wherefrom.answering.abstention import EVEN_ODDS
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.closed_book import (
    EARLIER_FEATURES,
    FEATURES,
    TINY,
    Answered,
    ClosedBookModel,
)
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import read_json, write_json
from wherefrom.core.replies import GUESSED, RECALLED, Source
from wherefrom.generation.answers import answer_probabilities
from wherefrom.memorisation.counterfactual import RECALLED_ABOVE

_MORE = ("contrast", "agreement")
SOURCE_FEATURES = (*FEATURES, *_MORE)
_EARLIER = tuple((*features, *_MORE) for features in EARLIER_FEATURES)
FILE = "source.json"  # in a run's audit/


@dataclass(frozen=True)
class SourcePredictor:
    """A curve over SOURCE_FEATURES; earlier versions lack the wordings, or the entropy in them.

    It was fitted with the help of `models` retrained models.
    """

    curve: LogisticCalibration
    models: int
    borrowed: bool = False  # fitted on another run

    def __post_init__(self) -> None:
        if self.curve.features not in (SOURCE_FEATURES, *_EARLIER):
            raise BadData(
                f"source: expected the features {SOURCE_FEATURES}, found {self.curve.features}"
            )

    def predict(
        self, features: FeatureTable, probability_read: np.ndarray | float = 1.0
    ) -> list[Source]:
        """The source of each answer.

        The curve is multiplied by `probability_read`, the probability that the model has read
        each name. Nothing can be recalled about a name that was never read, and the curve may not
        know this: all people that it was fitted on may have text.
        """
        p_N = self.curve.probability(features) * probability_read
        return [
            Source(RECALLED if p > EVEN_ODDS else GUESSED, float(p), self.borrowed) for p in p_N
        ]


def source_features(
    model: ClosedBookModel, answered: Answered, decoys: Sequence[Sequence[str]]
) -> FeatureTable:
    """The features of confidence and two more.

    contrast: how much likelier the answer is for this name than for its decoys, in nats; 0 for a
    name without decoys.
    agreement: the best answer's share of the probability of all answers that the search found.
    """
    best = np.array([max(a.probability, TINY) for a in answered.answers])
    usual = _probability_for_decoys(model, answered, decoys, best)
    total = [a.probability + sum(o.probability for o in a.others) for a in answered.answers]
    more = {
        "contrast": np.log(best) - np.log(usual),
        "agreement": best / np.maximum(total, TINY),
    }
    return answered.features.join(FeatureTable(more))


def _probability_for_decoys(
    model: ClosedBookModel,
    answered: Answered,
    decoys: Sequence[Sequence[str]],
    own: np.ndarray,
) -> np.ndarray:
    """Each answer's mean probability over the decoys of its name, asked in the same form.

    A name without decoys gets the answer's `own` probability.
    """
    each = list(zip(answered.questions, answered.answers, decoys, strict=True))
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


def fit_source_predictor(
    features: FeatureTable, m_N: np.ndarray, models: int, least: float = RECALLED_ABOVE
) -> SourcePredictor:
    """Fit on calibration people whose m was measured; people whose m is NaN are left out."""
    known = np.isfinite(m_N)
    curve = LogisticCalibration.fit(features.rows(known), m_N[known] > least, SOURCE_FEATURES)
    return SourcePredictor(curve, models)


def write_source_predictor(folder: Path, predictor: SourcePredictor) -> None:
    write_json(folder / FILE, to_json(predictor))


def read_source_predictor(folder: Path) -> SourcePredictor:
    """The run's own predictor, or the borrowed one that comes with the package."""
    path = folder / FILE
    if not path.exists():
        return borrowed_predictor()
    try:
        return _decode(read_json(path), borrowed=False)
    except BadData as error:
        raise Damaged(f"{path}: {error}; audit the run again") from error


def borrowed_predictor() -> SourcePredictor:
    """The predictor that comes with the package; docs/TRUST.md says which run it was fitted on."""
    text = (files("wherefrom.memorisation") / "borrowed_predictor.json").read_text("utf-8")
    return _decode(json.loads(text), borrowed=True)


def _decode(data: Any, borrowed: bool) -> SourcePredictor:
    """Decode a predictor; `borrowed` depends on where the file is, not on what it contains."""
    if not isinstance(data, Mapping):
        raise BadData("source: expected the curve of a source predictor, found something else")
    fields = {**cast(Mapping[str, Any], data), "borrowed": borrowed}
    return from_json(SourcePredictor, fields, "source")
