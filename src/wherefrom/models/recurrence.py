"""One GRU layer over time on a CPU, with its gradient by hand beside it.

torch's own takes every step apart again on the way back, and its products of few rows are slow on
some CPUs; cuDNN's, on a GPU, is neither. The equations are those of gru.py: with s = U h,

    r = sigmoid(x_r + s_r)   z = sigmoid(x_z + s_z)   n = tanh(x_n + r * (s_n + c))
    h' = (1 - z) * n + z * h

where x = W x + b has the other biases in it. Given the loss's gradient d by h':

    dn = d (1 - z) (1 - n^2)    dz = d (h - n) z (1 - z)    dr = dn (s_n + c) r (1 - r)
    dx = (dr, dz, dn)           ds = (dr, dz, dn r)         dh = d z + U' ds

All but d is known before the way back begins, so a step of it is one product with U.

Shapes: T characters, R rows, H width of the state; the gates are r, z, n in this order.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def run_layer(layer: nn.GRU, x_RTE: Tensor, before_RH: Tensor | None) -> Tensor:
    """The states after each character, (R, T, H), as the layer itself gives them."""
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
    @staticmethod
    def forward(ctx: Any, x_TRG: Tensor, h_RH: Tensor, u_GH: Tensor, c_H: Tensor) -> Tensor:
        width, u_HG = u_GH.shape[1], u_GH.t().contiguous()
        states_TRH = h_RH.new_empty(x_TRG.shape[0] + 1, *h_RH.shape)
        gates_TRG = torch.empty_like(x_TRG, memory_format=torch.contiguous_format)
        inner_TRH = torch.empty_like(states_TRH[1:])  # s_n + c
        states_TRH[0] = h_RH
        s_RG = torch.empty_like(gates_TRG[0])
        s_rz, s_n = s_RG[:, : 2 * width], s_RG[:, 2 * width :]
        both, last = (slice(2 * width), slice(2 * width, None))
        lists = (
            x_TRG[..., both],
            x_TRG[..., last],
            gates_TRG[..., both],
            gates_TRG[..., :width],
            gates_TRG[..., width : 2 * width],
            gates_TRG[..., last],
            inner_TRH,
            states_TRH[:-1],
            states_TRH[1:],
        )
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
