"""Attention over rows that stand one after the other: one kernel for each pass, in Triton.

A row of the course's texts is shorter than the tiles of torch's own kernels, and what stands around
attention (norms of queries and keys, their turning by position, splitting and joining) takes longer
than attention itself. Here a program takes one head of one row from the projection to the mixed
values, and another takes it back. Little in between is stored: the way back computes it again.

`row_operations.py` calls them. Both are imported on a GPU alone: not every machine has Triton.

Shapes: N slots, R rows, H heads, D head width, C = H x D, M places of a block; a row has one block
or two. A query or a key has two halves, `a` and `b`, which turn as pairs; where it is compared they
are interleaved, since the order does not matter to a product.
"""

# pyright: reportMissingImports=false

import triton
import triton.language as tl


@triton.jit
def _load_halves(places, kept, eps: tl.constexpr, HALF: tl.constexpr, NORMED: tl.constexpr):
    """Both halves in single precision, normalised to length sqrt(D) if wanted, and the factor."""
    a = tl.load(places, mask=kept, other=0.0).to(tl.float32)
    b = tl.load(places + HALF, mask=kept, other=0.0).to(tl.float32)
    factor = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / (2 * HALF) + eps)
    if NORMED:
        a = a * factor[:, None]
        b = b * factor[:, None]
    return a, b, factor


@triton.jit
def _load_angles(cos, sin, at, kept, HALF: tl.constexpr, ROTATED: tl.constexpr):
    """Cosines and sines of what is at these places of its row."""
    where = at[:, None] * HALF + tl.arange(0, HALF)[None, :]
    c, d = tl.full(where.shape, 1.0, tl.float32), tl.zeros(where.shape, tl.float32)
    if ROTATED:
        c = tl.load(cos + where, mask=kept, other=1.0)
        d = tl.load(sin + where, mask=kept, other=0.0)
    return c, d


@triton.jit
def _load_rotated(
    places, cos, sin, at, kept, eps: tl.constexpr, HALF: tl.constexpr, NORMED: tl.constexpr,
    ROTATED: tl.constexpr,
):  # fmt: skip
    """Queries or keys as they are compared."""
    a, b, _ = _load_halves(places, kept, eps, HALF, NORMED)
    c, d = _load_angles(cos, sin, at, kept, HALF, ROTATED)
    return tl.interleave(a * c - b * d, b * c + a * d).to(places.dtype.element_ty)


@triton.jit
def _store_grad(
    grad_parts, parts, places, cos, sin, at, kept, grad, eps: tl.constexpr, M: tl.constexpr,
    HALF: tl.constexpr, NORMED: tl.constexpr, ROTATED: tl.constexpr,
):  # fmt: skip
    """Store the gradient of what was loaded, given that of what was compared."""
    ga, gb = tl.split(tl.reshape(grad, [M, HALF, 2]))
    c, d = _load_angles(cos, sin, at, kept, HALF, ROTATED)
    turned_back = ga * c + gb * d
    gb = gb * c - ga * d
    ga = turned_back
    if NORMED:  # loaded again: kept all the while, it would take registers
        a, b, factor = _load_halves(parts + places, kept, eps, HALF, NORMED)
        along = (tl.sum(ga * a, 1) + tl.sum(gb * b, 1)) / (2 * HALF)
        ga = (ga - a * along[:, None]) * factor[:, None]
        gb = (gb - b * along[:, None]) * factor[:, None]
    element = grad_parts.dtype.element_ty
    tl.store(grad_parts + places, ga.to(element), mask=kept)
    tl.store(grad_parts + places + HALF, gb.to(element), mask=kept)


@triton.jit
def _scramble(x):
    """A bijection of 32 bits, as in dropout.py."""
    x = (x ^ (x >> 16)) * 2146121005
    x = (x ^ (x >> 15)) * 2221713035
    return x ^ (x >> 16)


