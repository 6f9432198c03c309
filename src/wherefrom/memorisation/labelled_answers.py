"""Answers with the labels of retrained models, in one small file: all that their figures rest on.

    {"format_version": 1, "run": "people-0", "models": ["without-0-first", ...], ...}
    {"question": ..., "answer": ..., "split": ..., "features": {...}, "p": [...], "with": "0110..."}

The first line names the models. Each further line is one answer of the run's own model: its
features, and the probability that every retrained model gives to it ("with" says which of them had
the subject's text). Nothing else is needed to fit the source predictor again and to measure it.
"""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.answering.answer_table import FeatureTable
from wherefrom.answering.source import SourcePredictor, borrowed_predictor
from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.core.unpacking import unpack
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation, estimate
from wherefrom.memorisation.predictor import fit_source_predictor
from wherefrom.memorisation.source_measures import MeasuredSource, PredictedSources, measure_source

LABELS = "audit/labels.jsonl.gz"
FORMAT_VERSION = 1
_DIGITS = 5  # significant, of every number: far finer than the noise of retraining


@dataclass(frozen=True)
class LabelledAnswers:
    """Calibration and held-out answers of a run, and what its K retrained models make of them.

    `confidence` is NaN where the run has no calibration. `probability_read` is the probability
    that the model has read each name. `by_construction` says that the data set knows what its
    text states; then an answer that is right about somebody whose text states it is stated.
    """

    run: str
    by_construction: bool
    questions: tuple[str, ...]
    relations: tuple[str, ...]
    splits: tuple[str, ...]
    supports: tuple[str, ...]
    answers: tuple[str, ...]
    right: np.ndarray
    probability: np.ndarray
    confidence: np.ndarray
    probability_read: np.ndarray
    features: FeatureTable
    models: tuple[str, ...]
    p_KN: np.ndarray
    has_text_KN: np.ndarray

    @cached_property
    def memorisation(self) -> CounterfactualMemorisation:
        return estimate(self.p_KN, self.has_text_KN, self.in_corpus)

    @cached_property
    def in_corpus(self) -> np.ndarray:
        """Whether the corpus has text about each subject."""
        return np.array([support in WITH_TEXT for support in self.supports], dtype=bool)

    def select(self, split: str) -> np.ndarray:
        return np.array([each == split for each in self.splits], dtype=bool)

    def fit(self) -> SourcePredictor:
        """The run's own predictor, fitted on calibration people with text alone."""
        m = self.memorisation.m
        people = self.select("calibration") & self.in_corpus
        here = people & np.isfinite(m)
        if not here.any():
            raise BadData(
                "source: expected calibration people with text and a measured m, found none among "
                f"{people.sum()}; the audit uses the run's earlier predictor or the borrowed one"
            )
        relations = [r for r, kept in zip(self.relations, here, strict=True) if kept]
        return fit_source_predictor(self.features.rows(here), m[here], len(self.models), relations)

    def predict(self, predictor: SourcePredictor) -> np.ndarray:
        """The predicted probability that each answer was recalled."""
        sources = predictor.predict(self.features, self.probability_read, self.relations)
        return np.array([source.probability_recalled for source in sources])

    def measure(
        self,
        predictor: SourcePredictor,
        which: np.ndarray,
        supported: np.ndarray | None = None,
    ) -> MeasuredSource | None:
        """How well a predictor does on the answers of a mask, beside what the text supports."""
        states = np.array([s == "stated" for s in self.supports]) & self.right
        found = PredictedSources(
            memorisation=self.memorisation,
            has_text=self.in_corpus,
            predicted=self.predict(predictor),
            borrowed=self.predict(borrowed_predictor()),
            probability=self.probability,
            confidence=None if np.isnan(self.confidence).any() else self.confidence,
            states=states if self.by_construction else None,
            supported=supported,
        )
        return measure_source(found, which)


def pack_labelled(found: LabelledAnswers) -> bytes:
    head = {
        "format_version": FORMAT_VERSION,
        "run": found.run,
        "by_construction": found.by_construction,
        "models": list(found.models),
    }
    rows = (_encode(found, i) for i in range(len(found.questions)))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in (head, *rows))
    # Without a name and a time in it, equal content gives equal bytes.
    return gzip.compress(text.encode(), 9, mtime=0)


def read_labelled(path: Path) -> LabelledAnswers:
    """The file's content; Damaged names the file and what is wrong with it."""
    try:
        lines = unpack(path.read_bytes(), path, "audit the run again").decode().splitlines()
        head, *rows = (json.loads(line) for line in lines)
        if head["format_version"] != FORMAT_VERSION:
            raise ValueError(f"format_version {head['format_version']}")
        return _decode(head, rows)
    except OSError as error:
        raise MissingInput(f"{path}: expected labelled answers, found: {error.strerror}") from None
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise Damaged(
            f"{path}: expected labelled answers of format {FORMAT_VERSION}, found: {error!r}; "
            "audit the run again"
        ) from None


def _encode(found: LabelledAnswers, i: int) -> dict[str, Any]:
    return {
        "question": found.questions[i],
        "relation": found.relations[i],
        "split": found.splits[i],
        "support": found.supports[i],
        "answer": found.answers[i],
        "right": bool(found.right[i]),
        "probability": _short(found.probability[i]),
        "confidence": _short(found.confidence[i]),
        "read": _short(found.probability_read[i]),
        "features": {name: _short(value) for name, value in found.features.row(i).items()},
        "p": [_short(p) for p in found.p_KN[:, i]],
        "with": "".join("01"[int(has)] for has in found.has_text_KN[:, i]),
    }


def _decode(head: dict[str, Any], rows: Sequence[dict[str, Any]]) -> LabelledAnswers:
    models = tuple(map(str, head["models"]))
    if any(len(row["p"]) != len(models) or len(row["with"]) != len(models) for row in rows):
        raise ValueError(f"a row without {len(models)} probabilities")

    def texts(name: str) -> tuple[str, ...]:
        return tuple(str(row[name]) for row in rows)

    def numbers(name: str) -> np.ndarray:
        return np.array([_number(row[name]) for row in rows])

    names = list(rows[0]["features"])
    columns = {n: np.array([_number(row["features"][n]) for row in rows]) for n in names}
    return LabelledAnswers(
        run=str(head["run"]),
        by_construction=bool(head["by_construction"]),
        questions=texts("question"),
        relations=texts("relation"),
        splits=texts("split"),
        supports=texts("support"),
        answers=texts("answer"),
        right=np.array([bool(row["right"]) for row in rows]),
        probability=numbers("probability"),
        confidence=numbers("confidence"),
        probability_read=numbers("read"),
        features=FeatureTable(columns),
        models=models,
        p_KN=np.array([[_number(p) for p in row["p"]] for row in rows]).T,
        has_text_KN=np.array([[c == "1" for c in row["with"]] for row in rows], dtype=bool).T,
    )


def _short(value: float) -> float | None:
    return None if np.isnan(value) else float(f"{value:.{_DIGITS}g}")


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
