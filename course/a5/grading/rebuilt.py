"""The grader's own model of a file of parameters: the course's architecture, in the library's code.

Whatever a submission's code does, these parameters in this model answer as the course's would.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.models import variant_of
from wherefrom.models.gpt import GPT, GPTConfig

BLOCK, HEADS = 128, 8  # where the file does not show them
_WRAPPERS = ("module.", "_orig_mod.")  # of DataParallel and torch.compile
_BUFFERS = ("mask", "rope_cache")  # not parameters: the model makes its own
ATTENTION = {
    "vanilla": "causal",
    "synthesizer": "synthesizer",
    "perceiver": "perceiver",
    "rope": "rope",
}


class Unfit(Exception):
    """The parameters are those of another architecture than the course's."""


def read_state(path: Path) -> dict[str, Tensor]:
    """Tensors by name, without what DataParallel or torch.compile put before the names."""
    if not path.is_file():
        raise Finding(
            "no parameters",
            f"{path.name} is not there: predictions earn points only together with the "
            "parameters that gave them",
        )
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
        state = {_unwrapped(name): value for name, value in found.items()}
        if not state or not all(isinstance(value, Tensor) for value in state.values()):
            raise TypeError("something else than tensors by name")
    except Exception as error:
        text = f"{path.name} cannot be loaded with weights_only=True: {type(error).__name__}"
        raise Finding("parameters file", text) from error
    return {name: value.float() for name, value in state.items()}


def _unwrapped(name: Any) -> str:
    name = str(name)
    for wrapper in _WRAPPERS * 2:  # either may be the outer one
        name = name.removeprefix(wrapper)
    return name


def sizes(state: Mapping[str, Tensor]) -> dict[str, int]:
    """The sizes of a GPT's config, as far as the shapes show them, and else the course's."""
    try:
        vocabulary, width = state["tok_emb.weight"].shape
    except (KeyError, ValueError):
        raise Unfit("there is no tok_emb.weight of two dimensions") from None
    layers = {name.split(".")[1] for name in state if name.startswith("blocks.")}
    found = {"vocab_size": vocabulary, "n_embd": width, "n_layer": len(layers)}
    found |= {"block_size": BLOCK, "n_head": HEADS}
    if "pos_emb" in state:
        found["block_size"] = state["pos_emb"].shape[1]
    if "down_block.C" in state:
        found |= {"n_layer": len(layers) + 2, "bottleneck_dim": state["down_block.C"].shape[1]}
    if (w2 := state.get("blocks.0.attn.w2")) is not None:
        found["n_head"] = width // w2.shape[0]
    if (turns := state.get("blocks.0.attn.rope_cache")) is not None:
        found["n_head"] = width // (2 * turns.shape[1])
    return found


def rebuild(state: Mapping[str, Tensor]) -> GPT:
    """The course's model with these parameters, all of them and no others; else Unfit."""
    variant = variant_of(state) or "rope"
    try:
        config: dict[str, Any] = sizes(state)
        model = GPT(GPTConfig(attention=ATTENTION[variant], **config))
    except Exception as error:
        raise Unfit(str(error)) from error
    own = dict(model.named_parameters())
    given = {n: v for n, v in state.items() if n.rpartition(".")[2] not in _BUFFERS}
    if lacking := sorted(own.keys() - given.keys()):
        raise Unfit(f"there is no {lacking[0]}")
    if more := sorted(given.keys() - own.keys()):
        raise Unfit(f"the course's model has no {more[0]}")
    with torch.no_grad():
        for name, parameter in own.items():
            value = _as_ours(name, given[name], parameter, variant, model.config.n_head)
            if value.shape != parameter.shape:
                shapes = f"{tuple(value.shape)}, not {tuple(parameter.shape)}"
                raise Unfit(f"{name} has the shape {shapes}")
            parameter.copy_(value)
    return model.eval()


def _as_ours(name: str, value: Tensor, like: Tensor, variant: str, heads: int) -> Tensor:
    """Where the library's layout differs from the course's.

    Its rotary attention pairs dimension i with i + D/2, the course's 2i with 2i + 1; and a w2 as
    wide as the block has a last column that no input reaches.
    """
    if variant == "rope" and (".query." in name or ".key." in name):
        split = value.unflatten(0, (heads, -1, 2))  # (H, D/2, 2, ...)
        return split.transpose(1, 2).flatten(0, 2)
    if name.endswith((".w2", ".b2")) and value.shape[-1] == like.shape[-1] + 1:
        return value[..., :-1]
    return value
