"""The assignment's models, computed from tables of weights: what is right, and usual mistakes.

No class of a submission is needed here: a table has the parameters by the course's names. Every
function can also compute what a usual mistake would give, which is how a mistake is named.

Shapes: B rows, T characters, H heads, D a head's width, C = H x D, M latents.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.course.doctor.judging.comparison import Mistake

BASE = 10000.0
HIDDEN = -1e10  # the score of what is in the future
LEARNED_POSITIONS = "pos_emb"  # a model with rotary positions has none
DOWN, UP = "down_block", "up_block"  # only a perceiver has these

State = Mapping[str, Tensor]
Mixer = Callable[[str, Tensor], Tensor]  # of a place such as "blocks.0.attn.", and its input

# What is wrong with any attention, if one of these changes explains its output.
SOFTMAX: tuple[Mistake, ...] = (
    ({"masked": False}, "unmasked future", "no mask hid the future"),
    ({"over": "heads"}, "softmax over heads", "softmax went over the heads, not the positions"),
    ({"over": "queries"}, "softmax over queries", "the weights of each column summed to one"),
    ({"over": ""}, "scores without softmax", "the scores were not put through softmax"),
)
UNSCALED: Mistake = ({"scaled": False}, "unscaled scores", "the scores were not divided by sqrt(D)")
VANILLA = (*SOFTMAX, UNSCALED)
SYNTHESIZER: tuple[Mistake, ...] = (
    *SOFTMAX,
    ({"scaled": True}, "scaled scores", "the scores were divided by the root of a head's width"),
    ({"rectified": False}, "no relu", "there were no ReLU"),
)
ROTARY: tuple[Mistake, ...] = (
    ({"turned": ""}, "no rotation", "queries and keys were not rotated"),
    ({"turned": "k"}, "one rotation", "only the keys were rotated"),
    ({"turned": "q"}, "one rotation", "only the queries were rotated"),
    ({"turned": "qkv"}, "values rotated", "the values were rotated too"),
    *VANILLA,
    ({"halves": True}, "halves paired", "dimension i turned with i + D/2, not 2i with 2i+1"),
    ({"wide": True}, "wide angles", "the angles were made for the model's width, not a head's"),
    ({"whole": True}, "rotated before heads", "the rotation came before the heads' split"),
    ({"base": 1000.0}, "wrong base", "the base were 1000, not 10000"),
    ({"first": 1}, "angles shifted", "the first pair had the second pair's angles"),
    ({"first": -1}, "angles shifted", "the second pair had the first pair's angles"),
)
# What may be missing from a model around its attention.
LEFT_OUT: tuple[Mistake, ...] = (
    ({"left_out": "positions"}, "positions unused", "pos_emb were never added to the characters"),
    ({"left_out": "last norm"}, "no last norm", "ln_f were left out"),
    ({"left_out": "residuals"}, "no residuals", "a block did not add its input to its output"),
    ({"left_out": "norms"}, "no norms in the blocks", "ln1 and ln2 were left out"),
    ({"left_out": "exact gelu"}, "another GELU", "GELU were its tanh approximation"),
)


def linear(state: State, name: str, x: Tensor) -> Tensor:
    return F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


def norm(state: State, name: str, x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state.get(f"{name}.bias"))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, C) to (B, H, T, D)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def mix(scores: Tensor, values: Tensor, masked: bool = True, over: str = "keys") -> Tensor:
    """What attention makes of scores (B, H, T, S) and values (B, H, S, D): (B, T, C)."""
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1) & masked
    hidden = scores.masked_fill(later, HIDDEN if over else 0.0)
    dimension = {"keys": -1, "queries": -2, "heads": 1}
    weights = hidden.softmax(dimension[over]) if over else hidden
    return (weights @ values).transpose(1, 2).flatten(2)


def synthesize(
    state: State,
    at: str,
    x: Tensor,
    heads: int,
    scaled: bool = False,
    rectified: bool = True,
    masked: bool = True,
    over: str = "keys",
) -> Tensor:
    """softmax(ReLU(x A + b1) B + b2) (x V), per head, then the output projection."""
    count, size = x.shape[1], x.shape[2] // heads
    hidden = split_heads(linear(state, f"{at}w1", x), heads)
    hidden = hidden.clamp(min=0) if rectified else hidden
    scores = hidden @ state[f"{at}w2"][:, :count] + state[f"{at}b2"][:count]
    scores = scores / math.sqrt(size) if scaled else scores
    values = split_heads(linear(state, f"{at}value", x), heads)
    return linear(state, f"{at}proj", mix(scores, values, masked, over))


def attend(
    state: State,
    at: str,
    x: Tensor,
    heads: int,
    other: Tensor | None = None,
    turned: str = "",
    scaled: bool = True,
    halves: bool = False,
    base: float = BASE,
    first: int = 0,
    whole: bool = False,
    wide: bool = False,
    masked: bool = True,
    over: str = "keys",
) -> Tensor:
    """softmax(q k^T / sqrt(D)) v per head, then the output projection; `other` has keys and values.

    `turned` names what is rotated: "qk" is right for rotary attention. `halves` rotates dimension
    i with i + D/2, `whole` rotates before the heads are split, `wide` takes the angles of as many
    dimensions as the model has, not a head, and `first` is the pair whose angles come first.
    """

    def rotate(t: Tensor) -> Tensor:
        if halves:
            mixed = t.unflatten(-1, (2, -1)).transpose(-2, -1).flatten(-2)
            return turn(mixed).unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2)
        return turn(t, base, x.shape[2] if wide else None, first)

    read = x if other is None else other
    parts = {"q": linear(state, f"{at}query", x)}
    parts |= {"k": linear(state, f"{at}key", read), "v": linear(state, f"{at}value", read)}
    if whole:
        parts |= {name: rotate(parts[name]) for name in turned}
    parts = {name: split_heads(part, heads) for name, part in parts.items()}
    if not whole:
        parts |= {name: rotate(parts[name]) for name in turned}
    q, k, v = parts.values()
    scores = q @ k.transpose(-2, -1) / (math.sqrt(q.shape[-1]) if scaled else 1.0)
    return linear(state, f"{at}proj", mix(scores, v, masked, over))


def turn(x: Tensor, base: float = BASE, width: int | None = None, first: int = 0) -> Tensor:
    """Dimensions 2i and 2i + 1 of (..., T, D) as a complex number, times exp(j t base^(-2i/D))."""
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    count, half = pairs.shape[-2:]
    share = 2 * (first + torch.arange(half).double()) / (width or 2 * half)
    angles = torch.arange(count)[:, None] * base**-share
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)


# -- a perceiver's two blocks --------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """How a perceiver's block may be read, or misread; the defaults are the first right reading.

    The hand-outs say what to normalise ("on C, and then on the input to the MLP") and leave the
    rest to "copy the code from Block": public solutions add the attention's output to its queries
    or do not, and normalise its other input or do not. All four readings are right; the course's
    own figures were got with the first.
    """

    residual: bool = False  # the queries are added to what the attention gives
    other_normed: bool = False  # by ln1: the text on the way down, and on the way up
    latents_normed: bool = True
    masked: bool = True
    over: str = "keys"
    mlp_residual: bool = True
    mlp_normed: bool = True

    def __str__(self) -> str:
        said = ["a residual around the attention"] * self.residual
        return " and ".join(said + ["the text normalised too"] * self.other_normed)


READINGS = tuple(Reading(a, b) for a, b in product((False, True), repeat=2))
PERCEIVER: tuple[Mistake, ...] = (
    *SOFTMAX[:3],
    ({"latents_normed": False}, "latents not normalised", "ln1 were not on the latents"),
    ({"mlp_residual": False}, "no residual", "nothing were added to what the MLP gives"),
    ({"mlp_normed": False}, "mlp not normalised", "ln2 were not before the MLP"),
)


def mistakes_of(variant: str) -> Sequence[Mistake]:
    """The usual ones of a variant's attention; a perceiver's in every reading."""
    if variant == "perceiver":
        return [({"reading": replace(reading, **changes)}, mistake, text)
                for changes, mistake, text in PERCEIVER for reading in READINGS]  # fmt: skip
    return {"synthesizer": SYNTHESIZER, "rope": ROTARY}.get(variant, VANILLA)


def project(
    state: State, at: str, x: Tensor, y: Tensor | None, heads: int, reading: Reading = READINGS[0]
) -> Tensor:
    """Down (y is None): the latents C ask the text x. Up: the text asks the latents y."""
    inside = _named_parts(state, at)
    if y is None:
        queries, other = state[f"{at}C"].expand(len(x), -1, -1), x
        asked_normed, other_normed = reading.latents_normed, reading.other_normed
    else:
        queries, other = x, y
        asked_normed, other_normed = reading.other_normed, reading.latents_normed
    asked = norm(inside, "ln1", queries) if asked_normed else queries
    read = norm(inside, "ln1", other) if other_normed else other
    mixed = attend(inside, "attn.", asked, heads, read, masked=reading.masked, over=reading.over)
    mixed = queries + mixed if reading.residual else mixed
    hidden = F.gelu(linear(inside, "mlp.0", norm(inside, "ln2", mixed) if reading.mlp_normed
                           else mixed))  # fmt: skip
    out = linear(inside, "mlp.2", hidden)
    return mixed + out if reading.mlp_residual else out


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


# -- whole models --------------------------------------------------------------------------------


def mixer_of(variant: str, state: State, heads: int, **changes: object) -> Mixer:
    """The attention of a variant's blocks, or what a mistake makes of it."""
    if variant == "synthesizer":
        return lambda at, x: synthesize(state, at, x, heads, **changes)  # pyright: ignore
    turned = {"turned": "qk"} if variant == "rope" else {}
    return lambda at, x: attend(state, at, x, heads, **(turned | changes))  # pyright: ignore


