"""Models for a page: what the engine needs to build each one, and its weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from wherefrom.core.config import encode
from wherefrom.core.errors import BadData
from wherefrom.models.dan import DAN, DANConfig
from wherefrom.models.gpt import GPT
from wherefrom.models.gru import GRU
from wherefrom.runs.opened_run import Run, count_parameters
from wherefrom.show.page.packed_weights import (
    AUTO,
    PRECISIONS,
    PackedWeights,
    pack_weights,
)

COMFORTABLE = 9_500_000  # characters that a page of 10 MB has for weights and data
LARGEST = 30_000_000  # characters of base64 that a page is willing to hold


@dataclass(frozen=True)
class PackedModel:
    """A model's manifest, which JSON can hold, and its weights."""

    name: str
    precision: str
    manifest: Mapping[str, Any]
    weights: PackedWeights


def pack_models(run: Run, precision: str = AUTO, beside: int = 0) -> list[PackedModel]:
    """The run's models, the primary one first; the page has `beside` characters of other data.

    'auto' takes the most exact of these with which the page stays small: 16-bit floats for all
    models; 12-bit integers, for the primary model at least; 8-bit integers for all.
    """
    names = [run.recipe.primary, *(m.name for m in run.recipe.models)]
    if isinstance(run.recipe.model, DANConfig):
        names = names[:1]  # a study has a dozen others, each as large
    models = {name: run.model(name) for name in dict.fromkeys(names)}
    packed: list[PackedModel] = []
    for choice in _choose_precisions(precision, len(models) - 1):
        packed = [
            pack_model(name, model, each, run.recipe.model)
            for (name, model), each in zip(models.items(), choice, strict=True)
        ]
        if _size(packed) + beside <= COMFORTABLE:
            break
    _require_small(run, packed, precision)
    return packed


def _choose_precisions(precision: str, others: int) -> list[list[str]]:
    """What to try in turn: a precision for the primary model, and one for each of the others."""
    if precision != AUTO:
        return [[precision] * (1 + others)]
    pairs = (("fp16", "fp16"), ("int12", "int12"), ("int12", "int8"), ("int8", "int8"))
    return [[primary, *[other] * others] for primary, other in pairs]


def _require_small(run: Run, packed: Sequence[PackedModel], precision: str) -> None:
    if _size(packed) > LARGEST:
        parameters = sum(each.manifest["parameters"] for each in packed)
        fits = parameters * LARGEST // _size(packed) // 100_000 / 10
        raise BadData(
            f"{run.path}: expected models of at most about {fits:g} million parameters together "
            f"with precision '{packed[0].precision}', found {parameters / 1e6:.1f} million; "
            + (
                "the report is made without them"
                if precision in (AUTO, PRECISIONS[-1])
                else "use --precision int8"
            )
        )


def pack_model(name: str, model: Any, precision: str, config: Any = None) -> PackedModel:
    """One model with a precision; the same weights always give the same bytes.

    `config` is needed for a model in numpy, which does not know its own.
    """
    manifest, arrays = _describe(model, config)
    packed = pack_weights(arrays, precision)
    manifest |= {"tensors": packed.entries, "parameters": count_parameters(model)}
    return PackedModel(name, precision, manifest, packed)


def _size(packed: Sequence[PackedModel]) -> int:
    return sum(-(-len(each.weights.data) // 3) * 4 for each in packed)


def _describe(model: Any, config: Any) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if isinstance(model, GPT):
        return _describe_gpt(model)
    if isinstance(model, GRU | DAN):
        return {"config": encode(model.config)}, _state(model)
    # A bigram network, in numpy.
    arrays = {**model.parameters, **(model.frozen if config.width else {})}  # else one-hot
    return {"config": encode(config)}, arrays


def _describe_gpt(model: GPT) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if model.config.attention not in ("causal", "rope", "synthesizer", "perceiver"):
        raise BadData(
            f"page: expected an attention that the page can compute, found "
            f"'{model.config.attention}'"
        )
    manifest: dict[str, Any] = {"config": encode(model.config), "max_input": model.max_input}
    if model.config.attention == "rope":
        # As models/attention/rope.py rounds them: other rates would drift apart with position.
        half = model.config.n_embd // model.config.n_head // 2
        manifest["rates"] = (model.config.rope_base ** (-torch.arange(half) / half)).tolist()
    return manifest, _state(model)


def _state(model: torch.nn.Module) -> dict[str, np.ndarray]:
    """The weights, without the masks of attention: triangles of ones."""
    return {
        name: value.detach().cpu().numpy()
        for name, value in model.state_dict().items()
        if not name.endswith(".mask")
    }
