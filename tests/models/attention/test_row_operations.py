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


def attend(parts, cos, sin, normed: bool, kept=None):
    """Row by row in float32; `kept` multiplies the weights of the one row that has any length."""
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
        weights = weights.softmax(-1)
        if kept is not None:
            weights = weights * kept[(first, last)]
        found.append((weights @ v).transpose(0, 1).flatten(1))
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


def find_kept(seeds: torch.Tensor, site: int, dropout: float) -> dict:
    """Which weights are kept, times what they grow by: read off with values of one column each."""
    kept = {
        span: torch.zeros(HEADS, span[1] - span[0], span[1] - span[0], device=DEVICE)
        for span in pairwise(JOINTS.tolist())
    }
    for first in range(0, max(LENGTHS), WIDTH):
        parts = torch.zeros(sum(LENGTHS), 3, HEADS, WIDTH, device=DEVICE)
        for start, end in kept:
            for place in range(first, min(first + WIDTH, end - start)):
                parts[start + place, 2, :, place - first] = 1.0
        given = parts.flatten(1).half(), JOINTS, None, None, seeds, site, 1, HEADS, False
        mixed, _ = mix_rows(*given, dropout, EPS)
        for (start, end), mask in kept.items():
            own = mixed[start:end].view(end - start, HEADS, WIDTH).transpose(0, 1)
            part = mask[..., first : first + WIDTH]
            part.copy_((own[..., : part.shape[-1]] > 0) / (1 - dropout))
    return kept


def test_what_is_dropped_is_dropped_in_both_passes():
    seeds = torch.tensor([[123, 77]], dtype=torch.int32, device=DEVICE)
    kept = find_kept(seeds, 5, 0.25)
    lower = torch.cat([m.tril().flatten() for m in kept.values()])
    seen = sum(n * (n + 1) // 2 for n in LENGTHS) * HEADS
    assert float((lower > 0).sum()) / seen == pytest.approx(0.75, abs=0.02)
    other = find_kept(seeds, 6, 0.25)
    assert any(not torch.equal(kept[span], other[span]) for span in kept)
    parts = draw(3 * HEADS * WIDTH, 2).requires_grad_()
    wide = parts.detach().float().requires_grad_()
    found, _ = mix_rows(parts, JOINTS, None, None, seeds, 5, 1, HEADS, False, 0.25, EPS)
    expected = attend(wide, None, None, False, kept)
    assert_near(found, expected)
    gradient = draw(HEADS * WIDTH, 3)
    (grad,) = torch.autograd.grad(found, parts, gradient)
    (wanted,) = torch.autograd.grad(expected, wide, gradient.float())
    assert_near(grad, wanted)
