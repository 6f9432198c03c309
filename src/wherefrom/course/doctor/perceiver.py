"""Check of a perceiver's two blocks: down into its latents, and up to the text again.

The hand-outs say what to normalise ("on C, and then on the input to the MLP") and leave the rest
to "copy the code from Block": public solutions add the attention's output to its queries or do
not, and normalise its other input or do not. All four readings are right; the first is the one
with which the course's own figures were got.

Shapes: B rows, T characters, M latents, C width.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.course.doctor.comparison import Mistake, compare, is_near, logits, normal, randomise
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.models import CROSS, mix, small_config, split_heads
from wherefrom.course.doctor.submission import Submission

_DOWN, _UP = "DownProjectBlock", "UpProjectBlock"


@dataclass(frozen=True)
class Reading:
    """How a block may be read, or misread; the defaults are the first right reading."""

    residual: bool = False  # the queries are added to what the attention gives
    other_normed: bool = False  # by ln1: the text on the way down, and on the way up
    latents_normed: bool = True
    masked: bool = True
    mlp_residual: bool = True
    mlp_normed: bool = True


READINGS = tuple(Reading(*both) for both in product((False, True), repeat=2))
MISTAKES: tuple[Mistake, ...] = (
    ({"masked": False}, "unmasked future", "no mask hid the future"),
    ({"latents_normed": False}, "latents not normalised", "ln1 were not on the latents"),
    ({"mlp_residual": False}, "no residual", "nothing were added to what the MLP gives"),
    ({"mlp_normed": False}, "mlp not normalised", "ln2 were not before the MLP"),
)


def check_formula(submission: Submission) -> str:
    """DownProjectBlock and UpProjectBlock compute one of the hand-out's readings."""
    told = [_check(submission, name) for name in (_DOWN, _UP)]
    notes = [note for _, note in told if note]
    worst = max(off for off, _ in told)
    return "; ".join([f"largest difference from the formula {worst:.0e}", *notes])


@torch.no_grad()
def _check(submission: Submission, name: str) -> tuple[float, str]:
    """The largest difference, and which reading it is if it is not the first."""
    possible, worst = READINGS, 0.0
    for heads, width, latents, count in ((1, 4, 3, 7), (2, 8, 5, 4), (4, 16, 4, 9)):
        config = small_config(heads, width, 12, latents=latents)
        block = randomise(getattr(submission, name)(config))
        x, y = normal(2, count + latents, width).split((count, latents), 1)
        given = logits(block(x) if name == _DOWN else block(y, x))
        compute = partial(_compute, _parts(block, name, heads), name, x, y)
        possible = [reading for reading in possible if is_near(given, compute(reading))]
        off = compare(f"the output of {name}", given, partial(compute, *possible[:1]), _misread())
        worst = max(worst, off)
    return worst, _in_words(name, possible[0])


def _misread() -> Iterator[Mistake]:
    """Every mistake in every reading."""
    for changes, mistake, text in MISTAKES:
        for reading in READINGS:
            yield {"reading": replace(reading, **changes)}, mistake, text


@dataclass(frozen=True)
class _Parts:
    attention: Any
    ln1: nn.Module
    ln2: nn.Module
    mlp: nn.Module
    basis: Tensor | None
    heads: int


def _parts(block: nn.Module, name: str, heads: int) -> _Parts:
    """A block's parts by their kind: students call the attention `attn` or `cross_attn`."""
    children = list(block.children())
    if not children:
        raise Finding("unwritten", f"{name} has no parts yet")
    attention = [m for m in children if m._get_name() == CROSS]
    norms = [m for m in children if isinstance(m, nn.LayerNorm)]
    mlps = [m for m in children if isinstance(m, nn.Sequential)]
    basis = getattr(block, "C", None)
    for what, found, count in (
        (CROSS, attention, 1), ("LayerNorm", norms, 2), ("MLP", mlps, 1),
    ):  # fmt: skip
        if len(found) != count:
            raise Finding("form", f"{name} holds {len(found)} x {what}, expected {count}")
    if name == _DOWN and not isinstance(basis, Tensor):
        raise Finding("form", "DownProjectBlock has no parameter C: the latents' own rows")
    return _Parts(attention[0], norms[0], norms[1], mlps[0], basis, heads)


def _compute(
    parts: _Parts, name: str, x: Tensor, y: Tensor, reading: Reading = READINGS[0]
) -> Tensor:
    """Down: C asks the text. Up: the text asks the latents y."""
    down = name == _DOWN
    if down:
        assert parts.basis is not None
        queries, other = parts.basis.expand(len(x), -1, -1), x
        asked_normed, other_normed = reading.latents_normed, reading.other_normed
    else:
        queries, other = x, y
        asked_normed, other_normed = reading.other_normed, reading.latents_normed
    asked = parts.ln1(queries) if asked_normed else queries
    mixed = attend(parts.attention, asked, parts.ln1(other) if other_normed else other,
                   parts.heads, reading.masked)  # fmt: skip
    mixed = queries + mixed if reading.residual else mixed
    out = parts.mlp(parts.ln2(mixed) if reading.mlp_normed else mixed)
    return mixed + out if reading.mlp_residual else out


def attend(layer: Any, x_q: Tensor, x_kv: Tensor, heads: int, masked: bool = True) -> Tensor:
    """Position t of the one looks at positions up to t of the other."""
    parts = (layer.query(x_q), layer.key(x_kv), layer.value(x_kv))
    q, k, v = (split_heads(part, heads) for part in parts)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return layer.proj(mix(scores, v, masked))


def _in_words(name: str, reading: Reading) -> str:
    said = ["a residual around the attention"] * reading.residual
    said += ["the text normalised too"] * reading.other_normed
    return f"{name} with {' and '.join(said)}, a reading that the hand-out allows" if said else ""
