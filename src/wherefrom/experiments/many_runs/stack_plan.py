"""How many models of a recipe are trained together: those of one shape that fit into memory."""

from typing import Any

import torch

from wherefrom.core.recipe import Stage
from wherefrom.models.gpt import GPT
from wherefrom.models.stacked import why_not_stackable
from wherefrom.runs.families import recipe_identity
from wherefrom.runs.workshop import Workshop
from wherefrom.training.captured_rows import find_free

_A_WEIGHT = 28  # bytes: itself, gradient, two averages, a half in bf16, and what updates it
_A_LAYER = 34  # widths that a block keeps of each character for the backward pass, at most
_BESIDE_LAYERS = 12  # widths that embeddings and norms keep
_LOGITS = 4  # numbers that are kept of each symbol's logit
_BUFFERED = 60  # bytes of a character of a chunk: inputs, targets, weights, and the next chunk's
_CHUNK = 100  # steps
_SHARE = 0.85  # of the memory that is free
CAPTURING = ("cuda",)  # devices that capture steps


def why_one_by_one(workshop: Workshop) -> str | None:
    """Why models of this recipe cannot be trained together; None if they can."""
    if workshop.device.type not in CAPTURING:
        return "only a GPU trains models together; --processes trains them side by side"
    if workshop.recipe.model.kind != "gpt":
        return "this kind of model has no stacked form"
    sketches = (_sketch(workshop, stage) for stage in workshop.recipe.stages)
    return next(filter(None, (why_not_stackable([sketch]) for sketch in sketches)), None)


def shape_of(workshop: Workshop) -> Any:
    """What models must have in common to be trained together.

    Seed and text may differ, and so may what a batch is made of and how the rate goes.
    """
    model = recipe_identity(workshop.model_config)
    stages = [recipe_identity(stage) for stage in workshop.recipe.stages]
    alike = [{k: v for k, v in s.items() if k not in ("mix", "schedule")} for s in stages]
    return model, alike, str(workshop.device)


def count_fitting(workshop: Workshop) -> int:
    """How many models of a recipe fit into the memory that is free, by their shapes; 1 or more."""
    needed = max(estimate_bytes(workshop, stage) for stage in workshop.recipe.stages)
    return max(1, int(find_free(workshop.device) * _SHARE / needed))


def estimate_bytes(workshop: Workshop, stage: Stage) -> int:
    """What training one model of a stage takes in a stack, by its shapes, at most."""
    model = _sketch(workshop, stage)
    config = model.config
    weights = sum(parameter.numel() for parameter in model.parameters())
    characters = stage.batch * workshop.objective(stage).width
    kept = (_A_LAYER * config.n_layer + _BESIDE_LAYERS) * config.n_embd
    kept += _LOGITS * config.vocab_size
    return _A_WEIGHT * weights + characters * (4 * kept + _BUFFERED * _CHUNK)


def _sketch(workshop: Workshop, stage: Stage) -> Any:
    """The stage's model without numbers."""
    with torch.device("meta"):
        return GPT(workshop.config_of(stage))
