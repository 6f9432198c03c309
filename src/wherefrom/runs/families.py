"""What differs between families of models, in one place: a dict entry each.

A family knows its vocabulary, how a model of its config is built, which learner teaches it and
how it is put to a task. Everything else treats models alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from wherefrom.core.contracts import Dataset, Learner, Objective
from wherefrom.core.randomness import Stream, draws
from wherefrom.core.recipe import Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.core.words import WordVocabulary
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.models import bigram
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.bigrams import bigrams
from wherefrom.training.numpy_learner import NumpyLearner
from wherefrom.training.schedules import TokenCount, factor
from wherefrom.training.torch_learner import TorchLearner


@dataclass(frozen=True)
class Place:
    """A stage's place in its run: its number, the seed, and what a schedule may count."""

    number: int
    seed: int
    tokens: TokenCount


@dataclass(frozen=True)
class Family:
    config: type
    vocabulary: Callable[[Dataset], Any]
    read_vocabulary: Callable[[list[str]], Any]
    complete: Callable[[Any, Any], Any]  # (config, vocabulary): the config with its size
    build: Callable[[Any, Any, int, int, torch.device], Any]  # config, words, seed, stage, device
    learner: Callable[[Any, Objective, Stage, "Place"], Learner]
    weights: Callable[[Any], dict[str, Any]]  # name to the live tensor or array
    predictor: Callable[[Any, Any], Any]  # an Answerer or a Scorer
    held_out_text: Callable[[Dataset, Any], Any] | None = None  # what its Scorer is scored on


def _character_vocabulary(dataset: Dataset) -> Vocabulary:
    return Vocabulary.from_text([*(d.text for d in dataset.documents), dataset.alphabet])


def _build_gpt(
    config: GPTConfig, vocabulary: Vocabulary, seed: int, stage: int, device: torch.device
) -> GPT:
    word = draws(2, seed=seed, stream=Stream.INITIAL, stage=stage, step=0, row=np.zeros(1, int))
    torch.manual_seed((int(word[0][0]) << 31) ^ int(word[1][0]))
    return GPT(config).to(device)


def _torch_learner(model: GPT, objective: Objective, stage: Stage, place: Place) -> TorchLearner:
    return TorchLearner(
        model, objective, stage, number=place.number, seed=place.seed, tokens=place.tokens
    )


def _word_vocabulary(dataset: Dataset) -> WordVocabulary:
    return WordVocabulary.from_text(d.text for d in dataset.documents)


def _numpy_learner(
    model: bigram.Bigram, objective: Objective, stage: Stage, place: Place
) -> NumpyLearner:
    return NumpyLearner(
        model,
        objective,
        lambda step: factor(stage.schedule, step, stage.steps),
        stage.optimiser.rate,
        stage.clip,
    )


def _held_out_bigrams(dataset: Dataset, vocabulary: WordVocabulary) -> np.ndarray:
    return bigrams(dataset.documents[len(dataset.documents) - dataset.held_out :], vocabulary)


FAMILIES: dict[str, Family] = {
    GPTConfig.kind: Family(
        config=GPTConfig,
        vocabulary=_character_vocabulary,
        read_vocabulary=lambda characters: Vocabulary(tuple(characters)),
        complete=lambda config, vocabulary: replace(config, vocab_size=len(vocabulary)),
        build=_build_gpt,
        learner=_torch_learner,
        weights=lambda model: dict(model.state_dict()),
        predictor=ModelAnswerer,
    ),
    bigram.BigramConfig.kind: Family(
        config=bigram.BigramConfig,
        vocabulary=_word_vocabulary,
        read_vocabulary=lambda words: WordVocabulary(tuple(words)),
        complete=lambda config, vocabulary: config,
        build=lambda config, vocabulary, seed, stage, device: bigram.build(
            config, len(vocabulary), seed
        ),
        learner=_numpy_learner,
        weights=lambda model: model.parameters,
        predictor=lambda model, vocabulary: model,
        held_out_text=_held_out_bigrams,
    ),
}
