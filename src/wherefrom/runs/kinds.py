"""Every kind of config a recipe may hold, so that a written recipe can be read again."""

from collections.abc import Collection
from typing import Any

from wherefrom.core.config import decode, encode
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.data.data_catalogue import DATASETS
from wherefrom.data.edited import EditedConfig
from wherefrom.models.dan import DANVariant
from wherefrom.objectives.objective_catalogue import OBJECTIVES
from wherefrom.runs.families import FAMILIES
from wherefrom.training.numpy_learner import SGDConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

KINDS: dict[str, type] = {
    **{kind: config for kind, (config, _) in DATASETS.items()},
    **{kind: config for kind, (config, _) in OBJECTIVES.items()},
    **{kind: family.config for kind, family in FAMILIES.items()},
    **{config.kind: config for config in (AdamWConfig, MuonConfig, SGDConfig, DANVariant)},
}

# What may stand where: a kind of any other sort is refused before anything is built from it.
_OPTIMISERS = frozenset((AdamWConfig.kind, MuonConfig.kind, SGDConfig.kind))
_CHARACTERS = frozenset(("next-character", "span-corruption", "answers", "windows"))
_TAUGHT_BY = {"gpt": _CHARACTERS, "gru": _CHARACTERS, "bigram": {"bigrams"}, "dan": {"bags"}}
_READ_BY = {
    kind: ({"reviews"} if kind == "dan" else {*DATASETS} - {"reviews"}) for kind in FAMILIES
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
        _require_kind("data.base", recipe.data.base, _READ_BY[kind] - {EditedConfig.kind})
    for stage in recipe.stages:
        where = f"stages.{stage.name}"
        _require_kind(f"{where}.optimiser", stage.optimiser, _OPTIMISERS)
        for share in stage.mix:
            place = f"{where}.mix.{share.name}.objective"
            _require_kind(place, share.objective, _TAUGHT_BY[kind], f" for a '{kind}'")
        if stage.variant is not None:
            known = {DANVariant.kind} if kind == "dan" else frozenset[str]()
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