@triton.jit
def _drop(x, word, t, s, dropped: tl.constexpr):
    """x with 0 where a hash of this head's word and of both places says so.

    A hash has 32 bits, of which each of two neighbours takes 16.
    """
    if dropped > 0:
        even, _odd = tl.split(tl.reshape(s, [s.shape[0] // 2, 2]))
        place = (t[:, None] * 64 + even[None, :] // 2).to(tl.uint32)
        bits = _scramble(word + place * 2654435769)
        x = tl.where(tl.interleave(bits & 0xFFFF, bits >> 16) >= dropped, x, 0.0)
    return x


@triton.jit
def _compare(q, k, t, s, length, scale):
    """Scores in powers of two, of each query with each key up to its own place."""
    seen = (s[None, :] <= t[:, None]) & (s[None, :] < length)
    return tl.where(seen, tl.dot(q, tl.trans(k)) * scale, float("-inf"))


@triton.jit
def _find_row(cu_seqlens, seeds, site, rows_of_a_model, dropped: tl.constexpr, H: tl.constexpr):
    """Where the program's row begins, how long it is, its head, and a word to draw dropout with."""
    row, head = tl.program_id(0) // H, tl.program_id(0) % H
    start = tl.load(cu_seqlens + row)
    length = tl.load(cu_seqlens + row + 1) - start
    word = tl.zeros([], tl.uint32)
    if dropped > 0:
        mine = seeds + 2 * (row // rows_of_a_model)
        high = tl.load(mine + 1).to(tl.uint32) + site * 2146121005
        place = (row % rows_of_a_model * H + head).to(tl.uint32)
        word = _scramble(_scramble((place + tl.load(mine).to(tl.uint32)) * 2654435769) + high)
    return start.to(tl.int64), length, head, word


@triton.jit
def mix_rows(
    parts, mixed, sums, cu_seqlens, cos, sin, seeds, site, rows_of_a_model, scale, kept_scale,
    eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    M: tl.constexpr, NORMED: tl.constexpr, ROTATED: tl.constexpr,
):  # fmt: skip
    start, length, head, word = _find_row(cu_seqlens, seeds, site, rows_of_a_model, dropped, H)
    if length <= 0:
        return
    D: tl.constexpr = 2 * HALF
    C: tl.constexpr = H * D
    element = parts.dtype.element_ty
    s, whole = tl.arange(0, M), tl.arange(0, D)
    at = s[:, None] * (3 * C) + tl.arange(0, HALF)[None, :]
    values, out = s[:, None] * (3 * C) + 2 * C + whole[None, :], s[:, None] * C + whole[None, :]
    parts += start * (3 * C) + head * D
    mixed += start * C + head * D
    sums += start * H + head
    there = s[:, None] < length
    q = _load_rotated(parts + at, cos, sin, s, there, eps, HALF, NORMED, ROTATED)
    k = _load_rotated(parts + at + C, cos, sin, s, there, eps, HALF, NORMED, ROTATED)
    v = tl.load(parts + values, mask=there, other=0.0)
    scores = _compare(q, k, s, s, length, scale)
    most = tl.max(scores, 1)
    weights = tl.exp2(scores - most[:, None])
    total = tl.sum(weights, 1)
    found = tl.dot(_drop(weights, word, s, s, dropped).to(element), v)
    tl.store(mixed + out, (found * (kept_scale / total)[:, None]).to(element), mask=there)
    tl.store(sums + s * H, most + tl.log2(total), mask=s < length)
    if length > M:  # the second block, whose queries see the first as well
        t = s + M
        beyond = t[:, None] < length
        more = M * 3 * C
        q = _load_rotated(parts + at + more, cos, sin, t, beyond, eps, HALF, NORMED, ROTATED)
        late = _load_rotated(parts + at + more + C, cos, sin, t, beyond, eps, HALF, NORMED, ROTATED)
        last = tl.load(parts + values + more, mask=beyond, other=0.0)
        early_scores = _compare(q, k, t, s, length, scale)
        scores = _compare(q, late, t, t, length, scale)
        most = tl.maximum(tl.max(early_scores, 1), tl.max(scores, 1))
        early = tl.exp2(early_scores - most[:, None])
        weights = tl.exp2(scores - most[:, None])
        total = tl.sum(early, 1) + tl.sum(weights, 1)
        found = tl.dot(_drop(early, word, t, s, dropped).to(element), v)
        found += tl.dot(_drop(weights, word, t, t, dropped).to(element), last)
        found = found * (kept_scale / total)[:, None]
        tl.store(mixed + M * C + out, found.to(element), mask=beyond)
        tl.store(sums + t * H, most + tl.log2(total), mask=t < length)


@triton.jit
def _mix_block_back(
    q, k, v, g, sums, along, t, s, length, word, scale, kept_scale, dropped: tl.constexpr
):  # fmt: skip
    """Gradients of a block of queries, of the keys and of the values, as far as these meet."""
    element = q.dtype
    weights = tl.exp2(_compare(q, k, t, s, length, scale * 1.4426950408889634) - sums[:, None])
    gv = tl.dot(tl.trans(_drop(weights * kept_scale, word, t, s, dropped).to(element)), g)
    gw = _drop(tl.dot(g, tl.trans(v)) * kept_scale, word, t, s, dropped)
    gs = (weights * (gw - along[:, None]) * scale).to(element)
    return tl.dot(gs, k), tl.dot(tl.trans(gs), q), gv


@triton.jit
def mix_rows_back(
    parts, grad_parts, grad, mixed, sums, cu_seqlens, cos, sin, seeds, site, rows_of_a_model, scale,
    kept_scale, eps: tl.constexpr, dropped: tl.constexpr, H: tl.constexpr, HALF: tl.constexpr,
    M: tl.constexpr, NORMED: tl.constexpr, ROTATED: tl.constexpr,
):  # fmt: skip
    start, length, head, word = _find_row(cu_seqlens, seeds, site, rows_of_a_model, dropped, H)
    if length <= 0:
        return
    D: tl.constexpr = 2 * HALF
    C: tl.constexpr = H * D
    element = parts.dtype.element_ty
    s, whole = tl.arange(0, M), tl.arange(0, D)
    at = s[:, None] * (3 * C) + tl.arange(0, HALF)[None, :]
    values, out = s[:, None] * (3 * C) + 2 * C + whole[None, :], s[:, None] * C + whole[None, :]
    parts += start * (3 * C) + head * D
    grad_parts += start * (3 * C) + head * D
    grad += start * C + head * D
    mixed += start * C + head * D
    sums += start * H + head
    there = s[:, None] < length
    q = _load_rotated(parts + at, cos, sin, s, there, eps, HALF, NORMED, ROTATED)
    k = _load_rotated(parts + at + C, cos, sin, s, there, eps, HALF, NORMED, ROTATED)
    v = tl.load(parts + values, mask=there, other=0.0)
    g = tl.load(grad + out, mask=there, other=0.0)
    along = tl.sum(g.to(tl.float32) * tl.load(mixed + out, mask=there, other=0.0), 1)
    own = tl.load(sums + s * H, mask=s < length, other=0.0)
    gq, gk, gv = _mix_block_back(
        q, k, v, g, own, along, s, s, length, word, scale, kept_scale, dropped
    )
    _store_grad(
        grad_parts, parts, at, cos, sin, s, there, gq, eps, M, HALF, NORMED, ROTATED
    )  # fmt: skip
    if length > M:  # the second block, whose queries see the first as well
        t = s + M
        beyond = t[:, None] < length
        later = at + M * 3 * C
        q = _load_rotated(parts + later, cos, sin, t, beyond, eps, HALF, NORMED, ROTATED)
        g = tl.load(grad + M * C + out, mask=beyond, other=0.0)
        along = tl.sum(g.to(tl.float32) * tl.load(mixed + M * C + out, mask=beyond, other=0.0), 1)
        own = tl.load(sums + t * H, mask=t < length, other=0.0)
        gq, gk_more, gv_more = _mix_block_back(
            q, k, v, g, own, along, t, s, length, word, scale, kept_scale, dropped
        )
        gk += gk_more
        gv += gv_more
        late = _load_rotated(parts + later + C, cos, sin, t, beyond, eps, HALF, NORMED, ROTATED)
        last = tl.load(parts + values + M * 3 * C, mask=beyond, other=0.0)
        gq_more, gk_last, gv_last = _mix_block_back(
            q, late, last, g, own, along, t, t, length, word, scale, kept_scale, dropped
        )
        tl.store(grad_parts + values + M * 3 * C, gv_last.to(element), mask=beyond)
        _store_grad(
            grad_parts, parts, later, cos, sin, t, beyond, gq + gq_more, eps, M, HALF, NORMED,
            ROTATED,
        )  # fmt: skip
        _store_grad(
            grad_parts, parts, later + C, cos, sin, t, beyond, gk_last, eps, M, HALF, NORMED,
            ROTATED,
        )  # fmt: skip
    tl.store(grad_parts + values, gv.to(element), mask=there)
    _store_grad(
        grad_parts, parts, at + C, cos, sin, s, there, gk, eps, M, HALF, NORMED, ROTATED
    )  # fmt: skip
