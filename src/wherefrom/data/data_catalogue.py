"""The data sets by kind: one file each, one entry here."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import structs

from wherefrom.core.contracts import Dataset
from wherefrom.core.memory import allocating
from wherefrom.core.sample_size import PRECISION
from wherefrom.data import birthplaces, edited, facts, people, reviews, tiny_text, treebank
from wherefrom.data import character_text as characters
from wherefrom.data.collection_results import DatasetFiles
from wherefrom.data.fetching import registry

DATASETS: dict[str, tuple[type, Callable[[Any, int], Dataset]]] = {
    "people": (people.PeopleConfig, people.load),
    "tiny-text": (tiny_text.TinyTextConfig, tiny_text.load),
    "birthplaces": (birthplaces.BirthplacesConfig, birthplaces.load),
    "facts": (facts.FactsConfig, facts.load),
    "treebank": (treebank.TreebankConfig, treebank.load),
    "characters": (characters.CharactersConfig, characters.load),
    "reviews": (reviews.ReviewsConfig, reviews.load),
    "edited": (
        edited.EditedConfig,
        lambda config, seed: edited.edit(config, load_dataset(config.base, config.world)),
    ),
}

# Of the data sets that are not generated: how a folder of one is inspected before it is
# registered, and how a user's own files are counted before they are trained on, for a model that
# reads rows of some length.
FOLDERS: dict[str, Callable[[str], DatasetFiles]] = {
    birthplaces.NAME: birthplaces.inspect,
}
SURVEYS: dict[str, Callable[[Any, int, float], list[str]]] = {
    "facts": lambda *asked: facts.survey(*asked).lines(),
    "treebank": lambda config, *_: treebank.survey(config),
    "characters": lambda config, *_: characters.survey(config),
    "reviews": lambda config, *_: reviews.survey(config),
}


def load_dataset(config: Any, seed: int) -> Dataset:
    _, load = DATASETS[config.kind]
    registry.require_unchanged(_paths(config))
    with allocating("data", "use a smaller text, or fewer people"):
        return load(config, seed)


def survey_dataset(config: Any, max_input: int = 0, precision: float = PRECISION) -> list[str]:
    """What is in the files of a data set, line by line; they are compared as for training.

    A data set without files has no lines. `precision` is the one that a threshold will be set for.
    """
    survey = SURVEYS.get(config.kind)
    registry.require_unchanged(_paths(config))
    return survey(config, max_input, precision) if survey else []


def _paths(config: Any) -> list[Path]:
    """The files and folders that a config names: any of its texts may be a path."""
    return [
        Path(value) for value in structs.asdict(config).values() if isinstance(value, str) and value
    ]
