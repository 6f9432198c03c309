"""Attention over rows that stand one after the other: one kernel for each pass, in Triton.

A row of the course's texts is shorter than the tiles of torch's own kernels, and what stands around
attention (norms of queries and keys, their turning by position, splitting and joining) takes longer
than attention itself. Here a program takes one head of one row from the projection to the mixed
values, and another takes it back. Nothing in between is stored: the way back computes it again.

Imported on a GPU alone, since Triton is not on every machine; `unpadded.py` tries it out first.

Shapes: N slots, R rows, H heads, D head width, C = H x D, T characters of a tile, M queries of a
block. A query or a key is held as its two halves, `a` and `b`, which turn as pairs.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

_BLOCK, _WARPS = 32, 4  # queries at a time, and the threads (in 32s) of a program
_BLOCK_BACK, _WARPS_BACK = 32, 4


@triton.jit
def _load_halves(
    places, kept, eps: tl.constexpr, HALF: tl.constexpr, NORMED: tl.constexpr
):  # fmt: skip
    """Both halves in single precision, brought to length sqrt(D) if wanted, and by what factor."""
    a = tl.load(places, mask=kept, other=0.0).to(tl.float32)
    b = tl.load(places + HALF, mask=kept, other=0.0).to(tl.float32)
    factor = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / (2 * HALF) + eps)
    if NORMED:
        a = a * factor[:, None]
        b = b * factor[:, None]
    return a, b, factor


@triton.jit
def _load_angles(cos, sin, at, kept, HALF: tl.constexpr, TURNED: tl.constexpr):
    """Cosines and sines of what is at these places of its row."""
    where = at[:, None] * HALF + tl.arange(0, HALF)[None, :]
    c, d = tl.full(where.shape, 1.0, tl.float32), tl.zeros(where.shape, tl.float32)
    if TURNED:
        c = tl.load(cos + where, mask=kept, other=1.0)
        d = tl.load(sin + where, mask=kept, other=0.0)
    return c, d


@triton.jit
def _turn(a, b, cos, sin):
    return a * cos - b * sin, b * cos + a * sin


@triton.jit
def _flow_back(ga, gb, a, b, factor, cos, sin, HALF: tl.constexpr, NORMED: tl.constexpr):
    """The gradient of what was loaded, given that of what was normed and turned."""
    ga, gb = _turn(ga, gb, cos, -sin)
    if NORMED:
        along = (tl.sum(ga * a, 1) + tl.sum(gb * b, 1)) / (2 * HALF)
        ga = (ga - a * along[:, None]) * factor[:, None]
        gb = (gb - b * along[:, None]) * factor[:, None]
    return ga, gb


@triton.jit
def _scramble(x):
    """A bijection of 32 bits, as in dropout.py."""
    x = (x ^ (x >> 16)) * 2146121005
    x = (x ^ (x >> 15)) * 2221713035
    return x ^ (x >> 16)


@triton.jit
def _keep(low, high, head_of_row, t, s, dropped: tl.constexpr):
    """Which weights are kept: a hash of the step's seeds, the layer, head, row and both places."""
    place = (head_of_row * 128 + t[:, None]) * 128 + s[None, :]
    word = _scramble(_scramble((place.to(tl.uint32) + low) * 2654435769) + high)
    return (word >> 1) >= dropped


@triton.jit
def _weigh(qa, qb, ka, kb, t, s, length, scale):
    """How much each query takes from each key up to its own place."""
    scores = tl.dot(qa, tl.trans(ka)) + tl.dot(qb, tl.trans(kb))
    seen = (s[None, :] <= t[:, None]) & (s[None, :] < length)
    scores = tl.where(seen, scores * scale, float("-inf"))
    weights = tl.exp(scores - tl.max(scores, 1)[:, None])
    return weights / tl.sum(weights, 1)[:, None]


