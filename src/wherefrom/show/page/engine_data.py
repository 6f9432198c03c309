"""What a page needs to compute with a run's models: data as JSON, and weights as base64."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Alphabet
from wherefrom.core.words import WordVocabulary
from wherefrom.models.bigram import BigramConfig
from wherefrom.models.dan import DANConfig
from wherefrom.models.gpt import GPTConfig
from wherefrom.models.gru import GRUConfig
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.packed_models import pack_models
from wherefrom.show.page.packed_weights import AUTO, PRECISIONS
from wherefrom.show.page.question_box import describe_asking

FORMAT_VERSION = 3
_ROUNDED = 0.0003  # how far fewer bits of the weights move the probability of a known name
ANSWERS, CHARACTERS, WORDS, REVIEWS = "answers", "characters", "words", "reviews"


@dataclass(frozen=True)
class EngineData:
    """`data` for the engine's `open`, and the weights of every model by its name.

    `why_not` says in one line why there is nothing, if so.
    """

    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    weights: Mapping[str, str] = field(default_factory=dict[str, str])
    why_not: str = ""

    @property
    def in_words(self) -> str:
        each = self.data.get("models", ())
        return ", ".join(f"{m['name'].replace('_', ' ')} as {m['precision']}" for m in each)


def embed_engine(run: Run, precision: str = AUTO, inspector: Inspector | None = None) -> EngineData:
    """Everything that the engine needs of a run, the same for the same run; or why it lacks it."""
    try:
        return _embed(run, precision, inspector)
    except BadData as error:
        return EngineData(why_not=f"The model is not in this page: {error}")


def _embed(run: Run, precision: str, inspector: Inspector | None) -> EngineData:
    kind = find_kind(run)
    data: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "recipe": run.recipe.name,
        "seed": run.recipe.seed,
        "kind": kind,
    }
    if kind == ANSWERS:
        data |= describe_asking(inspector or open_inspector(run))
    elif kind == CHARACTERS:
        data |= describe_characters(run.vocabulary)
    elif kind == WORDS:
        data |= describe_words(run.vocabulary)
    else:
        data["vocabulary"] = list(run.vocabulary.words)
    packed = pack_models(run, precision, beside=len(json.dumps(data)))
    if packed[0].precision != PRECISIONS[0] and (gate := (data.get("policy") or {}).get("names")):
        # The gate opens exactly at the score of a calibration person, which fewer bits may lower.
        gate["least"] -= _ROUNDED
    data["models"] = [
        {"name": each.name, "precision": each.precision, "manifest": each.manifest}
        for each in packed
    ]
    return EngineData(data, {each.name: each.weights.base64 for each in packed})


def find_kind(run: Run) -> str:
    """What can be asked of the run's models in a page; known from the recipe and the data."""
    config = run.recipe.model
    if isinstance(config, GPTConfig):
        return ANSWERS if run.dataset.questions else CHARACTERS
    kinds = {GRUConfig: CHARACTERS, BigramConfig: WORDS, DANConfig: REVIEWS}
    if type(config) not in kinds:
        raise BadData(
            f"{run.path}: expected a run whose models a page can compute, found one of "
            f"'{config.kind}'"
        )
    return kinds[type(config)]


def describe_characters(vocabulary: Alphabet) -> dict[str, Any]:
    """`marks` are characters that mean something to the model, `known` counts the others."""
    marks, characters = list(vocabulary.marks), list(vocabulary.characters)
    return {"vocabulary": characters, "marks": marks, "known": len(characters) - len(marks)}


def describe_words(vocabulary: WordVocabulary) -> dict[str, Any]:
    forms = None if vocabulary.forms is None else to_json(vocabulary.forms)
    return {"vocabulary": list(vocabulary.words), "forms": forms}
