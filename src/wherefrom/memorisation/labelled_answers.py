"""Answers with the labels of retrained models, in one small file: all that their figures rest on.

    {"format_version": 1, "run": "people-0", "models": ["without-0-first", ...], ...}
    {"question": ..., "answer": ..., "split": ..., "features": {...}, "p": [...], "with": "0110..."}

The first line names the models. Each further line is one answer of the run's own model: its
features, and the probability that every retrained model gives to it ("with" says which of them had
the subject's text). Nothing else is needed to fit the source predictor again and to measure it.
"""

import gzip
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from wherefrom.answering.source import SourcePredictor
from wherefrom.core.answer_table import AnswerTable, decode_answers, encode_answers
from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.core.replies import SUPPORTED
from wherefrom.core.unpacking import unpack
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation, estimate
from wherefrom.memorisation.predictor import fit_source_predictor
from wherefrom.memorisation.source_measures import MeasuredSource, PredictedSources, measure_source

LABELS = "audit/labels.jsonl.gz"
FORMAT_VERSION = 1
_DIGITS = 5  # significant, of every number: far finer than the noise of retraining
_FIELDS = (
    "question", "relation", "split", "support", "answer", "right", "probability", "confidence",
    "features", "p", "with",
)  # fmt: skip


@dataclass(frozen=True)
class LabelledAnswers:
    """Calibration and held-out answers of a run, and what its K retrained models make of them.

    The table has three more columns: `confidence`, NaN where the run has no calibration; `p` and
    `with` of every retrained model.
    """

    run: str
    models: tuple[str, ...]
    table: AnswerTable

    @property
    def p_KN(self) -> np.ndarray:
        return self.table.columns["p"].T

    @property
    def has_text_KN(self) -> np.ndarray:
        return self.table.columns["with"].T

    @cached_property
    def memorisation(self) -> CounterfactualMemorisation:
        return estimate(self.p_KN, self.has_text_KN, self.in_corpus)

    @cached_property
    def in_corpus(self) -> np.ndarray:
        """Whether the corpus has text about each subject."""
        return np.array([q.support in WITH_TEXT for q in self.table.known], dtype=bool)

    def select(self, split: str) -> np.ndarray:
        return np.array([q.split == split for q in self.table.known], dtype=bool)

    def fit(self) -> SourcePredictor:
        """The run's own predictor, fitted on calibration people with text alone."""
        m = self.memorisation.m
        people = self.select("calibration") & self.in_corpus
        here = people & np.isfinite(m)
        if not here.any():
            raise BadData(
                "source: expected calibration people with text and a measured m, found none among "
                f"{people.sum()}, so it is left out"
            )
        rows = self.table.rows(here)
        return fit_source_predictor(rows.features, m[here], len(self.models), rows.relations)

    def predict(self, predictor: SourcePredictor) -> np.ndarray:
        """The predicted probability that each answer was recalled."""
        sources = predictor.predict(self.table.features, self.table.relations)
        return np.array([source.probability_recalled for source in sources])

    def measure(self, predictor: SourcePredictor, which: np.ndarray) -> MeasuredSource | None:
        """How well a predictor does on the answers of a mask, beside what the text supports."""
        confidence = self.table.columns["confidence"]
        found = PredictedSources(
            memorisation=self.memorisation,
            has_text=self.in_corpus,
            predicted=self.predict(predictor),
            probability=np.array([answer.probability for answer in self.table.answers]),
            confidence=None if np.isnan(confidence).any() else confidence,
            supported=self.table.features[SUPPORTED] > 0,
        )
        return measure_source(found, which)


def pack_labelled(found: LabelledAnswers) -> bytes:
    head = {
        "format_version": FORMAT_VERSION,
        "run": found.run,
        "models": list(found.models),
    }
    rows = (head, *encode_answers(found.table, _FIELDS, _DIGITS))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    # Without a name and a time in it, equal content gives equal bytes.
    return gzip.compress(text.encode(), 9, mtime=0)


def read_labelled(path: Path) -> LabelledAnswers:
    """The file's content; Damaged names the file and what is wrong with it."""
    try:
        lines = unpack(path.read_bytes(), path, "audit the run again").decode().splitlines()
        head, *rows = (json.loads(line) for line in lines)
        if head["format_version"] != FORMAT_VERSION:
            raise ValueError(f"format_version {head['format_version']}")
        models, table = tuple(map(str, head["models"])), decode_answers(rows, _FIELDS)
        found = LabelledAnswers(str(head["run"]), models, table)
        if not found.p_KN.shape == found.has_text_KN.shape == (len(models), len(rows)):
            raise ValueError(f"a row without {len(models)} probabilities")
        return found
    except OSError as error:
        raise MissingInput(f"{path}: expected labelled answers, found: {error.strerror}") from None
    except (BadData, KeyError, TypeError, ValueError) as error:
        raise Damaged(
            f"{path}: expected labelled answers of format {FORMAT_VERSION}, found: {error!r}; "
            "audit the run again"
        ) from None
