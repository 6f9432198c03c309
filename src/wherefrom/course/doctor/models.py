"""Checks of the models that a submission builds: their classes, the causal mask, the formula."""

import inspect
import math
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.course.doctor import programs
from wherefrom.course.doctor.comparison import Mistake, compare, logits, normal, randomise, together
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

COURSE_SIZES = {"n_layer": 4, "n_head": 8, "n_embd": 256}
SMALL_SIZES = {"n_layer": 3, "n_head": 2, "n_embd": 16}  # a perceiver needs three
SMALL_LATENTS = 5
VOCABULARY, BLOCK = 256, 128
ATTENTION = {
    "vanilla": "CausalSelfAttention",
    "synthesizer": "SynthesizerAttention",
    "perceiver": "CausalSelfAttention",  # among its latents
    "rope": "CausalSelfAttention",
}
PERCEIVER = "perceiver"
CROSS = "CausalCrossAttention"  # into the latents, and out of them
_RENAMED = "it is a vanilla model under another name, as if a flag were never set"
_DOWN, _UP = "down_block", "up_block"  # only a perceiver has these
LEARNED_POSITIONS = "pos_emb"  # a model with rotary positions has none
# The synthesizer's second count: w2 as wide as the block, not one less.
PARAMETERS = {
    "vanilla": (3_323_392,),
    "synthesizer": (3_076_988, 3_077_120),
    "rope": (3_290_624,),
}
MISTAKES: tuple[Mistake, ...] = (
    ({"masked": False}, "unmasked future", "no mask hid the future"),
    ({"softmax": False}, "scores without softmax", "the scores were not put through softmax"),
    ({"scaled": True}, "scaled scores", "the scores were divided by the root of a head's width"),
    ({"rectified": False}, "no relu", "there were no ReLU"),
)


def build(
    submission: Submission, variant: str, course_sizes: bool = True, **settings: Any
) -> nn.Module:
    """The model of a variant, at the course's sizes or at small ones; settings for its config."""
    sizes, block = (COURSE_SIZES, BLOCK) if course_sizes else (SMALL_SIZES, 16)
    sizes = sizes | settings
    latents = submission.year.bottleneck_dim if course_sizes else SMALL_LATENTS
    if not submission.package:
        own = {**sizes, "block_size": block}
        return programs.build(submission, variant, own, VOCABULARY, latents)
    config = submission.GPTConfig(VOCABULARY, block, **sizes)
    make = getattr(submission, f"initialize_{variant}_model")
    # Others than a perceiver's, and some perceivers', take no such argument.
    takes = "bottleneck_dim" in inspect.signature(make).parameters
    model = make(config, **({"bottleneck_dim": latents} if takes else {}))
    if not isinstance(model, nn.Module):
        text = f"initialize_{variant}_model gives {type(model).__name__}, not a model"
        raise Finding("no model", text)
    return model


def check_variant(submission: Submission, variant: str) -> None:
    """Every block has the attention class that the model's name promises."""
    model = build(submission, variant)
    if variant == PERCEIVER:
        _check_ends(model)
    ends = [getattr(model, name, None) for name in (_DOWN, _UP)]
    inside = [m for m in model.modules() if not any(m is end for end in ends)]
    mixers = [getattr(m, "attn", None) for m in inside]
    found = [mixer._get_name() for mixer in mixers if isinstance(mixer, nn.Module)]
    expected, held = ATTENTION[variant], ", ".join(sorted(set(found))) or "no attention"
    learned = variant == "rope" and getattr(model, LEARNED_POSITIONS, None) is not None
    if held == expected and not learned:
        return
    text = f"the '{variant}' model holds {len(found)} blocks with {held}"
    text += " and learned positions" if learned else ""
    text += f", expected {expected}" + (" without learned positions" if variant == "rope" else "")
    if variant != "vanilla" and held == ATTENTION["vanilla"]:
        raise Finding("flag never set", f"{text}: {_RENAMED}")
    raise Finding("variant", text)


def check_perceiver(submission: Submission) -> None:
    """A perceiver has a block down to its latents and one up again; a vanilla model has neither."""
    _check_ends(build(submission, PERCEIVER))


