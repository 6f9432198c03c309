"""The character GRU: an embedding, recurrent layers, a linear head.

A layer keeps a state h and changes it character by character, from its input x:

    r = sigmoid(W_r x + b_r + U_r h + c_r)      what of h the new content sees
    z = sigmoid(W_z x + b_z + U_z h + c_z)      what of h stays
    n = tanh(W_n x + b_n + r * (U_n h + c_n))   the new content
    h = (1 - z) * n + z * h

Shapes: R rows, T characters, H width of a state, L layers, N rows named by an index.
"""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.bounds import (
    MOST_LAYERS,
    MOST_UNITS,
    check_share,
    check_vocabulary,
    check_whole,
)
from wherefrom.core.config import TaggedConfig, check

_UNLIMITED = 2**30  # characters: a state has no end


class GRUConfig(TaggedConfig, frozen=True, tag="gru"):
    """The defaults are the homework's: 80,700 parameters with 100 characters."""

    vocab_size: int = 0  # 0: as many as the run's vocabulary has
    n_embd: int = 100
    n_hidden: int = 100
    n_layer: int = 1
    dropout: float = 0.0  # on what goes into each layer and into the head

    def __post_init__(self) -> None:
        check_vocabulary(self)
        for name in ("n_embd", "n_hidden"):
            check_whole(self, name, 1, MOST_UNITS)
        check_whole(self, "n_layer", 1, MOST_LAYERS)
        check_share(self, "dropout")

    @property
    def least_weights(self) -> int:
        """No more weights than a model of this config has."""
        return (3 * self.n_layer * self.n_hidden + self.vocab_size) * self.n_hidden

    @property
    def least_activations(self) -> int:
        """No more numbers than training keeps for one character."""
        return 4 * self.n_layer * self.n_hidden


@dataclass
class States:
    """What a decoder keeps of the text it has read: the state of each row and layer.

    Rows of one reading may have texts of unequal length, padded on the right; how long each is
    comes afterwards, with `grow`, so the states after every character wait for it.
    """

    states_LRH: Tensor
    lengths_R: Tensor
    waiting_LRTH: Tensor | None = None

    @classmethod
    def empty(cls, layers: int, rows: int, width: int, like: Tensor) -> "States":
        lengths = torch.zeros(rows, dtype=torch.long, device=like.device)
        return cls(like.new_zeros(layers, rows, width), lengths)

    def before(self) -> Tensor:
        """The states to go on from, (L, R, H): zero in front of a text."""
        return self.states_LRH * (self.lengths_R > 0)[:, None]

    def hold(self, states_LRTH: Tensor) -> None:
        """Hold the states after each of T characters until `grow` says which ones to keep."""
        self.waiting_LRTH = states_LRTH

    def grow(self, count_R: Tensor) -> None:
        """Keep the first count_R of the characters just read in each row's text."""
        assert self.waiting_LRTH is not None, "a text is read before it grows"
        rows = torch.arange(len(count_R), device=count_R.device)
        self.states_LRH.copy_(self.waiting_LRTH[:, rows, count_R - 1])
        self.lengths_R += count_R
        self.waiting_LRTH = None

    def part(self, start: int, stop: int) -> "States":
        rows = slice(start, stop)
        return States(self.states_LRH[:, rows], self.lengths_R[rows])

    def move(self, source_N: Tensor, target_N: Tensor, first: int = 0) -> None:
        """Copy rows over others; a state has no positions, so `first` saves nothing."""
        self.states_LRH[:, target_N] = self.states_LRH[:, source_N]
        self.lengths_R[target_N] = self.lengths_R[source_N]


class GRU(nn.Module):
    """Characters to logits. `features` stops before the head, so that a loss can select first."""

    cacheable = True
    packable = False
    capturable = False  # cuDNN's recurrence is one call already; a graph would gain little
    max_input = _UNLIMITED

    def __init__(self, config: GRUConfig) -> None:
        super().__init__()
        check(config.vocab_size > 0, "GRUConfig", "vocab_size", config.vocab_size, "above 0")
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.n_embd)
        widths = [config.n_embd, *[config.n_hidden] * (config.n_layer - 1)]
        # One module a layer: cuDNN's dropout between its own layers cannot be reseeded each step.
        self.layers = nn.ModuleList(nn.GRU(w, config.n_hidden, batch_first=True) for w in widths)
        self.drop = nn.Dropout(config.dropout)
        self.head = nn.Linear(config.n_hidden, config.vocab_size)

    def new_cache(self, rows: int, positions: int) -> States:
        config, like = self.config, self.head.weight.detach()
        return States.empty(config.n_layer, rows, config.n_hidden, like)

    def features(self, tokens_RT: Tensor, cache: States | None = None) -> Tensor:
        """(R, T, H) before the head. With a cache, the tokens follow each row's own text."""
        before = cache.before().unbind() if cache is not None else [None] * len(self.layers)
        x, found = self.embedding(tokens_RT), []
        for layer, before_RH in zip(self.layers, before, strict=True):
            x = run_layer(layer, self.drop(x), before_RH)
            found.append(x)
        if cache is not None:
            cache.hold(torch.stack(found))
        return self.drop(x)

    def forward(self, tokens_RT: Tensor, cache: States | None = None) -> Tensor:
        return self.head(self.features(tokens_RT, cache))


