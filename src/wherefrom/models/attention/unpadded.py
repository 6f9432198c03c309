"""Causal attention within rows of unequal length that stand one after the other, without padding.

torch has fused kernels for such rows on a GPU: one in half precision, another in single. They take
the places at which rows begin, which stay on the device, so that a captured step works for any
lengths.

Shapes: N slots of a packing, H heads, D head width.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from wherefrom.models.attention.packing import Packing

# False: spread rows and pad them, where a kernel is missing, or to compare. They are off until
# whole runs have been measured with them; benchmarks/many.py turns them on.
HALF, SINGLE = False, False
_CAUSAL = 1  # for the kernel in single precision: the triangle from the top left


def flows(x: Tensor, packing: Packing) -> bool:
    """Whether rows can be attended to as they stand: on a GPU, in half or in single precision."""
    if packing.joints is None:
        return False
    if x.dtype in (torch.bfloat16, torch.float16) or torch.is_autocast_enabled("cuda"):
        return HALF
    return SINGLE and x.dtype == torch.float32


def attend_rows(q_NHD: Tensor, k_NHD: Tensor, v_NHD: Tensor, packing: Packing) -> Tensor:
    """Each slot's mixture of the values of its row up to itself. Empty slots make rows, too."""
    longest, joints = packing.slots_BT.shape[1], packing.joints
    assert joints is not None
    if v_NHD.dtype == torch.float32:
        parts = (q_NHD[None], k_NHD[None], v_NHD[None], None, joints, joints, longest, longest)
        return torch.ops.aten._efficient_attention_forward(*parts, 0.0, _CAUSAL, True)[0][0]
    parts = (q_NHD, k_NHD, v_NHD, joints, joints, longest, longest)
    return torch.ops.aten._flash_attention_forward(*parts, 0.0, True, False)[0]


def try_out(device: torch.device, heads: int, width: int) -> None:
    """Pad rows if a kernel is missing here, or gives something else than attention does.

    Called before steps are captured or compiled: in the middle of that it would be too late.
    """
    global HALF, SINGLE
    if _device_kind(device) == "cuda":
        HALF = HALF and _agrees(device, heads, width, torch.bfloat16, 0.05)
        SINGLE = SINGLE and _agrees(device, heads, width, torch.float32, 5e-3)  # TF32, perhaps


def _device_kind(device: torch.device) -> str:
    return device.type


def _agrees(
    device: torch.device, heads: int, width: int, dtype: torch.dtype, tolerance: float
) -> bool:
    """Compare with attention row by row: what is mixed, and its gradient."""
    lengths = torch.tensor([3, 0, 5], device=device)
    packing = Packing.of(lengths, 6, 10)
    parts = torch.linspace(-1, 1, 3 * 10 * heads * width, device=device).mul(50).sin()
    parts = parts.view(3, 10, heads, width).to(dtype).requires_grad_()
    wide = parts.detach().float().requires_grad_()
    rows = [wide[:, slots].transpose(1, 2) for slots in (slice(3), slice(3, 8), slice(8, 10))]
    each = [scaled_dot_product_attention(r[0], r[1], r[2], is_causal=True) for r in rows]
    expected = torch.cat([row.transpose(0, 1) for row in each])
    (wanted,) = torch.autograd.grad(expected.square().sum(), wide)
    try:
        mixed = attend_rows(parts[0], parts[1], parts[2], packing)
        (slopes,) = torch.autograd.grad(mixed.float().square().sum(), parts)
    except Exception:  # whatever this torch or this chip lacks: padding works everywhere
        return False
    near = torch.allclose(mixed.float(), expected, atol=tolerance)
    return near and torch.allclose(slopes.float(), wanted, atol=4 * tolerance)
