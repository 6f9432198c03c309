"""Causal attention within rows of unequal length that stand one after the other, without padding.

torch's fused kernel for such rows exists in half precision on a GPU. It takes the places at which
rows begin, which stay on the device, so that a captured step works for any lengths.

Shapes: N slots of a packing, H heads, D head width.
"""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from wherefrom.models.attention.packing import Packing

UNPADDED = True  # False: spread rows and pad them, where the kernel is missing or to compare


def flows(x: Tensor, packing: Packing) -> bool:
    """Whether rows can be attended to as they stand: in half precision on a GPU."""
    half = x.dtype in (torch.bfloat16, torch.float16)
    half = half or (x.is_cuda and torch.is_autocast_enabled("cuda"))
    return UNPADDED and packing.joints is not None and half


def attend_rows(q_NHD: Tensor, k_NHD: Tensor, v_NHD: Tensor, packing: Packing) -> Tensor:
    """Each slot's mixture of the values of its row up to itself. Empty slots make rows, too."""
    longest = packing.slots_BT.shape[1]
    assert packing.joints is not None
    mixed, *_ = torch.ops.aten._flash_attention_forward(
        q_NHD, k_NHD, v_NHD, packing.joints, packing.joints, longest, longest, 0.0, True, False
    )
    return mixed


def try_out(device: torch.device, heads: int, width: int) -> None:
    """Pad rows if the kernel is missing here, or gives something else than attention does.

    Called before steps are captured or compiled: in the middle of that it would be too late.
    """
    global UNPADDED
    if _device_kind(device) != "cuda" or not UNPADDED:
        return
    try:
        UNPADDED = _agrees(device, heads, width)
    except Exception:  # whatever this torch or this chip lacks: padding works everywhere
        UNPADDED = False


def _device_kind(device: torch.device) -> str:
    return device.type


def _agrees(device: torch.device, heads: int, width: int) -> bool:
    lengths = torch.tensor([3, 0, 5], device=device)
    packing = Packing.of(lengths, 6, 10)
    parts = torch.linspace(-1, 1, 3 * 10 * heads * width, device=device).sin()
    parts = parts.view(3, 10, heads, width).to(torch.bfloat16).requires_grad_()
    mixed = attend_rows(parts[0], parts[1], parts[2], packing)
    (slopes,) = torch.autograd.grad(mixed.float().square().sum(), parts)
    wide = parts.detach().float().requires_grad_()
    rows = [wide[:, slots].transpose(1, 2) for slots in (slice(3), slice(3, 8), slice(8, 10))]
    each = [scaled_dot_product_attention(r[0], r[1], r[2], is_causal=True) for r in rows]
    expected = torch.cat([row.transpose(0, 1) for row in each])
    (wanted,) = torch.autograd.grad(expected.square().sum(), wide)
    near = torch.allclose(mixed.float(), expected, atol=0.02)
    return near and torch.allclose(slopes.float(), wanted, atol=0.1)