@triton.jit
def _mix_row(
    parts, mixed, cos, sin, start, length, head, low, high, head_of_row, scale, kept_scale,
    eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    T: tl.constexpr, M: tl.constexpr, NORMED: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = 2 * HALF
    C: tl.constexpr = H * D
    element = parts.dtype.element_ty
    half, whole, s = tl.arange(0, HALF), tl.arange(0, D), tl.arange(0, T)
    first = parts + start.to(tl.int64) * (3 * C) + head * D
    there = s[:, None] < length
    ka, kb, _of_keys = _load_halves(
        first + C + s[:, None] * (3 * C) + half[None, :], there, eps, HALF, NORMED
    )
    key_cos, key_sin = _load_angles(cos, sin, s, there, HALF, TURNED)
    ka, kb = _turn(ka, kb, key_cos, key_sin)
    ka, kb = ka.to(element), kb.to(element)
    v = tl.load(first + 2 * C + s[:, None] * (3 * C) + whole[None, :], mask=there, other=0.0)
    for block in range(0, tl.cdiv(length, M)):
        t = block * M + tl.arange(0, M)
        here = t[:, None] < length
        qa, qb, _of_queries = _load_halves(
            first + t[:, None] * (3 * C) + half[None, :], here, eps, HALF, NORMED
        )
        c, d = _load_angles(cos, sin, t, here, HALF, TURNED)
        qa, qb = _turn(qa, qb, c, d)
        weights = _weigh(qa.to(element), qb.to(element), ka, kb, t, s, length, scale)
        if dropped > 0:
            kept = _keep(low, high, head_of_row, t, s, dropped)
            weights = tl.where(kept, weights * kept_scale, 0.0)
        values = tl.dot(weights.to(element), v)
        to = mixed + (start + t).to(tl.int64)[:, None] * C + head * D + whole[None, :]
        tl.store(to, values.to(element), mask=here)


@triton.jit
def _mix_row_back(
    parts, slopes, gradient, cos, sin, start, length, head, low, high, head_of_row, scale,
    kept_scale, eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    T: tl.constexpr, M: tl.constexpr, NORMED: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = 2 * HALF
    C: tl.constexpr = H * D
    element = parts.dtype.element_ty
    half, whole, s = tl.arange(0, HALF), tl.arange(0, D), tl.arange(0, T)
    offset = start.to(tl.int64) * (3 * C) + head * D
    keys = offset + C + s[:, None] * (3 * C) + half[None, :]
    there = s[:, None] < length
    na, nb, _of_keys = _load_halves(parts + keys, there, eps, HALF, NORMED)
    key_cos, key_sin = _load_angles(cos, sin, s, there, HALF, TURNED)
    ka, kb = _turn(na, nb, key_cos, key_sin)
    ka, kb = ka.to(element), kb.to(element)
    values = offset + 2 * C + s[:, None] * (3 * C) + whole[None, :]
    v = tl.load(parts + values, mask=there, other=0.0)
    gka, gkb = tl.zeros([T, HALF], tl.float32), tl.zeros([T, HALF], tl.float32)
    gv = tl.zeros([T, D], tl.float32)
    for block in range(0, tl.cdiv(length, M)):
        t = block * M + tl.arange(0, M)
        here = t[:, None] < length
        queries = offset + t[:, None] * (3 * C) + half[None, :]
        a, b, factor = _load_halves(parts + queries, here, eps, HALF, NORMED)
        c, d = _load_angles(cos, sin, t, here, HALF, TURNED)
        qa, qb = _turn(a, b, c, d)
        qa, qb = qa.to(element), qb.to(element)
        come = gradient + (start + t).to(tl.int64)[:, None] * C + head * D + whole[None, :]
        g = tl.load(come, mask=here, other=0.0)
        weights = _weigh(qa, qb, ka, kb, t, s, length, scale)
        gw = tl.dot(g, tl.trans(v))
        used = weights
        if dropped > 0:
            kept = _keep(low, high, head_of_row, t, s, dropped)
            used = tl.where(kept, weights * kept_scale, 0.0)
            gw = tl.where(kept, gw * kept_scale, 0.0)
        gv += tl.dot(tl.trans(used.to(element)), g)
        gs = (weights * (gw - tl.sum(weights * gw, 1)[:, None]) * scale).to(element)
        gka += tl.dot(tl.trans(gs), qa)
        gkb += tl.dot(tl.trans(gs), qb)
        ga, gb = _flow_back(tl.dot(gs, ka), tl.dot(gs, kb), a, b, factor, c, d, HALF, NORMED)
        tl.store(slopes + queries, ga.to(element), mask=here)
        tl.store(slopes + queries + HALF, gb.to(element), mask=here)
    # Loaded again: kept all the while, they would take registers that the loop needs.
    na, nb, key_factor = _load_halves(parts + keys, there, eps, HALF, NORMED)
    key_cos, key_sin = _load_angles(cos, sin, s, there, HALF, TURNED)
    gka, gkb = _flow_back(gka, gkb, na, nb, key_factor, key_cos, key_sin, HALF, NORMED)
    tl.store(slopes + keys, gka.to(element), mask=there)
    tl.store(slopes + keys + HALF, gkb.to(element), mask=there)
    tl.store(slopes + values, gv.to(element), mask=there)


@triton.jit
def _find_row(joints, seeds, site, rows_of_a_model, dropped: tl.constexpr, H: tl.constexpr):
    """Where the program's row begins, how long it is, its head, and what dropout is drawn with."""
    row, head = tl.program_id(0) // H, tl.program_id(0) % H
    start = tl.load(joints + row)
    length = tl.load(joints + row + 1) - start
    low, high = tl.zeros([], tl.uint32), tl.zeros([], tl.uint32)
    if dropped > 0:
        model = row // rows_of_a_model
        low = tl.load(seeds + 2 * model).to(tl.uint32)
        high = tl.load(seeds + 2 * model + 1).to(tl.uint32) + site * 2146121005
    return start, length, head, low, high, row % rows_of_a_model * H + head


@triton.jit
def _mix_rows(
    parts, mixed, joints, cos, sin, seeds, site, rows_of_a_model, scale, kept_scale,
    eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    M: tl.constexpr, NORMED: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    """One head of one row, in the smallest tile that holds the row."""
    start, length, head, low, high, head_of_row = _find_row(
        joints, seeds, site, rows_of_a_model, dropped, H
    )
    for size in tl.static_range(3):
        if (length <= 32 << size) & (length > (32 << size) // 2 * (size > 0)):
            _mix_row(
                parts, mixed, cos, sin, start, length, head, low, high, head_of_row, scale,
                kept_scale, eps, dropped, H, HALF, 32 << size, M, NORMED, TURNED,
            )  # fmt: skip


@triton.jit
def _mix_rows_back(
    parts, slopes, gradient, joints, cos, sin, seeds, site, rows_of_a_model, scale, kept_scale,
    eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    M: tl.constexpr, NORMED: tl.constexpr, TURNED: tl.constexpr,
):  # fmt: skip
    start, length, head, low, high, head_of_row = _find_row(
        joints, seeds, site, rows_of_a_model, dropped, H
    )
    for size in tl.static_range(3):
        if (length <= 32 << size) & (length > (32 << size) // 2 * (size > 0)):
            _mix_row_back(
                parts, slopes, gradient, cos, sin, start, length, head, low, high, head_of_row,
                scale, kept_scale, eps, dropped, H, HALF, 32 << size, M, NORMED, TURNED,
            )  # fmt: skip


def _settings(
    joints: Tensor, seeds: Tensor | None, site: int, width: int, heads: int, normed: bool,
    turned: bool, dropout: float, models: int, eps: float,
) -> dict[str, Any]:  # fmt: skip
    """What both kernels are told beside their tensors."""
    half = width // heads // 2
    return {
        "seeds": joints if seeds is None else seeds, "site": site,
        "rows_of_a_model": (len(joints) - 1) // models, "scale": (2 * half) ** -0.5,
        "kept_scale": 1 / (1 - dropout), "eps": eps, "dropped": int(dropout * 2**31),
        "H": heads, "HALF": half, "NORMED": normed, "TURNED": turned,
    }  # fmt: skip


@torch.library.custom_op("wherefrom::mix_rows", mutates_args=())
def mix_rows(
    parts_N3C: Tensor, joints: Tensor, cos: Tensor | None, sin: Tensor | None,
    seeds: Tensor | None, site: int, models: int, heads: int, normed: bool, dropout: float,
    eps: float,
) -> Tensor:  # fmt: skip
    """Queries, keys and values, one behind the other, to the mixed values (N, C).

    Angles are given if queries and keys turn by their place, seeds if weights are dropped.
    """
    slots, width = parts_N3C.shape[0], parts_N3C.shape[1] // 3
    turned = cos is not None
    mixed = parts_N3C.new_empty(slots, width)
    others = (cos, sin) if turned else (parts_N3C, parts_N3C)
    told = _settings(joints, seeds, site, width, heads, normed, turned, dropout, models, eps)
    grid = ((len(joints) - 1) * heads,)
    given = parts_N3C.contiguous(), mixed, joints, *others
    launch: Any = _mix_rows[grid]  # pyright: ignore
    launch(*given, **told, M=_BLOCK, num_warps=_WARPS)
    return mixed


@torch.library.custom_op("wherefrom::mix_rows_back", mutates_args=())
def mix_rows_back(
    gradient_NC: Tensor, parts_N3C: Tensor, joints: Tensor, cos: Tensor | None, sin: Tensor | None,
    seeds: Tensor | None, site: int, models: int, heads: int, normed: bool, dropout: float,
    eps: float,
) -> Tensor:  # fmt: skip
    slopes = torch.empty_like(parts_N3C, memory_format=torch.contiguous_format)
    turned, width = cos is not None, parts_N3C.shape[1] // 3
    others = (cos, sin) if turned else (parts_N3C, parts_N3C)
    told = _settings(joints, seeds, site, width, heads, normed, turned, dropout, models, eps)
    grid = ((len(joints) - 1) * heads,)
    given = parts_N3C.contiguous(), slopes, gradient_NC.contiguous()
    launch: Any = _mix_rows_back[grid]  # pyright: ignore
    launch(*given, joints, *others, **told, M=_BLOCK_BACK, num_warps=_WARPS_BACK)
    return slopes


@mix_rows.register_fake
def _(parts_N3C: Tensor, *_: Any) -> Tensor:
    return parts_N3C.new_empty(parts_N3C.shape[0], parts_N3C.shape[1] // 3)


@mix_rows_back.register_fake
def _(gradient_NC: Tensor, parts_N3C: Tensor, *_: Any) -> Tensor:
    return torch.empty_like(parts_N3C, memory_format=torch.contiguous_format)


def _keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:5])
    ctx.others = inputs[5:]


def _give_gradient(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
    slopes = mix_rows_back(gradient, *ctx.saved_tensors, *ctx.others)
    return slopes, *[None] * 10


mix_rows.register_autograd(_give_gradient, setup_context=_keep_inputs)
