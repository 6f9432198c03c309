"""Recalled or guessed? A cheap prediction, from one model, of what training without the text shows.

The definition is causal (`audit/influence.py`) and costs many trainings. The predictor is a
logistic curve over what one model shows of its answer: fitted where the trainings were made, and
used, said to be borrowed, where they were not.

Shapes: N answers, S strangers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.audit.asking import FEATURES, Asker
from wherefrom.audit.confidence import LogisticCalibration
from wherefrom.audit.influence import RECALLED, probabilities
from wherefrom.core.contracts import Answer
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import read_json, write_json
from wherefrom.core.forms import match

SOURCE_FEATURES = (*FEATURES, "contrast", "agreement")
STRANGERS = 24  # nonexistent names that an answer is tried on
FILE = "source.json"
_TINY = 1e-12


@dataclass(frozen=True)
class Source:
    """recalled or guessed, and the probability that it was recalled; `borrowed`: as learnt on
    another run."""

    label: str
    probability: float
    borrowed: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "label": self.label, "probability_recalled": self.probability,
            "borrowed": self.borrowed,
        }  # fmt: skip


@dataclass(frozen=True)
class SourcePredictor:
    """`models` retrained ones were behind the fit; `borrowed`: of another run."""

    curve: LogisticCalibration
    models: int
    borrowed: bool = False

    def predict(self, features_NF: np.ndarray) -> list[Source]:
        p_N = self.curve.probability(features_NF)
        return [Source("recalled" if p > 0.5 else "guessed", float(p), self.borrowed) for p in p_N]

    def as_json(self) -> dict[str, Any]:
        return {"curve": self.curve.as_json(), "models": self.models}

    @classmethod
    def from_json(cls, data: Any, borrowed: bool = False) -> "SourcePredictor":
        if not isinstance(data, Mapping) or not isinstance(data.get("curve"), Mapping):
            raise BadData("expected the curve of a source predictor, found something else")
        curve = LogisticCalibration.from_json(data["curve"])
        if curve.features != SOURCE_FEATURES:
            raise BadData(f"expected the features {SOURCE_FEATURES}, found {curve.features}")
        return cls(curve, int(data.get("models", 0)), borrowed)


def source_features(
    asker: Asker,
    questions: Sequence[str],
    answers: Sequence[Answer],
    features_NK: np.ndarray,
    strangers: Sequence[str],
) -> np.ndarray:
    """The features of confidence and two more.

    contrast: how much likelier the answer is to this name than to names nobody bears, in nats;
    without such names, no likelier.
    agreement: the best answer's share of what the search found.
    """
    best = np.array([max(a.probability, _TINY) for a in answers])
    contrast = (
        np.log(best) - _usual(asker, questions, answers, strangers) if strangers else 0 * best
    )
    total = [a.probability + sum(o.probability for o in a.others) for a in answers]
    agreement = best / np.maximum(total, _TINY)
    return np.column_stack((features_NK, contrast, agreement))


def _usual(
    asker: Asker, questions: Sequence[str], answers: Sequence[Answer], strangers: Sequence[str]
) -> np.ndarray:
    """The log of each answer's mean probability over the strangers, asked in the same form."""
    forms = [found[0] for q in questions if (found := match(asker.forms, q))]
    pairs = list(dict.fromkeys(zip(forms, (a.text for a in answers), strict=True)))
    asked = [form.fill(name) for form, _ in pairs for name in strangers]
    said = [text for _, text in pairs for _ in strangers]
    p_S = probabilities(asker.answerer, asked, said).reshape(len(pairs), len(strangers))
    usual = dict(zip(pairs, np.maximum(p_S.mean(1), _TINY), strict=True))
    return np.log([usual[form, a.text] for form, a in zip(forms, answers, strict=True)])


def learn_source(
    features_NF: np.ndarray, m_N: np.ndarray, models: int, recalled: float = RECALLED
) -> SourcePredictor:
    """Fit on calibration people whose m was measured; those without a number are left out."""
    known = np.isfinite(m_N)
    curve = LogisticCalibration.fit(features_NF[known], m_N[known] > recalled, SOURCE_FEATURES)
    return SourcePredictor(curve, models)


def write_source(folder: Path, predictor: SourcePredictor) -> None:
    write_json(folder / FILE, predictor.as_json())


def read_source(folder: Path) -> SourcePredictor:
    """The run's own predictor, or the borrowed one that comes with the package."""
    path = folder / FILE
    if path.exists():
        try:
            return SourcePredictor.from_json(read_json(path))
        except BadData as error:
            raise Damaged(f"{path}: {error}; audit the run again") from error
    return SourcePredictor.from_json(
        json.loads((files("wherefrom.audit") / "borrowed_source.json").read_text("utf-8")), True
    )
