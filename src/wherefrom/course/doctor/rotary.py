"""Check of rotary attention: pairs of dimensions of queries and keys turn with the position."""

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor

from wherefrom.course.doctor.comparison import Mistake, compare, is_near, logits, normal, randomise
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.models import mix, small_config, split_heads
from wherefrom.course.doctor.submission import Submission

BASE = 10000.0
TOLERANCE = 1e-4  # the angles may be kept in single precision
_LARGE_ANGLES = 3e-2  # the slip's angles reach thousands of turns, in single precision
_SPREAD = 0.5  # of the weights: small enough that softmax does not saturate


@torch.no_grad()
def check_formula(submission: Submission) -> str:
    """CausalSelfAttention with `rope` set rotates its queries and keys, and nothing else.

    CS224N's comment writes 1/10000^(-2(i-1)/dim): who takes it by its word is not wrong.
    """
    worst, slips = 0.0, False
    for heads, width, block, count in ((1, 4, 6, 5), (2, 12, 9, 9), (4, 16, 12, 3)):
        config = small_config(heads, width, block, rope=True)
        own = submission.CausalSelfAttention(config)
        layer, x = randomise(own, _SPREAD), normal(2, count, width)
        given, compute = logits(layer(x)), partial(attend, layer, x, heads)
        try:
            off = compare("the output of CausalSelfAttention", given, compute, MISTAKES, TOLERANCE)
            worst = max(worst, off)
        except Finding:
            slips = is_near(given, compute(base=1 / BASE), _LARGE_ANGLES)
            if submission.year.package or not slips:
                raise
    if slips:
        return "the angles grow with the pair, as the hand-out's comment has it by a slip of a sign"
    return f"largest difference from the formula {worst:.0e}"


def attend(
    layer: Any,
    x: Tensor,
    heads: int,
    turned: str = "qk",
    masked: bool = True,
    scaled: bool = True,
    halves: bool = False,
    base: float = BASE,
    whole: bool = False,
    wide: bool = False,
) -> Tensor:
    """softmax(R(q) R(k)^T / sqrt(D)) v per head, then the output projection.

    The options are what it is often taken for: `turned` names what is rotated, `halves` rotates
    dimension i with i + D/2, `whole` rotates before the heads are split, `wide` takes the angles
    of as many dimensions as the model has, not a head.
    """

    def rotate(t: Tensor) -> Tensor:
        if halves:
            mixed = t.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
            return turn(mixed, base).unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2)
        return turn(t, base, x.shape[2] if wide else None)

    parts = {"q": layer.query(x), "k": layer.key(x), "v": layer.value(x)}
    if whole:
        parts |= {name: rotate(parts[name]) for name in turned}
    parts = {name: split_heads(part, heads) for name, part in parts.items()}
    if not whole:
        parts |= {name: rotate(parts[name]) for name in turned}
    q, k, v = parts.values()
    scores = q @ k.transpose(-2, -1) / (math.sqrt(q.shape[-1]) if scaled else 1.0)
    return layer.proj(mix(scores, v, masked))


def turn(x: Tensor, base: float = BASE, width: int | None = None) -> Tensor:
    """Dimensions 2i and 2i + 1 of (B, H, T, D) as a complex number, times exp(j t base^(-2i/D))."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    count, half = pairs.shape[-2:]
    share = 2 * torch.arange(half).double() / (width or 2 * half)
    angles = torch.arange(count)[:, None] * base**-share
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


# What the output would be with one thing wrong, and what that is called.
MISTAKES: tuple[Mistake, ...] = (
    ({"turned": ""}, "no rotation", "queries and keys were not rotated"),
    ({"turned": "k"}, "one rotation", "only the keys were rotated"),
    ({"turned": "q"}, "one rotation", "only the queries were rotated"),
    ({"turned": "qkv"}, "values rotated", "the values were rotated too"),
    ({"masked": False}, "unmasked future", "no mask hid the future"),
    ({"scaled": False}, "unscaled scores", "the scores were not divided by sqrt(D)"),
    ({"halves": True}, "halves paired", "dimension i turned with i + D/2, not 2i with 2i+1"),
    (
        {"wide": True},
        "wide angles",
        "the angles were made for the model's width, not a head's",
    ),
    ({"whole": True}, "rotated before heads", "the rotation came before the heads' split"),
    ({"base": 1000.0}, "wrong base", "the base were 1000, not 10000"),
)
