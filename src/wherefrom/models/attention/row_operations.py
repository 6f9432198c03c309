"""Attention over rows that stand one after the other, as operations of torch.

The kernels are in `row_kernels.py`. As operations they can be compiled around, captured and
differentiated. Importing this needs Triton; `unpadded.py` tries it out first.

Shapes: N slots, H heads, D head width, C = H x D.
"""

from typing import Any

import torch
from torch import Tensor

from wherefrom.models.attention import row_kernels

BLOCK = 64  # places; rows have at most twice as many
_WARPS = 4  # threads of a program, in 32s
_LOG2_E = 1.4426950408889634


def _settings(
    parts: Tensor, cu_seqlens: Tensor, cos: Tensor | None, sin: Tensor | None, seeds: Tensor | None,
    site: int, models: int, heads: int, normed: bool, dropout: float, eps: float,
) -> dict[str, Any]:  # fmt: skip
    """The arguments of both kernels beside the tensors of their pass."""
    rotated, half = cos is not None, parts.shape[1] // heads // 6
    return {
        "cu_seqlens": cu_seqlens,
        "cos": cos if rotated else parts, "sin": sin if rotated else parts,
        "seeds": cu_seqlens if seeds is None else seeds, "site": site,
        "rows_of_a_model": (len(cu_seqlens) - 1) // models, "scale": (2 * half) ** -0.5,
        "kept_scale": 1 / (1 - dropout), "eps": eps, "dropped": round(dropout * 2**16),
        "H": heads, "HALF": half, "M": BLOCK, "NORMED": normed, "ROTATED": rotated,
    }  # fmt: skip


@torch.library.custom_op("wherefrom::mix_rows", mutates_args=())
def mix_rows(
    parts_N3C: Tensor, cu_seqlens: Tensor, cos: Tensor | None, sin: Tensor | None,
    seeds: Tensor | None, site: int, models: int, heads: int, normed: bool, dropout: float,
    eps: float,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Queries, keys and values, one behind the other, to the mixed values (N, C).

    Angles are given if queries and keys turn by their place, seeds if weights are dropped. Beside
    the values, the logarithms (N, H) of what the weights were divided by: the way back needs them.
    """
    parts = parts_N3C.contiguous()
    mixed = parts.new_empty(parts.shape[0], parts.shape[1] // 3)
    sums = parts.new_empty((parts.shape[0], heads), dtype=torch.float32)
    told = _settings(
        parts, cu_seqlens, cos, sin, seeds, site, models, heads, normed, dropout, eps
    )  # fmt: skip
    told["scale"] *= _LOG2_E
    kernel: Any = row_kernels.mix_rows
    launch = kernel[((len(cu_seqlens) - 1) * heads,)]
    launch(parts, mixed, sums, **told, num_warps=_WARPS)
    return mixed, sums


@torch.library.custom_op("wherefrom::mix_rows_back", mutates_args=())
def mix_rows_back(
    grad_NC: Tensor, mixed: Tensor, sums: Tensor, parts_N3C: Tensor, cu_seqlens: Tensor,
    cos: Tensor | None, sin: Tensor | None, seeds: Tensor | None, site: int, models: int,
    heads: int, normed: bool, dropout: float, eps: float,
) -> Tensor:  # fmt: skip
    parts = parts_N3C.contiguous()
    grad_parts = torch.empty_like(parts)
    told = _settings(
        parts, cu_seqlens, cos, sin, seeds, site, models, heads, normed, dropout, eps
    )  # fmt: skip
    kernel: Any = row_kernels.mix_rows_back
    launch = kernel[((len(cu_seqlens) - 1) * heads,)]
    given = parts, grad_parts, grad_NC.contiguous(), mixed, sums
    launch(*given, **told, num_warps=_WARPS)
    return grad_parts


@mix_rows.register_fake
def _(
    parts_N3C: Tensor, cu_seqlens: Tensor, cos: Any, sin: Any, seeds: Any, site: int, models: int,
    heads: int, *_: Any,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    slots, width = parts_N3C.shape[0], parts_N3C.shape[1] // 3
    sums = parts_N3C.new_empty((slots, heads), dtype=torch.float32)
    return parts_N3C.new_empty(slots, width), sums


@mix_rows_back.register_fake
def _(grad_NC: Tensor, mixed: Tensor, sums: Tensor, parts_N3C: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(parts_N3C, memory_format=torch.contiguous_format)


def _keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    ctx.save_for_backward(*output, *inputs[:5])
    ctx.others = inputs[5:]


def _give_gradient(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Any, ...]:
    grad_parts = mix_rows_back(grad, *ctx.saved_tensors, *ctx.others)
    return grad_parts, *[None] * 10


mix_rows.register_autograd(_give_gradient, setup_context=_keep_inputs)
