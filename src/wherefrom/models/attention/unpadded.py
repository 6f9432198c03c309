"""Causal attention within rows of unequal length that stand one after the other, without padding.

On a GPU there are three ways, none of which asks the host for the lengths, so that a captured step
works for any: our own kernels, which also norm and turn queries and keys (`row_kernels.py`, half
precision, short rows), and torch's fused kernels for half and for single precision. A way is used
once it has been tried out on the device; what is left is to spread the rows and pad them.

Shapes: N slots of a packing, H heads, D head width, C = H x D.
"""

import torch
from torch import Tensor
from torch.nn.functional import rms_norm, scaled_dot_product_attention

from wherefrom.models.attention.packing import Packing

OWN, HALF, SINGLE = "own kernels", "torch's, half precision", "torch's, single precision"
WANTED = {OWN, HALF, SINGLE}  # what may be used; a benchmark takes some away to compare
NORM_EPS = 1e-6  # of queries and keys; one for all precisions
_working: set[str] = set()  # what was tried out on this device and gives what attention gives
_CAUSAL = 1  # for the kernel in single precision: the triangle from the top left
_HALVES = (torch.bfloat16, torch.float16)
_LONGEST, _WIDTHS = 128, (32, 64, 128)  # characters of a row, and of a head, that our kernels take

Angles = tuple[Tensor, Tensor] | None


def choose_way(x: Tensor, packing: Packing, width: int) -> str | None:
    """How rows are attended to as they stand; None: they must be padded."""
    if packing.cu_seqlens is None:
        return None
    if x.dtype in _HALVES or torch.is_autocast_enabled("cuda"):
        fits = packing.slots_BT.shape[1] <= _LONGEST and width in _WIDTHS
        return OWN if fits and OWN in _working else HALF if HALF in _working else None
    return SINGLE if x.dtype == torch.float32 and SINGLE in _working else None


def attend_rows(
    q_NHD: Tensor, k_NHD: Tensor, v_NHD: Tensor, packing: Packing, dropout: float = 0.0
) -> Tensor:
    """Each slot's mixture of the values of its row up to itself. Empty slots make rows, too."""
    longest, cu_seqlens = packing.slots_BT.shape[1], packing.cu_seqlens
    assert cu_seqlens is not None
    if v_NHD.dtype == torch.float32:
        whole = (q_NHD[None], k_NHD[None], v_NHD[None], None)
        parts = (*whole, cu_seqlens, cu_seqlens, longest, longest)
        return torch.ops.aten._efficient_attention_forward(*parts, dropout, _CAUSAL, True)[0][0]
    parts = (q_NHD, k_NHD, v_NHD, cu_seqlens, cu_seqlens, longest, longest)
    return torch.ops.aten._flash_attention_forward(*parts, dropout, True, False)[0]


def attend_projected(
    parts_N3C: Tensor,
    packing: Packing,
    heads: int,
    angles: Angles,
    normed: bool,
    dropout: float = 0.0,
    seeds_K2: Tensor | None = None,
    site: int = 0,
) -> Tensor:
    """The same from the projection on, by our own kernels: queries, keys and values in one.

    `angles` (cosines and sines, (T, D/2)) turn queries and keys; dropout is counted (dropout.py).
    """
    cos, sin = (None, None) if angles is None else angles
    models = 1 if seeds_K2 is None else seeds_K2.shape[0]
    drawn = (seeds_K2, site, models) if dropout else (None, 0, 1)
    given = (parts_N3C, packing.cu_seqlens, cos, sin, *drawn, heads, normed, dropout, NORM_EPS)
    return torch.ops.wherefrom.mix_rows(*given)[0]


def try_out(
    device: torch.device,
    heads: int,
    width: int,
    angles: Angles,
    normed: bool,
    dropout: float = 0.0,
) -> None:
    """Find the ways that work here: a kernel may be missing, or give something else.

    Called before steps are captured or compiled: during a capture it would be too late.
    """
    _working.clear()
    if _device_kind(device) != "cuda":
        return
    fits = OWN in WANTED and width in _WIDTHS
    if fits and _own_agree(device, heads, width, angles, normed, dropout):
        _working.add(OWN)
    for way, dtype, tolerance in (
        (HALF, torch.bfloat16, 0.05),
        (SINGLE, torch.float32, 5e-3),  # TF32, perhaps
    ):
        if way in WANTED and _agrees(device, heads, width, dtype, tolerance, dropout):
            _working.add(way)


def _device_kind(device: torch.device) -> str:
    return device.type


