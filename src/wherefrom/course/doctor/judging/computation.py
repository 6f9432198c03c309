"""The assignment's models, computed from tables of weights: what is right, and usual mistakes.

No class of a submission is needed here: a table has the parameters by the course's names. A usual
mistake is a change of some fields of the `Model`, which is how it is named.

Shapes: B rows, T characters, H heads, D a head's width, C = H x D, M latents.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.course.doctor.findings import Finding, expect

BASE = 10000.0
HIDDEN = -1e10
NO_PAD = -100  # with this as the pad, all targets count
LEARNED_POSITIONS = "pos_emb"  # a model with rotary positions has none
DOWN, UP = "down_block", "up_block"  # only a perceiver has these

State = Mapping[str, Tensor]
# What a mistake changes in the computation, its name, and what the output then is like; if one of
# these changes explains an output, that is what is wrong with it.
Mistake = tuple[dict[str, Any], str, str]

MISTAKES: Mapping[str, list[Mistake]] = json.loads(
    Path(__file__).with_name("mistakes.json").read_text("utf-8")
)
LEFT_OUT = MISTAKES["around attention"]  # what may be missing from a model
# The hand-outs say what a perceiver's blocks normalise ("on C, and then on the input to the MLP")
# and leave the rest to "copy the code from Block": public solutions add the attention's output to
# its queries or do not, and normalise its other input or do not. All four readings are right; the
# course's own figures were got with the first.
READINGS = tuple({"residual": a, "other_normed": b} for a, b in product((False, True), repeat=2))


def mistakes_of(variant: str) -> Sequence[Mistake]:
    """The usual ones of a variant's attention; a perceiver's in every reading."""
    found = [*MISTAKES["any attention"], *MISTAKES[variant]]
    if variant == "perceiver":
        return [(reading | changes, mistake, text)
                for changes, mistake, text in found for reading in READINGS]  # fmt: skip
    more = MISTAKES["vanilla"] if variant == "rope" else []
    return [*found, *MISTAKES["any but a perceiver's"], *more]


def computed(
    state: State, variant: str, heads: int, given: State | None = None, **changes: Any
) -> "Model":
    """A variant's model, or what a mistake makes of it."""
    return Model(state, variant, heads, given or {}, **(_RIGHT.get(variant, {}) | changes))


_RIGHT: dict[str, dict[str, Any]] = {"synthesizer": {"scaled": False}, "rope": {"turned": "qk"}}


