"""What differs between families of models, in one place, and every kind of config of a recipe.

A family knows its vocabulary, how a model of its config is built, which learner teaches it and
what makes a predictor of it. Everything else treats models alike. A written recipe can be read
again since every kind that it may hold is known here.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from wherefrom.core.bags import BagVocabulary
from wherefrom.core.characters import CharacterText
from wherefrom.core.config import decode, encode
from wherefrom.core.contracts import Dataset, Learner, Objective
from wherefrom.core.errors import UsageError
from wherefrom.core.randomness import Stream, draws
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe, Stage
from wherefrom.core.vocabulary import Alphabet, Vocabulary, read_characters
from wherefrom.core.words import WordText, WordVocabulary
from wherefrom.data.data_catalogue import DATASETS
from wherefrom.data.edited import EditedConfig
from wherefrom.data.reviews import Reviews
from wherefrom.data.word_forms import reopen_vocabulary
from wherefrom.evaluation.evaluator import ScoredText
from wherefrom.evaluation.text.charges import unsaid
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.generation.text_scorer import TextScorer
from wherefrom.models import bigram
from wherefrom.models.dan import DAN, Classifier, DANConfig, DANVariant
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.gru import GRU, GRUConfig
from wherefrom.objectives.objective_catalogue import OBJECTIVES
from wherefrom.training.numpy_learner import SGD, Descender, NumpyAdamW, NumpyLearner, SGDConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig, factor
from wherefrom.training.torch_learner import TorchLearner


def _fit_vocabulary(config: Any, vocabulary: Any) -> Any:
    return replace(config, vocab_size=len(vocabulary))


def _build_torch(
    config: GPTConfig | GRUConfig | DANConfig,
    vocabulary: Any,
    seed: int,
    stage: int,
    device: torch.device,
) -> torch.nn.Module:
    word = draws(2, seed=seed, stream=Stream.INITIAL, stage=stage, step=0, row=np.zeros(1, int))
    torch.manual_seed((int(word[0][0]) << 31) ^ int(word[1][0]))
    if isinstance(config, DANConfig):
        return DAN(config, vocabulary.vectors).to(device)
    model = GRU(config) if isinstance(config, GRUConfig) else GPT(config)
    return model.to(device)


@dataclass(frozen=True)
class Family:
    """`learner` is given model, objective and stage; and by name the stage's number, the seed, the
    tokens that a schedule may count, and the ranks that train together, if there are several."""

    config: type
    vocabulary: Callable[[Dataset], Any]
    read_vocabulary: Callable[[list[str]], Any]
    predictor: Callable[[Any, Any], Any]  # an Answerer or a Scorer
    complete: Callable[[Any, Any], Any] = _fit_vocabulary  # the config with its size
    # Config, words, seed, number of the stage, device.
    build: Callable[[Any, Any, int, int, torch.device], Any] = _build_torch
    learner: Callable[..., Learner] = TorchLearner
    # Name to the live tensor or array.
    weights: Callable[[Any], dict[str, Any]] = lambda model: dict(model.state_dict())
    held_out_text: Callable[[Dataset, Any], Any] | None = None  # what its Scorer is scored on
    shareable: bool = True  # several ranks can take its steps together


def _character_vocabulary(dataset: Dataset) -> Alphabet:
    if isinstance(dataset, CharacterText):
        return dataset.vocabulary
    texts = (document.text for document in dataset.documents)
    return Vocabulary.from_text(chain(texts, [dataset.alphabet]), usual_marks=False)


def _held_out_characters(dataset: Dataset, vocabulary: Alphabet) -> ScoredText:
    """The held-out end of the text, whose first character nothing comes before."""
    text = "".join(document.text for document in dataset.held_out_documents)
    details = dict(dataset.details) if isinstance(dataset, CharacterText) else {}
    return ScoredText(text, {"characters": len(text)} | details)


def _review_vocabulary(dataset: Dataset) -> BagVocabulary:
    assert isinstance(dataset, Reviews), f"{type(dataset).__name__} has no reviews"
    return dataset.vocabulary


def _bags_learner(model: DAN, objective: Objective, stage: Stage, **place: Any) -> TorchLearner:
    if stage.buckets > 1 or len(stage.mix) > 1:
        raise UsageError(
            f"stages.{stage.name}: expected one objective and one bucket for bags of words, found "
            f"{len(stage.mix)} and {stage.buckets}"
        )
    return TorchLearner(model, objective, stage, **place)


def _word_vocabulary(dataset: Dataset) -> WordVocabulary:
    given = dataset.vocabulary if isinstance(dataset, WordText) else None
    return given or WordVocabulary.from_text(d.text for d in dataset.documents)


def _numpy_learner(
    model: bigram.Bigram, objective: Objective, stage: Stage, **_: Any
) -> NumpyLearner:
    def rate(step: int) -> float:
        return factor(stage.schedule, step, stage.steps)

    return NumpyLearner(model, objective, rate, _descender(model, stage), stage.clip)


def _descender(model: bigram.Bigram, stage: Stage) -> Descender:
    config = stage.optimiser
    if isinstance(config, SGDConfig):
        return SGD(config)
    if isinstance(config, AdamWConfig):
        return NumpyAdamW(config, model.parameters)
    raise UsageError(
        f"stages.{stage.name}.optimiser: expected sgd or adamw for a model in numpy, found "
        f"'{config.kind}'"
    )


def _held_out_bigrams(dataset: Dataset, vocabulary: WordVocabulary) -> ScoredText:
    """Every bigram of the held-out sentences, and what they leave unsaid of the text itself."""
    held_out = dataset.held_out_documents
    pairs = vocabulary.bigrams(document.text for document in held_out)
    forms = [document.text.split() for document in held_out]
    given = isinstance(dataset, WordText)
    details = {"bigrams": len(pairs)} | (dataset.details if given else {})
    if vocabulary.unknown is not None:
        details["unknown_share"] = float((pairs[:, 1] == vocabulary.unknown).mean())
    original = dataset.original if given else forms
    details["original_characters"] = sum(len(" ".join(words)) + 1 for words in original)
    details["unsaid_nats"] = sum(
        unsaid(word, form, vocabulary.forms)
        for sentence, shown in zip(original, forms, strict=True)
        for word, form in zip(sentence, shown, strict=True)
    )
    return ScoredText(pairs, details)


FAMILIES: dict[str, Family] = {
    "gpt": Family(
        config=GPTConfig,
        vocabulary=_character_vocabulary,
        read_vocabulary=read_characters,
        predictor=ModelAnswerer,
        held_out_text=_held_out_characters,
    ),
    "gru": Family(
        config=GRUConfig,
        vocabulary=_character_vocabulary,
        read_vocabulary=read_characters,
        predictor=TextScorer,
        held_out_text=_held_out_characters,
    ),
    "dan": Family(
        config=DANConfig,
        vocabulary=_review_vocabulary,
        read_vocabulary=lambda words: BagVocabulary(tuple(words)),
        learner=_bags_learner,
        predictor=Classifier,
    ),
    "bigram": Family(
        config=bigram.BigramConfig,
        vocabulary=_word_vocabulary,
        read_vocabulary=reopen_vocabulary,
        complete=lambda config, vocabulary: config,
        build=lambda config, vocabulary, seed, stage, device: bigram.build(
            config, len(vocabulary), seed, stage, vocabulary.vectors
        ),
        learner=_numpy_learner,
        weights=lambda model: model.parameters | model.frozen,
        predictor=lambda model, vocabulary: model,
        held_out_text=_held_out_bigrams,
        shareable=False,
    ),
}


KINDS: dict[str, type] = {
    **{kind: config for kind, (config, _) in DATASETS.items()},
    **{kind: config for kind, (config, _) in OBJECTIVES.items()},
    **{kind: family.config for kind, family in FAMILIES.items()},
    **{"adamw": AdamWConfig, "muon": MuonConfig, "sgd": SGDConfig, "dan-variant": DANVariant},
}

# What may stand where: a kind of any other sort is refused before anything is built from it.
_OPTIMISERS = frozenset(("adamw", "muon", "sgd"))
_CHARACTERS = frozenset(("next-character", "span-corruption", "answers", "windows"))
_TAUGHT_BY = {"gpt": _CHARACTERS, "gru": _CHARACTERS, "bigram": {"bigrams"}, "dan": {"bags"}}
_READ_BY = {
    kind: ({"reviews"} if kind == "dan" else {*DATASETS} - {"reviews"}) for kind in FAMILIES
}

# Where and how safely a run computes, and its summary, which do not change the result; and the
# rates that a clock gave, which come with the steps.
_INCIDENTAL = ("device", "threads", "checkpoint_seconds", "summary", "watch", "rates")


# Paths of files: their content is compared instead, by the data's hash.
_PATHS = (
    "folder",
    "corpus",
    "questions",
    "held_out",
    "calibration",
    "train",
    "dev",
    "test",
    "vocabulary",
    "embeddings",
)


def decode_recipe(data: Any) -> Experiment:
    """A recipe of either form: demonstrations name their kind at the top, other recipes do not."""
    if isinstance(data, dict) and data.get("kind") == "demonstrations":
        return decode(Demonstrations, data, KINDS)
    recipe = decode(Recipe, data, KINDS)
    check_kinds(recipe)
    return recipe


def check_kinds(recipe: Recipe) -> None:
    """Refuse a part of a kind that cannot stand where it stands, such as a model for an objective.

    A table in a file may name any kind, and each checks only its own fields.
    """
    _require_kind("model", recipe.model, FAMILIES)
    kind = recipe.model.kind
    _require_kind("data", recipe.data, _READ_BY[kind], f" for a model of kind '{kind}'")
    if isinstance(recipe.data, EditedConfig):
        _require_kind("data.base", recipe.data.base, _READ_BY[kind] - {"edited"})
    for stage in recipe.stages:
        where = f"stages.{stage.name}"
        _require_kind(f"{where}.optimiser", stage.optimiser, _OPTIMISERS)
        for share in stage.mix:
            place = f"{where}.mix.{share.name}.objective"
            _require_kind(place, share.objective, _TAUGHT_BY[kind], f" for a '{kind}'")
        if stage.variant is not None:
            known = {"dan-variant"} if kind == "dan" else frozenset[str]()
            _require_kind(f"{where}.variant", stage.variant, known, f" for a '{kind}'")


def _require_kind(where: str, config: Any, known: Collection[str], why: str = "") -> None:
    found = getattr(config, "kind", None)
    if found not in known:
        wanted = f"one of the kinds {', '.join(sorted(known))}{why}" if known else f"none{why}"
        raise UsageError(f"{where}: expected {wanted}, found {found or type(config).__name__!r}")


def recipe_identity(recipe: Any) -> dict[str, Any]:
    """All of a recipe, or of a part of one, that changes what a run computes."""
    data = {"data": data_identity(recipe.data)} if isinstance(recipe, Recipe) else {}
    return _essential(encode(recipe)) | data


def data_identity(config: Any) -> dict[str, Any]:
    """A data set's settings, without the paths of files."""
    return _without_paths(encode(config))


def _without_paths(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    kept = {k: v for k, v in data.items() if not (k in _PATHS and isinstance(v, str))}
    return {k: _without_paths(v) for k, v in kept.items()}


def _essential(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {k: _essential(v) for k, v in data.items() if k not in _INCIDENTAL}
