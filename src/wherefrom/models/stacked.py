"""Models of one shape as one model: their weights stacked, their products batched.

A stacked model has the modules and the names of a single one; every weight has one more dimension,
in front. What passes through it are the rows of all models one after the other (`affine.py`), so
that blocks, attention and packing are the single model's own code. No value reaches another model.

Shapes: K models, B rows of each, T characters, N slots of a packing of each, C width.
"""

import copy
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import stack_module_state

from wherefrom.models.affine import affine
from wherefrom.models.attention.packing import Packing
from wherefrom.models.gpt import GPT
from wherefrom.models.ngrams import NgramEmbedding


def why_not_stackable(models: Sequence[nn.Module]) -> str | None:
    """Why these models cannot be trained as one; None if they can."""
    first = models[0]
    if not isinstance(first, GPT) or type(first) is not GPT:
        return f"a {type(first).__name__} has no stacked form"
    if not first.mixer.stackable:
        return f"attention '{first.config.attention}' has no stacked form"
    if any(getattr(model, "config", None) != first.config for model in models):
        return "their shapes differ"
    if first.config.attn_pdrop > 0:
        return "dropout inside attention cannot be drawn for each model"
    return None


def stack_models(models: Sequence[GPT]) -> "StackedGPT":
    """K models as one, with copies of their weights."""
    reason = why_not_stackable(models)
    assert reason is None, reason
    stacked = copy.deepcopy(models[0])
    for module in stacked.modules():  # the stacked kinds differ in how they compute alone
        module.__class__ = _STACKED.get(type(module), type(module))
    for path, weights in stack_module_state(list(models))[0].items():
        owner, _, name = path.rpartition(".")
        setattr(stacked.get_submodule(owner), name, nn.Parameter(weights.detach()))
    assert isinstance(stacked, StackedGPT)
    stacked.models = len(models)
    return stacked


class StackedGPT(GPT):
    models: int

    def packing(self, lengths_B: Tensor, width: int, capacity: int) -> Packing:
        """`lengths_B` are those of all models' rows; every model has `capacity` slots."""
        each = lengths_B.view(self.models, -1)
        return Packing.side_by_side(each, width, capacity)

    def _positions(self, shape: torch.Size, positions: Tensor | None) -> Tensor:
        table_KTC = self.pos_emb[:, 0]
        if positions is None:
            return table_KTC[:, : shape[1]].repeat_interleave(shape[0] // self.models, 0)
        model = torch.arange(self.models, device=positions.device)[:, None]
        return table_KTC[model, positions.view(self.models, -1)].view(shape)


class StackedLinear(nn.Linear):
    def forward(self, input: Tensor) -> Tensor:
        return affine(input, self.weight, self.bias)


class StackedEmbedding(nn.Embedding):
    """K tables laid end to end: a number is looked up in its own model's part."""

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(offset(input, self.weight), self.weight.flatten(0, 1))


class StackedNgramEmbedding(NgramEmbedding):
    def add_up(self, rows: Tensor) -> Tensor:
        weight = self.table.weight
        return F.embedding_bag(offset(rows, weight), weight.flatten(0, 1), mode="sum")


class StackedRMSNorm(nn.RMSNorm):
    def forward(self, x: Tensor) -> Tensor:
        return _spread(F.rms_norm(x, x.shape[-1:], None, self.eps), self.weight)


class StackedLayerNorm(nn.LayerNorm):
    def forward(self, input: Tensor) -> Tensor:
        normed = F.layer_norm(input, input.shape[-1:], None, None, self.eps)
        return _spread(normed, self.weight, self.bias)


_STACKED: dict[type[nn.Module], type[nn.Module]] = {
    GPT: StackedGPT,
    nn.Linear: StackedLinear,
    nn.Embedding: StackedEmbedding,
    nn.RMSNorm: StackedRMSNorm,
    nn.LayerNorm: StackedLayerNorm,
    NgramEmbedding: StackedNgramEmbedding,
}


def offset(ids: Tensor, weight_KVC: Tensor) -> Tensor:
    """The numbers of rows in the K tables (K, V, C) laid end to end."""
    models, rows = weight_KVC.shape[:2]
    starts = torch.arange(models, device=ids.device) * rows
    return (ids.reshape(models, -1) + starts[:, None]).view(ids.shape)


def _spread(x: Tensor, weight_KC: Tensor, bias_KC: Tensor | None = None) -> Tensor:
    """x times each model's own weights, plus each model's own bias."""
    rows = x.reshape(len(weight_KC), -1, x.shape[-1]) * weight_KC[:, None]
    return (rows if bias_KC is None else rows + bias_KC[:, None]).view(x.shape)