def _draw(
    device: torch.device, heads: int, width: int, lengths: list[int]
) -> tuple[Tensor, Packing]:
    """Numbers to try with, (N, 3, H, D), in rows of these lengths and two empty slots."""
    slots = sum(lengths) + 2
    packing = Packing.of(torch.tensor(lengths, device=device), max(lengths) + 1, slots)
    parts = torch.linspace(-1, 1, 3 * slots * heads * width, device=device).mul(50).sin()
    return parts.view(slots, 3, heads, width), packing


def _attend_one_by_one(
    parts_N3HD: Tensor, lengths: list[int], angles: Angles, normed: bool
) -> Tensor:
    """What is expected: attention row by row."""
    rows: list[Tensor] = []
    for part in parts_N3HD.split([*lengths, 2]):
        q, k, v = part.permute(1, 2, 0, 3)
        q_and_k = torch.stack((q, k))
        if normed:
            q_and_k = rms_norm(q_and_k, q_and_k.shape[-1:], eps=NORM_EPS)
        if angles is not None:
            (cos, sin), (a, b) = (x[: len(part)] for x in angles), q_and_k.chunk(2, -1)
            q_and_k = torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        mixed = scaled_dot_product_attention(q_and_k[0], q_and_k[1], v, is_causal=True)
        rows.append(mixed.transpose(0, 1))
    return torch.cat(rows)


def _agrees(
    device: torch.device,
    heads: int,
    width: int,
    dtype: torch.dtype,
    tolerance: float,
    dropout: float,
) -> bool:
    """Compare torch's kernel with attention row by row: what is mixed, and its gradient.

    torch 2.11's in single precision drops one thing and differentiates another: no model learns.
    """
    lengths = [3, 0, 40, 70]
    drawn, packing = _draw(device, heads, width, lengths)
    parts = drawn.to(dtype).requires_grad_()
    wide = parts.detach().float().requires_grad_()
    expected = _attend_one_by_one(wide, lengths, None, False)
    try:
        q, k, v = parts.unbind(1)
        near = _is_near(attend_rows(q, k, v, packing), parts, expected, wide, tolerance)
        return near and (
            dropout == 0 or _drops_alike(attend_rows(q, k, v, packing, dropout), parts)
        )
    except Exception:  # whatever this torch or this chip lacks: padding works everywhere
        return False


def _own_agree(
    device: torch.device, heads: int, width: int, angles: Angles, normed: bool, dropout: float
) -> bool:
    """Compare our kernels in the same way, with rows of one block and of two."""
    lengths = [3, 0, 40, 70]
    drawn, packing = _draw(device, heads, width, lengths)
    parts = drawn.flatten(1).to(torch.bfloat16).requires_grad_()
    wide = parts.detach().float().requires_grad_()
    if angles is not None and len(angles[0]) < max(lengths):
        return False  # a model of such short rows is not worth a kernel
    expected = _attend_one_by_one(wide.view_as(drawn), lengths, angles, normed)
    try:
        import wherefrom.models.attention.row_operations  # noqa: F401  # needs Triton

        found = attend_projected(parts, packing, heads, angles, normed)
        near = _is_near(found.view_as(expected), parts, expected, wide, 0.05)
        if near and dropout:
            seeds = torch.ones(1, 2, dtype=torch.int32, device=device)
            drawn = (dropout, seeds, 1)
            found = attend_projected(parts, packing, heads, angles, normed, *drawn)
            near = _drops_alike(found, parts)
        return near
    except Exception:
        return False


def _is_near(
    mixed: Tensor, parts: Tensor, expected: Tensor, wide: Tensor, tolerance: float
) -> bool:
    (wanted,) = torch.autograd.grad(expected.square().sum(), wide)
    (grad,) = torch.autograd.grad(mixed.float().square().sum(), parts)
    pairs = ((mixed, expected), (grad, wanted))
    return all(bool((x - y).norm() <= tolerance * y.norm()) for x, y in pairs)


def _drops_alike(mixed: Tensor, parts: Tensor) -> bool:
    """Whether the gradient drops the weights that the mixture dropped.

    The mixture is linear in the values, whatever was dropped: in every channel its sum is that of
    the values times their gradient. With other weights dropped the two have little in common.
    """
    (grad,) = torch.autograd.grad(mixed.float().sum(), parts)
    values, of_values = (x.detach().float().flatten(1).chunk(3, 1)[2] for x in (parts, grad))
    total = mixed.detach().float().flatten(1).sum(0)
    near = (total - (values * of_values).sum(0)).norm() <= 0.2 * total.norm()
    return bool(near & grad.isfinite().all())