def _check_ends(model: nn.Module) -> None:
    lacking = [name for name in (_DOWN, _UP) if not hasattr(model, name)]
    if lacking:
        text = f"the 'perceiver' model has no {' and no '.join(lacking)}: {_RENAMED}"
        raise Finding("flag never set", text)
    for name in (_DOWN, _UP):
        held = {m._get_name() for m in getattr(model, name).children()}
        if CROSS not in held:
            raise Finding("variant", f"{name} of the 'perceiver' model holds no {CROSS}")


def check_parameters(submission: Submission, variant: str) -> str:
    count = sum(p.numel() for p in build(submission, variant).parameters())
    wanted = parameter_counts(variant, submission.year.bottleneck_dim)
    if count not in wanted:
        expected = " or ".join(f"{n:,}" for n in wanted)
        raise Finding("parameters", f"the {variant} model has {count:,} parameters, not {expected}")
    return f"{count:,} parameters"


def parameter_counts(variant: str, latents: int) -> tuple[int, ...]:
    """At the course's sizes: a perceiver has a vanilla model's, and its latents' own rows."""
    if variant == PERCEIVER:
        return (PARAMETERS["vanilla"][0] + latents * COURSE_SIZES["n_embd"],)
    return PARAMETERS[variant]


def check_tree(submission: Submission, variant: str) -> None:
    """Class names, child names and their order: what `str(model)` shows.

    XCS224N's hidden tests compare it. CS224N's students name a perceiver's own parts themselves.
    """
    if variant == PERCEIVER and not submission.year.package:
        return
    found, expected = list(_tree(build(submission, variant))), list(expected_tree(variant))
    for have, want in zip(found, expected, strict=False):
        if have != want:
            raise Finding("tree", f"str(model) shows '{_line(have)}' where '{_line(want)}' belongs")
    if len(found) != len(expected):
        raise Finding("tree", f"str(model) has {len(found)} modules, expected {len(expected)}")


def expected_tree(variant: str) -> Iterator[tuple[str, str]]:
    """Path and description of every module at the course's sizes, as torch describes them."""
    width, layers = COURSE_SIZES["n_embd"], COURSE_SIZES["n_layer"]
    drop = str(nn.Dropout(0.1))
    yield from (("", "GPT"), ("tok_emb", str(nn.Embedding(VOCABULARY, width))), ("drop", drop))
    if variant == PERCEIVER:
        yield from _expected_block(_DOWN, "DownProjectBlock", CROSS)
    yield "blocks", "Sequential"
    for i in range(layers - 2 if variant == PERCEIVER else layers):
        yield from _expected_block(f"blocks.{i}", "Block", ATTENTION[variant])
    if variant == PERCEIVER:
        yield from _expected_block(_UP, "UpProjectBlock", CROSS)
    yield "ln_f", str(nn.LayerNorm(width))
    yield "head", str(nn.Linear(width, VOCABULARY, bias=False))


