"""Every kind of config a recipe may hold, so that a written recipe can be read again."""

from typing import Any

from wherefrom.core.config import decode, encode
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.data.catalogue import DATASETS
from wherefrom.models.dan import DANVariant
from wherefrom.objectives.catalogue import OBJECTIVES
from wherefrom.runs.families import FAMILIES
from wherefrom.training.numpy_learner import SGDConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

KINDS: dict[str, type] = {
    **{kind: config for kind, (config, _) in DATASETS.items()},
    **{kind: config for kind, (config, _) in OBJECTIVES.items()},
    **{kind: family.config for kind, family in FAMILIES.items()},
    **{config.kind: config for config in (AdamWConfig, MuonConfig, SGDConfig, DANVariant)},
}

# Where and how safely a run computes, and its summary: none of them changes the result.
_INCIDENTAL = ("device", "threads", "checkpoint_seconds", "summary", "watch")


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
    if isinstance(data, dict) and data.get("kind") == Demonstrations.kind:
        return decode(Demonstrations, data, {Demonstrations.kind: Demonstrations})
    return decode(Recipe, data, KINDS)


def recipe_identity(recipe: Any) -> dict[str, Any]:
    """All of a recipe, or of a part of one, that changes what a run computes."""
    data = {"data": data_identity(recipe.data)} if isinstance(recipe, Recipe) else {}
    return _essential(encode(recipe)) | data


def data_identity(config: Any) -> dict[str, Any]:
    """A data set's settings, but for the paths of files."""
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
