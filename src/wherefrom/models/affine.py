"""The product of a linear layer, for one model or for a stack of models.

A stack holds K models of one shape. Its rows are those of the first model, then those of the
second, and so on, so that code which works row by row need not know how many models there are.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def affine(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x through a layer (out, in), or through the K layers (K, out, in) of a stack.

    With a stack, the rows of x are divided evenly among the models.
    """
    if weight.dim() == 2:
        return F.linear(x, weight, bias)
    rows_KNC = x.reshape(weight.shape[0], -1, x.shape[-1])
    if bias is None:
        found = torch.bmm(rows_KNC, weight.mT)
    else:
        found = torch.baddbmm(bias[:, None], rows_KNC, weight.mT)
    return found.view(*x.shape[:-1], weight.shape[-2])
