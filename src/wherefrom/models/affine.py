"""The product of a linear layer, for one model or for a stack of models.

A stack holds K models of one shape. Its rows are those of the first model, then those of the
second, and so on, so that code which works row by row need not know how many models there are.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def affine(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x through a layer (out, in), or through the K layers (K, out, in) of a stack.

    With a stack, the rows of x are divided evenly among the models.
    """
    if weight.dim() == 2:
        return F.linear(x, weight, bias)
    found = multiply(x.reshape(weight.shape[0], -1, x.shape[-1]), weight)
    if bias is not None:
        found = found + bias[:, None].to(found.dtype)
    return found.view(*x.shape[:-1], weight.shape[-2])


def multiply(rows_KNC: Tensor, weight_KOC: Tensor) -> Tensor:
    """The batched product, in half precision where that is asked for."""
    if torch.is_autocast_enabled("cuda"):
        half = torch.get_autocast_dtype("cuda")
        rows_KNC, weight_KOC = rows_KNC.to(half), weight_KOC.to(half)
    return _Product.apply(rows_KNC, weight_KOC)  # pyright: ignore


class _Product(torch.autograd.Function):
    """torch's gradient of this product is a transposed one, which it then copies in order."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(rows, weight)
        return torch.bmm(rows, weight.mT)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:  # pyright: ignore
        rows, weight = ctx.saved_tensors
        return torch.bmm(grads[0], weight), torch.bmm(grads[0].mT, rows)
