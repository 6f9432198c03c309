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

from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.features import FEATURES, Asker
from wherefrom.core.contracts import Answer
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import read_json, write_json
from wherefrom.core.forms import match
from wherefrom.generation.answers import answer_probabilities
from wherefrom.memorisation.counterfactual import RECALLED_ABOVE

SOURCE_FEATURES = (*FEATURES, "contrast", "agreement")
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

    def predict(self, features_NF: np.ndarray, read_N: np.ndarray | float = 1.0) -> list[Source]:
        """`read_N` is the probability that the name was read at all: nothing about a name that
        was not can be recalled, and the people the curve was fitted on may all have text."""
        p_N = self.curve.probability(features_NF) * read_N
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
        models = data.get("models", 0)
        if not isinstance(models, int):
            raise BadData(f"expected a number of models, found {models!r}")
        return cls(curve, models, borrowed)


def source_features(
    asker: Asker,
    questions: Sequence[str],
    answers: Sequence[Answer],
    features_NK: np.ndarray,
    strangers: Sequence[Sequence[str]],
) -> np.ndarray:
    """The features of confidence and two more.

    contrast: how much likelier the answer is to this name than to its strangers, names like it
    that nobody bears, in nats; without any, no likelier.
    agreement: the best answer's share of what the search found.
    """
    best = np.array([max(a.probability, _TINY) for a in answers])
    contrast = np.log(best) - np.log(_usual(asker, questions, answers, strangers, best))
    total = [a.probability + sum(o.probability for o in a.others) for a in answers]
    agreement = best / np.maximum(total, _TINY)
    return np.column_stack((features_NK, contrast, agreement))


def _usual(
    asker: Asker,
    questions: Sequence[str],
    answers: Sequence[Answer],
    strangers: Sequence[Sequence[str]],
    alone: np.ndarray,
) -> np.ndarray:
    """Each answer's mean probability over its strangers, asked in the same form; its own
    (`alone`) where there are none."""
    forms = [found[0] for q in questions if (found := match(asker.forms, q))]
    asked = [f.fill(s) for f, names in zip(forms, strangers, strict=True) for s in names]
    said = [a.text for a, names in zip(answers, strangers, strict=True) for _ in names]
    if not asked:
        return alone
    ends = np.cumsum([len(names) for names in strangers])
    found = np.split(answer_probabilities(asker.answerer, asked, said), ends[:-1])
    return np.array([max(float(p.mean()), _TINY) if p.size else one
                     for p, one in zip(found, alone, strict=True)])  # fmt: skip


def learn_source(
    features_NF: np.ndarray, m_N: np.ndarray, models: int, recalled: float = RECALLED_ABOVE
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
    return borrowed_source()


def borrowed_source() -> SourcePredictor:
    """The one that comes with the package, learnt on another run: docs/TRUST.md says which."""
    text = (files("wherefrom.memorisation") / "borrowed_predictor.json").read_text("utf-8")
    return SourcePredictor.from_json(json.loads(text), borrowed=True)