def run_layer(layer: nn.Module, x_RTE: Tensor, before_RH: Tensor | None) -> Tensor:
    """The states after each character, (R, T, H): by hand on a CPU, where torch's own is slow."""
    assert isinstance(layer, nn.GRU)
    if x_RTE.device.type != "cpu":
        return layer(x_RTE, None if before_RH is None else before_RH[None].contiguous())[0]
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    w_GE, u_GH, b_G, c_G = (getattr(layer, name) for name in names)
    width = layer.hidden_size
    outside_G = b_G + F.pad(c_G[: 2 * width], (0, width))
    x_TRG = F.linear(x_RTE.transpose(0, 1), w_GE, outside_G)
    if before_RH is None:
        before_RH = x_RTE.new_zeros(x_RTE.shape[0], width)
    found = _Recurrence.apply(x_TRG, before_RH, u_GH, c_G[2 * width :])  # pyright: ignore
    return found.transpose(0, 1)


class _Recurrence(torch.autograd.Function):
    """One layer over time on a CPU, with its gradient by hand beside it.

    torch's own takes every step apart again on the way back, and its products of few rows are slow
    on some CPUs; cuDNN's, on a GPU, is neither. The equations are those above: with s = U h,

        r = sigmoid(x_r + s_r)   z = sigmoid(x_z + s_z)   n = tanh(x_n + r * (s_n + c))
        h' = (1 - z) * n + z * h

    where x = W x + b has the other biases in it. Given the loss's gradient d by h':

        dn = d (1 - z) (1 - n^2)    dz = d (h - n) z (1 - z)    dr = dn (s_n + c) r (1 - r)
        dx = (dr, dz, dn)           ds = (dr, dz, dn r)         dh = d z + U' ds

    All but d is known before the way back begins, so a step of it is one product with U.
    The gates are r, z, n in this order, G = 3 H.
    """

    @staticmethod
    def forward(ctx: Any, x_TRG: Tensor, h_RH: Tensor, u_GH: Tensor, c_H: Tensor) -> Tensor:
        width, u_HG = u_GH.shape[1], u_GH.t().contiguous()
        states_TRH = h_RH.new_empty(x_TRG.shape[0] + 1, *h_RH.shape)
        states_TRH[0] = h_RH
        gates_TRG = torch.empty_like(x_TRG, memory_format=torch.contiguous_format)
        inner_TRH = torch.empty_like(states_TRH[1:])  # s_n + c
        s_RG = torch.empty_like(gates_TRG[0])
        s_rz, s_n = s_RG.split((2 * width, width), 1)
        r_and_z, n = gates_TRG.split((2 * width, width), 2)
        inputs, gates = x_TRG.split((2 * width, width), 2), (r_and_z, *r_and_z.chunk(2, 2), n)
        lists = *inputs, *gates, inner_TRH, states_TRH[:-1], states_TRH[1:]
        for x_rz, x_n, rz, r, z, n, inner, h, new in zip(*(v.unbind() for v in lists), strict=True):
            torch.mm(h, u_HG, out=s_RG)
            torch.add(x_rz, s_rz, out=rz).sigmoid_()
            torch.add(s_n, c_H, out=inner)
            torch.addcmul(x_n, r, inner, out=n).tanh_()
            torch.lerp(n, h, z, out=new)
        ctx.save_for_backward(states_TRH, gates_TRG, inner_TRH, u_GH)
        return states_TRH[1:]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:  # pyright: ignore
        states_TRH, gates_TRG, inner, u_GH = ctx.saved_tensors
        r, z, n = gates_TRG.unflatten(2, (3, -1)).unbind(2)
        by_n = (1 - z) * (1 - n * n)
        by_z = (states_TRH[:-1] - n) * z * (1 - z)
        factors_TR3H = torch.stack((by_n * inner * r * (1 - r), by_z, by_n * r), 2)
        d_TRH, ds_TR3H = torch.empty_like(inner), torch.empty_like(factors_TR3H)
        d_RH = torch.zeros_like(states_TRH[0])
        steps = (v.unbind() for v in (gradients[0], d_TRH, factors_TR3H, ds_TR3H, z))
        for gradient, d, factors, ds, stays in reversed(list(zip(*steps, strict=True))):
            torch.add(gradient, d_RH, out=d)
            torch.mul(d[:, None], factors, out=ds)
            torch.mm(ds.flatten(1), u_GH, out=d_RH)
            d_RH.addcmul_(d, stays)
        ds_NG = ds_TR3H.flatten(2).flatten(0, 1)
        dx_TRG = torch.cat((ds_TR3H[:, :, 0], ds_TR3H[:, :, 1], d_TRH * by_n), 2)
        du_GH = ds_NG.t() @ states_TRH[:-1].flatten(0, 1)
        return dx_TRG, d_RH, du_GH, ds_TR3H[:, :, 2].sum((0, 1))
