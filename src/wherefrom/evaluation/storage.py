"""How many bits a model has stored of text whose information is known: its knowledge capacity.

A span that was drawn evenly among M texts carries log2 M bits. A model that knows the language but
not this span loses all of them on it; one that has stored it loses none. The difference, summed
over everything that was drawn, is a lower bound of what the weights hold (Allen-Zhu and Li 2024,
"Physics of Language Models, part 3.3"; Morris et al. 2025 count random strings so). It may be
negative: a model that is sure of something wrong loses more than one that knows nothing.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.core.contracts import Document, StoredSpan
from wherefrom.core.errors import BadData
from wherefrom.core.measures import BITS_PER_PARAMETER
from wherefrom.core.vocabulary import Alphabet
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import bootstrap_mean
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.scoring import score

_NATS = math.log(2)  # of a bit


@dataclass(frozen=True)
class Stored:
    """Bits by the name of the part (a name, a relation), one number for each item.

    `saved` are those that the model does not lose, `storable` those that it could save: `bits` of
    a span but for what nothing can foretell, such as which of the people a text is about.
    """

    saved: dict[str, np.ndarray]
    storable: dict[str, np.ndarray]

    @property
    def total(self) -> np.ndarray:
        """The bits of each item, all its parts together."""
        return np.sum(list(self.saved.values()), axis=0)


def count_stored(log_probabilities: Sequence[np.ndarray], spans: Iterable[StoredSpan]) -> Stored:
    """What a model has stored, from its log-probabilities (nats) of all characters but the first.

    Items that are told several times count once, with the mean of what they cost.
    """
    sums: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for span in spans:
        here = log_probabilities[span.document][span.span.start - 1 : span.span.end - 1]
        saved = span.bits + float(np.sum(here, dtype=np.float64)) / _NATS
        found = (saved, span.bits - span.unforeseen)
        sums.setdefault(span.part, {}).setdefault(span.item, []).append(found)
    items = sorted({item for part in sums.values() for item in part})
    if not items:
        raise BadData("text: expected spans that were drawn by chance, found none")
    means = {
        part: np.array([np.mean(own.get(item, [(0.0, 0.0)]), axis=0) for item in items])
        for part, own in sums.items()
    }
    saved = {part: rows[:, 0] for part, rows in means.items()}
    return Stored(saved, {part: rows[:, 1] for part, rows in means.items()})


def read_documents(
    model: LanguageModel, vocabulary: Alphabet, documents: Iterable[Document]
) -> list[np.ndarray]:
    """Natural log-probability of every character of each document but its first."""
    return score(model, [vocabulary.encode(document.text) for document in documents])


def score_storage(stored: Stored, parameters: int, embeddings: int) -> Score:
    """Bits per parameter; the interval is over the items. `embeddings` are parameters too."""
    total = stored.total
    n, each = len(total), float(total.mean())
    low, high = bootstrap_mean(total) if n > 1 else (each, each)
    details: dict[str, Any] = {
        "parameters": parameters,
        "embeddings": embeddings,
        "stored": float(total.sum()),
        "storable": float(sum(part.sum() for part in stored.storable.values())),
        "parts": {
            name: {"stored": float(saved.sum()), "storable": float(stored.storable[name].sum())}
            for name, saved in stored.saved.items()
        },
    }
    a_parameter = n / parameters
    ends = (low * a_parameter, high * a_parameter)
    return Score(BITS_PER_PARAMETER, each * a_parameter, ends, n, details)
