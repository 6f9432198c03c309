"""Our own attention kernels against attention row by row. They need a GPU, or Triton's interpreter.

    TRITON_INTERPRET=1 python -m pytest tests/models/attention/test_row_operations.py

The interpreter knows no bf16, so that half precision is fp16 here.
"""

import os
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
if not (INTERPRETED or torch.cuda.is_available()):
    pytest.skip("no CUDA GPU here", allow_module_level=True)

from wherefrom.models.attention.row_operations import mix_rows  # noqa: E402

DEVICE = torch.device("cpu" if INTERPRETED else "cuda")
HEADS, WIDTH, EPS = 2, 32, 1e-6
LENGTHS = [3, 0, 40, 100, 65, 64, 6]  # the last are empty slots
JOINTS = torch.tensor([0, *LENGTHS], dtype=torch.int32).cumsum(0).int().to(DEVICE)
ANGLES = torch.arange(128)[:, None] * 100.0 ** (-torch.arange(WIDTH // 2) / 16)


def draw(columns: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(sum(LENGTHS), columns, generator=generator).half().to(DEVICE)


def attend(parts, cos, sin, normed: bool):
    """Row by row in float32."""
    found = []
    for first, last in pairwise(JOINTS.tolist()):
        q, k, v = parts[first:last].view(last - first, 3, HEADS, WIDTH).permute(1, 2, 0, 3)
        if normed:
            q, k = (F.rms_norm(x, (WIDTH,), eps=EPS) for x in (q, k))
        if cos is not None:
            q, k = (turn(x, cos[: last - first], sin[: last - first]) for x in (q, k))
        weights = (q @ k.mT / WIDTH**0.5).masked_fill(
            torch.ones(last - first, last - first, device=DEVICE).triu(1) > 0, -torch.inf
        )
        found.append((weights.softmax(-1) @ v).transpose(0, 1).flatten(1))
    return torch.cat(found)


def turn(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def assert_near(found, expected) -> None:
    assert float((found - expected).detach().norm() / expected.detach().norm()) < 2e-3


@pytest.mark.parametrize("normed", [True, False])
@pytest.mark.parametrize("rotated", [True, False])
def test_kernels_give_what_attention_gives(normed, rotated):
    cos, sin = (ANGLES.cos().to(DEVICE), ANGLES.sin().to(DEVICE)) if rotated else (None, None)
    parts = draw(3 * HEADS * WIDTH, 0).requires_grad_()
    wide = parts.detach().float().requires_grad_()
    gradient = draw(HEADS * WIDTH, 1)
    found, _ = mix_rows(parts, JOINTS, cos, sin, None, 0, 1, HEADS, normed, 0.0, EPS)
    expected = attend(wide, cos, sin, normed)
    assert_near(found, expected)
    (grad,) = torch.autograd.grad(found, parts, gradient)
    (wanted,) = torch.autograd.grad(expected, wide, gradient.float())
    assert_near(grad, wanted)