def _expected_block(at: str, name: str, mixer: str) -> Iterator[tuple[str, str]]:
    width, drop = COURSE_SIZES["n_embd"], str(nn.Dropout(0.1))
    square, norm = str(nn.Linear(width, width)), str(nn.LayerNorm(width))
    own = ("w1", "value") if mixer == ATTENTION["synthesizer"] else ("key", "query", "value")
    yield at, name
    yield from ((f"{at}.ln1", norm), (f"{at}.ln2", norm), (f"{at}.attn", mixer))
    yield from ((f"{at}.attn.{part}", square) for part in own)
    yield from ((f"{at}.attn.{part}_drop", drop) for part in ("attn", "resid"))
    yield from ((f"{at}.attn.proj", square), (f"{at}.mlp", "Sequential"))
    inner = (nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    yield from ((f"{at}.mlp.{j}", str(m)) for j, m in enumerate(inner))
    yield f"{at}.mlp.3", drop


def check_future(submission: Submission, variant: str) -> None:
    """Later characters change no earlier logits, in a whole model with large random weights."""
    model = randomise(build(submission, variant, course_sizes=False))
    with torch.no_grad():
        x = torch.arange(12)[None] + 3
        changed = x.clone()
        changed[0, 7:] += 90
        before, after = (logits(model(ids))[0, :7] for ids in (x, changed))
    if not torch.allclose(before, after, rtol=0, atol=1e-9):
        text = f"in the {variant} model later characters change the logits of earlier ones"
        raise Finding("unmasked future", f"{text}: a position sees what it has to predict")


def small_config(
    heads: int = 2, width: int = 8, block: int = 9, rope: bool = False, latents: int = 0
) -> SimpleNamespace:
    """All that an attention layer may read from a config; a dropout left on would show."""
    sizes = {"n_embd": width, "n_head": heads, "block_size": block, "bottleneck_dim": latents}
    flags = {"rope": rope, "perceiver": latents > 0}
    return SimpleNamespace(**sizes, **flags, attn_pdrop=0.5, resid_pdrop=0.5)


@torch.no_grad()
def check_formula(submission: Submission) -> str:
    """SynthesizerAttention computes the assignment's equation (3), with the causal mask."""
    worst = 0.0
    for heads, width, block, count in ((1, 4, 6, 5), (2, 8, 9, 8), (4, 16, 12, 3)):
        config = small_config(heads, width, block)
        layer, x = randomise(submission.SynthesizerAttention(config)), normal(2, count, width)
        given, compute = logits(layer(x)), partial(synthesize, layer, x, heads)
        # Without softmax, masked scores may also keep the huge number that fills them.
        if isinstance(given, Tensor) and given.abs().max() > 1e6 * compute().abs().max():
            raise Finding("scores without softmax", f"the output is as if {MISTAKES[1][2]}")
        off = compare("the output of SynthesizerAttention", given, compute, together(MISTAKES))
        worst = max(worst, off)
    return f"largest difference from the formula {worst:.0e}"


def synthesize(
    layer: Any,
    x: Tensor,
    heads: int,
    masked: bool = True,
    softmax: bool = True,
    scaled: bool = False,
    rectified: bool = True,
) -> Tensor:
    """softmax(ReLU(x A + b1) B + b2) (x V), per head, then the output projection."""
    count, size = x.shape[1], x.shape[2] // heads
    hidden = split_heads(layer.w1(x), heads)
    hidden = hidden.clamp(min=0) if rectified else hidden
    scores = hidden @ layer.w2[:, :count] + layer.b2[:count]
    scores = scores / math.sqrt(size) if scaled else scores
    return layer.proj(mix(scores, split_heads(layer.value(x), heads), masked, softmax))


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, C) to (B, heads, T, C / heads)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def mix(scores: Tensor, values: Tensor, masked: bool = True, softmax: bool = True) -> Tensor:
    """What attention makes of scores (B, H, T, S) and values (B, H, S, D): (B, T, C)."""
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    hidden = scores.masked_fill(later & masked, -math.inf if softmax else 0.0)
    weights = hidden.softmax(-1) if softmax else hidden
    return (weights @ values).transpose(1, 2).flatten(2)


def check_saved(path: Path, variant: str) -> None:
    """A parameter file holds the variant that its name promises."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        names = [str(name) for name in state]
    except Exception as error:
        text = f"{path.name} cannot be loaded with weights_only=True: {type(error).__name__}"
        raise Finding("parameters file", text) from error
    other = variant_of(names)
    if other != variant:
        holds = f"a {other} model" if other else "no such attention"
        raise Finding("flag never set", f"{path.name} holds {holds}, not a {variant} model")


def variant_of(names: Iterable[str]) -> str | None:
    """The variant whose parameters have these names; None if it has no known attention."""
    names = list(names)
    if any(f"{_DOWN}." in name for name in names):
        return PERCEIVER
    if any(name.endswith("attn.w2") for name in names):
        return "synthesizer"
    if not any(name.endswith("attn.key.weight") for name in names):
        return None
    learned = any(name.endswith(LEARNED_POSITIONS) for name in names)
    return "vanilla" if learned else "rope"


def _tree(model: nn.Module) -> Iterator[tuple[str, str]]:
    for path, module in model.named_modules():
        leaf = not any(True for _ in module.children())
        yield path, str(module) if leaf else module._get_name()


def _line(entry: tuple[str, str]) -> str:
    return f"{entry[0]}: {entry[1]}" if entry[0] else entry[1]