@dataclass(frozen=True)
class Model:
    """A variant's model; what is `given` by its place was computed elsewhere, and is taken so.

    The other fields say how it computes; their defaults are right for what was handed out.
    """

    state: State
    variant: str
    heads: int
    given: State = field(default_factory=dict)
    masked: str = "scores"  # or "weights", after softmax; "": there is no mask
    hides: str = "triu"  # the part of the scores, from which diagonal on
    diagonal: int = 1
    hidden: float = HIDDEN  # the score of what is in the future
    over: str = "keys"  # what softmax goes over; "": there is none
    scaled: bool = True  # scores are divided by the root of a head's width
    rectified: str = "hidden"  # what a synthesizer's ReLU is of: "hidden", "scores" or ""
    viewed: bool = False  # heads are split without a transpose
    merged: bool = False  # and put together without one
    projected: bool = True
    valued: bool = True  # values are a projection of the input, not the input
    turned: str = ""  # which of queries, keys and values are rotated
    halves: bool = False  # dimension i is rotated with i + D/2
    whole: bool = False  # rotated before the heads are split
    wide: bool = False  # with the angles of as many dimensions as the model has, not a head
    base: float = BASE
    first: int = 0  # the pair whose angles come first
    signs: Sequence[float] = (-1.0, 1.0)  # of the two sines
    left_out: str = ""  # of the model around its attention
    residual: bool = False  # a perceiver adds its queries to what the attention gives
    other_normed: bool = False  # by ln1: the text on the way down, and on the way up
    latents_normed: bool = True
    mlp_residual: bool = True
    mlp_normed: bool = True

    def linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.state[f"{name}.weight"], self.state.get(f"{name}.bias"))

    def norm(self, name: str, x: Tensor, wanted: bool = True) -> Tensor:
        weight, bias = f"{name}.weight", f"{name}.bias"
        if not wanted:
            return x
        return F.layer_norm(x, x.shape[-1:], self.state[weight], self.state.get(bias))

    # -- attention -------------------------------------------------------------------------------

    def attention(self, at: str, x: Tensor) -> Tensor:
        """The attention of a place such as "blocks.0.attn."."""
        found = self.given.get(at.removesuffix("."))
        if found is not None and found.shape == x.shape:
            return found
        if self.variant == "synthesizer":
            return self.synthesize(at, x)
        if self.variant == "perceiver":  # among its latents, it is the one handed out
            return computed(self.state, "vanilla", self.heads).attend(at, x, x)
        return self.attend(at, x, x)

    def split(self, x: Tensor) -> Tensor:
        """(B, T, C) to (B, H, T, D)."""
        if self.viewed:
            return x.reshape(len(x), self.heads, x.shape[1], -1)
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def mix(self, at: str, scores: Tensor, values: Tensor) -> Tensor:
        """What attention makes of scores (B, H, T, S) and values (B, H, S, D): (B, T, C)."""
        later = getattr(torch.ones(scores.shape[-2:], dtype=torch.bool), self.hides)(self.diagonal)
        hidden = scores.masked_fill(later & (self.masked == "scores"), self.hidden)
        dimension = {"keys": -1, "queries": -2, "heads": 1}
        weights = hidden.softmax(dimension[self.over]) if self.over else hidden
        mixed = weights.masked_fill(later & (self.masked == "weights"), 0.0) @ values
        rows, _, count, _ = mixed.shape
        mixed = (mixed if self.merged else mixed.transpose(1, 2)).reshape(rows, count, -1)
        return self.linear(f"{at}proj", mixed) if self.projected else mixed

    def synthesize(self, at: str, x: Tensor) -> Tensor:
        """softmax(ReLU(x A + b1) B + b2) (x V), per head, then the output projection."""
        count, size = x.shape[1], x.shape[2] // self.heads
        hidden = self.split(self.linear(f"{at}w1", x))
        hidden = hidden.clamp(min=0) if self.rectified == "hidden" else hidden
        scores = hidden @ self.state[f"{at}w2"][:, :count] + self.state[f"{at}b2"][:count]
        scores = scores.clamp(min=0) if self.rectified == "scores" else scores
        scores = scores / math.sqrt(size) if self.scaled else scores
        return self.mix(at, scores, self.split(self.values(at, x)))

    def values(self, at: str, x: Tensor) -> Tensor:
        return self.linear(f"{at}value", x) if self.valued else x

    def attend(self, at: str, x: Tensor, other: Tensor) -> Tensor:
        """softmax(q k^T / sqrt(D)) v per head, then the output projection; x asks the other."""
        parts = {"q": self.linear(f"{at}query", x)}
        parts |= {"k": self.linear(f"{at}key", other), "v": self.values(at, other)}
        for rotates in (self.whole, not self.whole):
            if rotates:
                parts |= {name: self.rotate(parts[name], x.shape[2]) for name in self.turned}
            if parts["q"].dim() == 3:
                parts = {name: self.split(part) for name, part in parts.items()}
        q, k, v = parts.values()
        scores = q @ k.transpose(-2, -1) / (math.sqrt(q.shape[-1]) if self.scaled else 1.0)
        return self.mix(at, scores, v)

    def rotate(self, x: Tensor, width: int) -> Tensor:
        if self.halves:
            mixed = x.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
            return turn(mixed).unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2)
        return turn(x, self.base, width if self.wide else None, self.first, self.signs)

    # -- a perceiver's two blocks ----------------------------------------------------------------

    def project(self, at: str, x: Tensor, y: Tensor | None = None) -> Tensor:
        """Down (y is None): the latents C ask the text x. Up: the text asks the latents y."""
        part = replace(self, state=_named_parts(self.state, at))
        latents = self.state[f"{at}C"].expand(len(x), -1, -1) if y is None else y
        queries = latents if y is None else x
        text = part.norm("ln1", x, self.other_normed)
        latents = part.norm("ln1", latents, self.latents_normed)
        mixed = part.attend("attn.", *((latents, text) if y is None else (text, latents)))
        mixed = queries + mixed if self.residual else mixed
        hidden = F.gelu(part.linear("mlp.0", part.norm("ln2", mixed, self.mlp_normed)))
        out = part.linear("mlp.2", hidden)
        return mixed + out if self.mlp_residual else out

    # -- the whole -------------------------------------------------------------------------------

    def __call__(self, ids: Tensor) -> Tensor:
        """Logits (B, T, V) of a GPT in the course's names."""
        x = F.embedding(ids, self.state["tok_emb.weight"])
        positions = self.state.get(LEARNED_POSITIONS)
        if positions is not None and self.left_out != "positions":
            x = x + positions[:, : ids.shape[1]]
        y, projects = x, self.variant == "perceiver"
        if projects:
            y = self.given[DOWN] if DOWN in self.given else self.project(f"{DOWN}.", x)
        for i in range(len({n.split(".")[1] for n in self.state if n.startswith("blocks.")})):
            y = self.block(f"blocks.{i}.", y)
        if projects:
            y = self.given[UP] if UP in self.given else self.project(f"{UP}.", x, y)
        return self.linear("head", self.norm("ln_f", y, self.left_out != "last norm"))

    def block(self, at: str, x: Tensor) -> Tensor:
        left_out = self.left_out
        keep, normed = 0.0 if left_out == "residuals" else 1.0, left_out != "norms"
        x = keep * x + self.attention(f"{at}attn.", self.norm(f"{at}ln1", x, normed))
        hidden = self.linear(f"{at}mlp.0", self.norm(f"{at}ln2", x, normed))
        hidden = F.gelu(hidden, approximate="tanh" if left_out == "exact gelu" else "none")
        return keep * x + self.linear(f"{at}mlp.2", hidden)


