"""Models of one shape as one model: their weights stacked, their products batched.

A stacked model has the modules and the names of a single one; every weight has one more dimension,
in front. What passes through it are the rows of all models one after the other (`affine.py`), so
that blocks, attention and packing are the single model's own code. No value reaches another model.

Shapes: K models, B rows of each, T characters, N slots of a packing of each, C width.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.models.affine import affine
from wherefrom.models.attention.packing import Packing
from wherefrom.models.dropout import Dropout, StackedDropout
from wherefrom.models.gpt import GPT
from wherefrom.models.ngrams import NgramEmbedding


def why_not_stackable(models: Sequence[nn.Module], device: torch.device) -> str | None:
    """Why these models cannot be trained as one on a device; None if they can."""
    first = models[0]
    if not isinstance(first, GPT) or type(first) is not GPT:
        return f"a {type(first).__name__} has no stacked form"
    if not first.mixer.stackable:
        return f"attention '{first.config.attention}' has no stacked form"
    shapes = [replace(m.config, vocab_size=0) if type(m) is GPT else None for m in models]
    if any(shape != shapes[0] for shape in shapes):
        return "their shapes differ"
    if device.type == "cuda" and first.config.attn_pdrop > 0:
        return "dropout inside attention cannot be drawn for each model on a GPU"
    return None


class StackedGPT(GPT):
    """K models as one, with copies of their weights.

    Vocabularies of different sizes are filled up to the largest; what was added is never predicted.
    """

    def __init__(self, models: Sequence[GPT]) -> None:
        nn.Module.__init__(self)
        reason = why_not_stackable(models, next(models[0].parameters()).device)
        assert reason is None, reason
        first = models[0]
        self.models, self.config, self.mixer = len(models), first.config, first.mixer
        _fill(self, models)
        sizes = torch.tensor([model.config.vocab_size for model in models])
        self.head: Any = StackedHead(self.head, sizes)

    def packing(self, lengths_B: Tensor, width: int, capacity: int) -> Packing:
        """`lengths_B` are those of all models' rows; every model has `capacity` slots."""
        each = lengths_B.view(self.models, -1)
        return Packing.side_by_side(each, width, capacity)

    def _positions(
        self, shape: tuple[int, ...], positions: Tensor | None, packing: Packing | None
    ) -> Tensor:
        table_KTC, rows, length = self.pos_emb[:, 0], shape[0] // self.models, shape[1]
        if packing is not None:
            places = packing.positions_N.view(self.models, -1)
            model = torch.arange(self.models, device=places.device)[:, None]
            return table_KTC[model, places].flatten(0, 1)
        return table_KTC[:, :length].repeat_interleave(rows, 0)


class _StackedLayer(nn.Module):
    """The parameters of K layers of one kind; `eps` is that of a norm."""

    weight: nn.Parameter
    bias: nn.Parameter | None

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        _stack_parameters(self, layers)
        self.eps: Any = getattr(layers[0], "eps", None)


class StackedLinear(_StackedLayer):
    def forward(self, x: Tensor) -> Tensor:
        return affine(x, self.weight, self.bias)


class StackedHead(StackedLinear):
    """Logits of vocabularies that may have different sizes: -inf where a model has no symbol."""

    absent: Tensor

    def __init__(self, layer: StackedLinear, sizes_K: Tensor) -> None:
        nn.Module.__init__(self)
        self.weight, self.bias = layer.weight, layer.bias
        models, symbols = layer.weight.shape[:2]
        missing = torch.arange(symbols) >= sizes_K[:, None]
        device = layer.weight.device
        absent = torch.zeros(models, 1, symbols).masked_fill(missing[:, None], -torch.inf)
        self.register_buffer("absent", absent.to(device) if missing.any() else None)

    def forward(self, x: Tensor) -> Tensor:
        logits = super().forward(x)
        if self.absent is None:
            return logits
        rows = logits.view(len(self.weight), -1, logits.shape[-1])
        return (rows + self.absent).view(logits.shape)


class StackedEmbedding(_StackedLayer):
    """K tables laid end to end: a number is looked up in its own model's part."""

    def forward(self, ids: Tensor) -> Tensor:
        return F.embedding(offset(ids, self.weight), self.weight.flatten(0, 1))


class StackedNgramEmbedding(NgramEmbedding):
    def __init__(self, layers: Sequence[NgramEmbedding]) -> None:
        nn.Module.__init__(self)
        self.longest, self.buckets = layers[0].longest, layers[0].buckets
        self.table: Any = StackedEmbedding([layer.table for layer in layers])

    def add_up(self, rows: Tensor) -> Tensor:
        weight = self.table.weight
        return F.embedding_bag(offset(rows, weight), weight.flatten(0, 1), mode="sum")


class StackedRMSNorm(_StackedLayer):
    def forward(self, x: Tensor) -> Tensor:
        return _spread(F.rms_norm(x, x.shape[-1:], None, self.eps), self.weight)


class StackedLayerNorm(_StackedLayer):
    def forward(self, x: Tensor) -> Tensor:
        return _spread(F.layer_norm(x, x.shape[-1:], None, None, self.eps), self.weight, self.bias)


def offset(ids: Tensor, weight_KVC: Tensor) -> Tensor:
    """The numbers of rows in the K tables (K, V, C) laid end to end."""
    models, rows = weight_KVC.shape[:2]
    starts = torch.arange(models, device=ids.device) * rows
    return (ids.reshape(models, -1) + starts[:, None]).view(ids.shape)


def _spread(x: Tensor, weight_KC: Tensor, bias_KC: Tensor | None = None) -> Tensor:
    """x times each model's own weights, plus each model's own bias."""
    rows = x.reshape(len(weight_KC), -1, x.shape[-1]) * weight_KC[:, None]
    return (rows if bias_KC is None else rows + bias_KC[:, None]).view(x.shape)


_STACKED: dict[type[nn.Module], Callable[[Sequence[Any]], nn.Module]] = {
    nn.Linear: StackedLinear,
    nn.Embedding: StackedEmbedding,
    nn.RMSNorm: StackedRMSNorm,
    nn.LayerNorm: StackedLayerNorm,
    Dropout: lambda layers: StackedDropout(layers[0], len(layers)),
    NgramEmbedding: StackedNgramEmbedding,
}


def _stack_modules(modules: Sequence[nn.Module]) -> nn.Module:
    """A module with a stacked form of its own, or the same module over stacked parts."""
    first = modules[0]
    if type(first) in _STACKED:
        return _STACKED[type(first)](modules)
    stacked = copy.copy(first)
    stacked._parameters, stacked._modules = {}, {}
    stacked._buffers = dict(first._buffers)
    _fill(stacked, modules)
    return stacked


def _fill(stacked: nn.Module, modules: Sequence[nn.Module]) -> None:
    _stack_parameters(stacked, modules)
    for name, _ in modules[0].named_children():
        parts = [module.get_submodule(name) for module in modules]
        stacked.add_module(name, _stack_modules(parts))


def _stack_parameters(stacked: nn.Module, modules: Sequence[nn.Module]) -> None:
    for name, parameter in modules[0]._parameters.items():
        if parameter is None:
            stacked.register_parameter(name, None)
            continue
        each = [module.get_parameter(name).detach() for module in modules]
        most = max(len(own) for own in each)
        filled = torch.zeros((len(each), most, *each[0].shape[1:])).to(each[0])
        for part, own in zip(filled, each, strict=True):
            part[: len(own)] = own
        stacked.register_parameter(name, nn.Parameter(filled))