def forward(
    state: State,
    ids: Tensor,
    mixer: Mixer,
    left_out: str = "",
    down: Callable[[Tensor], Tensor] | None = None,
    up: Callable[[Tensor, Tensor], Tensor] | None = None,
) -> Tensor:
    """Logits (B, T, V) of a GPT in the course's names; attention and projections are passed in."""

    def normed(name: str, x: Tensor, part: str) -> Tensor:
        return x if left_out == part else norm(state, name, x)

    def block(at: str, x: Tensor) -> Tensor:
        keep = 0.0 if left_out == "residuals" else 1.0
        x = keep * x + mixer(f"{at}attn.", normed(f"{at}ln1", x, "norms"))
        hidden = linear(state, f"{at}mlp.0", normed(f"{at}ln2", x, "norms"))
        approximate = "tanh" if left_out == "exact gelu" else "none"
        return keep * x + linear(state, f"{at}mlp.2", F.gelu(hidden, approximate=approximate))

    x = F.embedding(ids, state["tok_emb.weight"])
    positions = state.get(LEARNED_POSITIONS)
    if positions is not None and left_out != "positions":
        x = x + positions[:, : ids.shape[1]]
    y = down(x) if down else x
    for i in range(blocks_of(state)):
        y = block(f"blocks.{i}.", y)
    y = up(y, x) if up else y
    return linear(state, "head", normed("ln_f", y, "last norm"))


def blocks_of(state: State) -> int:
    return len({name.split(".")[1] for name in state if name.startswith("blocks.")})


def whole(
    state: State, variant: str, heads: int, reading: Reading = READINGS[0], **changes: object
) -> Callable[..., Tensor]:
    """The variant's model as a function of characters."""
    kept = {k: changes.pop(k) for k in ("left_out",) if k in changes}
    mixer = mixer_of(variant, state, heads, **changes)
    if variant != "perceiver":
        return lambda ids: forward(state, ids, mixer, **kept)  # pyright: ignore
    return lambda ids: forward(
        state, ids, mixer, **kept,  # pyright: ignore
        down=lambda x: project(state, f"{DOWN}.", x, None, heads, reading),
        up=lambda y, x: project(state, f"{UP}.", x, y, heads, reading),
    )  # fmt: skip