def turn(
    x: Tensor, base: float = BASE, width: int | None = None, first: int = 0,
    signs: Sequence[float] = (-1.0, 1.0),
) -> Tensor:  # fmt: skip
    """Dimensions 2i and 2i + 1 of (..., T, D) are turned by t base^(-2i/D)."""
    a, b = x.double().unflatten(-1, (-1, 2)).unbind(-1)
    count, half = a.shape[-2:]
    share = 2 * (first + torch.arange(half).double()) / (width or 2 * half)
    angles = torch.arange(count)[:, None] * base**-share
    sines, cosines = angles.sin(), angles.cos()
    turned = a * cosines + signs[0] * b * sines, signs[1] * a * sines + b * cosines
    return torch.stack(turned, -1).flatten(-2).to(x.dtype)


def _named_parts(state: State, at: str) -> dict[str, Tensor]:
    """A block's parameters by the hand-out's names: students name these parts themselves."""
    inside = {name[len(at) :]: value for name, value in state.items() if name.startswith(at)}
    renamed: dict[str, Tensor] = {}
    norms, layers = list[str](), list[str]()
    for name, value in inside.items():
        part, _, last = name.rpartition(".")
        if part.rpartition(".")[2] in ("query", "key", "value", "proj"):
            renamed[f"attn.{part.rpartition('.')[2]}.{last}"] = value
        elif last in ("weight", "bias") and part:
            kinds = norms if value.dim() == 1 and inside[f"{part}.weight"].dim() == 1 else layers
            kinds += [part] if part not in kinds else []
            where = f"ln{kinds.index(part) + 1}" if kinds is norms else None
            renamed[f"{where or f'mlp.{2 * kinds.index(part)}'}.{last}"] = value
    return renamed


# -- the mistake that explains what a submission computes ------------------------------------------


def compare(
    what: str,
    given: Tensor,
    compute: Callable[..., Tensor],
    mistakes: Iterable[Mistake],
    tolerance: float,
    otherwise: str = "formula",
) -> None:
    """A Finding if it is not what is right.

    `compute` takes the changes of a mistake. `otherwise` names what no mistake explains.
    """
    expected = compute()
    said = f"{what} is {tuple(given.shape)}, expected {tuple(expected.shape)}"
    expect(given.shape == expected.shape, "form", said)
    if is_near(given, expected, tolerance):
        return
    for changes, mistake, text in mistakes:
        if is_near(given, compute(**changes), tolerance):
            raise Finding(mistake, f"{what} is as if {text}")
    off = float((given - expected).abs().max())
    raise Finding(otherwise, f"{what} differs from what it should be by up to {off:.1g}")


def is_near(given: Tensor, expected: Tensor, tolerance: float) -> bool:
    """Whether all numbers agree, relative to the largest that is expected."""
    if given.shape != expected.shape:
        return False
    within = tolerance * max(1.0, float(expected.abs().max()))
    return torch.allclose(given.double(), expected.double(), rtol=0, atol=within)
