"""Judges attention layers and whole models by what they computed with weights that they were given.

What was handed out and what a student writes are judged apart: in the model of part g, the outputs
of the submission's own attention are taken as they are, so that a mistake in it costs the test of
the attention alone.
"""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import expect
from wherefrom.course.doctor.judging import computation
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.judging.computation import compare, computed, is_near
from wherefrom.course.doctor.years import Year, variant_of
from wherefrom.models.gpt import GPT, GPTConfig

COURSE_SIZES = {"n_layer": 4, "n_head": 8, "n_embd": 256, "block_size": 128}
SMALL_SIZES = {"n_layer": 3, "n_head": 2, "n_embd": 16, "block_size": 16}  # a perceiver needs three
SMALL_LATENTS = 5
LENGTH = 15  # characters, the most that every year's model reads: layers are tried on fewer
VOCABULARY = 256
PERCEIVER, ROPE, PLAIN = "perceiver", "rope", "CausalSelfAttention"
# The layers of part g that are tried alone; rotary attention has the class of the plain one.
LAYERS = {
    "synthesizer": ("SynthesizerAttention",),
    PERCEIVER: ("DownProjectBlock", "UpProjectBlock"),
    ROPE: (PLAIN,),
}
WIDE = 3_077_120  # parameters of a synthesizer whose w2 is as wide as the block, not one less
DROPOUTS = {"embd_pdrop": 0.1, "resid_pdrop": 0.1, "attn_pdrop": 0.1}
TOLERANCE = 1e-6  # of whole models, relative to the largest number
_TOLERANCES = {ROPE: 1e-4}  # of layers: the angles may be kept in single precision
_LARGE_ANGLES = 3e-2  # the slip's angles reach thousands of turns, in single precision
_SPREADS = {ROPE: 0.5}  # of a layer's weights: with larger dot products softmax would saturate
STD = 0.02  # of weights at the start
_SPREAD = 0.02  # a share of it: seven standard errors of the smallest matrix
_RENAMED = ": it is a vanilla model under another name, as if a flag were never set"
# Heads, width, block and characters of the layers that are tried; the last are latents.
_TRIED = ((1, 4, 6, 5, 3), (2, 12, 9, 8, 5), (4, 16, 12, 3, 4))


# -- what is asked ---------------------------------------------------------------------------------


def requests(year: Year, draw: int) -> list[Request]:
    found: list[Request] = []
    for number, (heads, width, block, _, latents) in enumerate(_TRIED):
        config = {"n_embd": width, "n_head": heads, "block_size": block, "bottleneck_dim": latents}
        # A dropout that is left on would show.
        config |= {"attn_pdrop": 0.5, "resid_pdrop": 0.5}
        config |= {each: each == year.variant for each in LAYERS}
        x, y = (part.tolist() for part in _inputs(number, draw))
        common = {"config": config, "draw": draw + number}
        common |= {"spread": _SPREADS.get(year.variant, 1.0)}
        for name in LAYERS[year.variant]:
            inputs = {"name": name, "inputs": [y, x] if name == "UpProjectBlock" else [x]}
            found.append(Request(f"layer-{name}{number}", "layer", common | inputs))
    ids, targets = _ids(draw)
    rates = [{n: 0.5 * (n == one) for n in DROPOUTS} for one in (*DROPOUTS, "")]
    small = {"sizes": SMALL_SIZES, "latents": SMALL_LATENTS, "draw": draw, "spread": 0.5}
    small |= {"ids": ids.tolist(), "targets": targets.tolist(), "rates": rates}
    full = {"sizes": COURSE_SIZES, "latents": year.bottleneck_dim}
    for variant in ("vanilla", year.variant):
        common = {"variant": variant, "vocabulary": VOCABULARY}
        found.append(Request(f"model-{variant}", "model", common | small))
        found.append(Request(f"start-{variant}", "start", common | full))
    return found


def _inputs(number: int, draw: int) -> tuple[Tensor, Tensor]:
    """(2, T, C) of text, and of latents."""
    _, width, _, count, latents = _TRIED[number]
    generator = torch.Generator().manual_seed(draw + number)
    both = torch.randn((2, count + latents, width), generator=generator, dtype=torch.float64)
    x, y = both.split((count, latents), 1)
    return x, y


def _ids(draw: int) -> tuple[Tensor, Tensor]:
    """Two rows, and targets with some pads."""
    generator = torch.Generator().manual_seed(draw)
    ids = torch.randint(3, VOCABULARY, (2, LENGTH), generator=generator)
    targets = torch.randint(1, VOCABULARY, (2, LENGTH), generator=generator)
    targets[:, 4:8] = 0
    return ids, targets


# -- layers ----------------------------------------------------------------------------------------


def check_formula(claims: Claims) -> str | None:
    """The attention of part g computes what the hand-out says, in one of its readings."""
    variant, said = claims.year.variant, None
    tolerance, mistakes = _TOLERANCES.get(variant, 1e-8), computation.mistakes_of(variant)
    readings: tuple[dict[str, Any], ...] = ({},)
    readings = computation.READINGS if variant == PERCEIVER else readings
    for name in LAYERS[variant]:
        possible = list(readings)
        for number in range(len(_TRIED)):
            given, compute = _computed(claims, name, number)
            possible = [r for r in possible if is_near(given, compute(**r), tolerance)]
            # CS224N's comment writes 1/10000^(-2(i-1)/dim): who takes it by its word is not wrong.
            slips = not possible and variant == ROPE and not claims.package
            if slips and is_near(given, compute(base=1 / computation.BASE), _LARGE_ANGLES):
                said = "the angles grow with the pair, as by a slip of a sign in the hand-out"
                continue
            right = partial(compute, **possible[0]) if possible else compute
            compare(f"the output of {name}", given, right, mistakes, tolerance)
    return said


def _computed(claims: Claims, name: str, number: int) -> tuple[Tensor, Callable[..., Tensor]]:
    """What a layer gave, and what it should give."""
    claim, variant = claims[f"layer-{name}{number}"], claims.year.variant
    state = claim.state(claims.draw + number, _SPREADS.get(variant, 1.0))
    x, y = _inputs(number, claims.draw)
    text = f"{name} has no parameter C: the latents' own rows, which are trained"
    expect(name != "DownProjectBlock" or "C" in state, "latents not trained", text)

    def compute(**changes: Any) -> Tensor:
        model = computed(state, variant, _TRIED[number][0], **changes)
        if variant == PERCEIVER:
            return model.project("", x, y if name.startswith("Up") else None)
        return model.attention("", x)

    return claim.array("output"), compute


# -- whole models ----------------------------------------------------------------------------------


def check_variant(claims: Claims, variant: str) -> None:
    """The parameters are those of the variant that the model's name promises."""
    held = variant_of(claims[f"model-{variant}"].parameters())
    has = f"is a {held} model" if held else "has no attention that is known"
    mistake, why = ("flag never set", _RENAMED) if held == "vanilla" else ("variant", "")
    expect(held == variant, mistake, f"the '{variant}' model {has} by its parameters{why}")


def check_forward(claims: Claims, variant: str) -> None:
    """Characters, positions, blocks, last norm and head, with the weights that were sent."""
    claim, logits = claims[f"model-{variant}"], _logits(claims, variant)
    ids, state = _ids(claims.draw)[0], claim.state(claims.draw, 0.5)
    kept, sizes = claim.table("inside"), SMALL_SIZES
    if variant == PERCEIVER:
        rows = (2, SMALL_LATENTS, sizes["n_embd"]), (2, LENGTH, sizes["n_embd"])
        for name, shape in zip((computation.DOWN, computation.UP), rows, strict=True):
            used = name in kept and kept[name].shape == shape
            expect(used, "flag never set", f"the 'perceiver' model has no {name} that is used")

    def compute(given: computation.State, **changes: Any) -> Tensor:
        return computed(state, variant, sizes["n_head"], given, **changes)(ids)

    what, around = f"the output of the {variant} model", partial(compute, kept)
    if variant != "vanilla":
        compare(what, logits, around, computation.LEFT_OUT, TOLERANCE, otherwise="model")
        return
    text = "the vanilla model drops out even when it is not trained"
    expect(not _varies(claim.tensors.get("still", logits[None])), "dropout", text)
    # Its attention was handed out too; what no mistake explains may be in it or around it.
    otherwise = "attention" if is_near(logits, around(), TOLERANCE) else "model"
    mistakes = (*computation.LEFT_OUT, *computation.mistakes_of("vanilla"))
    compare(what, logits, partial(compute, {}), mistakes, TOLERANCE, otherwise)


def _logits(claims: Claims, variant: str) -> Tensor:
    logits = claims[f"model-{variant}"].array("logits")
    text = f"the {variant} model gives {tuple(logits.shape)} for (2, {LENGTH}) characters"
    expect(logits.shape == (2, LENGTH, VOCABULARY), "form", text)
    return logits


def check_loss(claims: Claims, variant: str) -> None:
    """Mean cross-entropy where the target is not the pad, number 0."""
    claim, logits = claims[f"model-{variant}"], _logits(claims, variant)
    targets = _ids(claims.draw)[1].flatten()
    beside = claim.tensors.get("beside", logits)  # the loss; other than logits if it drops out
    rows = (beside if beside.numel() == logits.numel() else logits).reshape(len(targets), -1)
    said = f"the {variant} model gives no loss for targets"
    expect(claim.raised or "loss" in claim.tensors, "loss", said)
    compute = partial(F.cross_entropy, rows, targets, ignore_index=0)
    counts = {"ignore_index": computation.NO_PAD}, "pads in the loss", "it counted the pads"
    what, loss = f"the loss of the {variant} model", claim.array("loss").squeeze()
    compare(what, loss, compute, [counts], TOLERANCE, otherwise="loss")


def check_dropout(claims: Claims) -> None:
    """The vanilla config's rates are 0.1, each of them is used in training, and none otherwise."""
    claim = claims["model-vanilla"]
    told = claim.value("rates", dict)
    for number, (name, rate) in enumerate(DROPOUTS.items()):
        found = told.get(name)
        right = isinstance(found, int | float) and math.isclose(found, rate)
        expect(right, "dropout", f"GPTConfig's {name} is {found!r:.20}, expected {rate}")
        used = _varies(claim.array(f"dropped{number}"))
        expect(used, "dropout", f"the vanilla model never uses {name}")
    unasked = claim.array(f"dropped{len(DROPOUTS)}")
    text = "the vanilla model drops out what no rate of the config says"
    expect(not _varies(unasked), "dropout", text)


def _varies(outputs: Tensor) -> bool:
    return any(not is_near(outputs[0], other, TOLERANCE) for other in outputs[1:])


# -- the start -------------------------------------------------------------------------------------


@functools.cache
def _reference(variant: str, latents: int) -> GPT:
    """The library's model has the names, the order and the start of the one handed out."""
    attention = "causal" if variant == "vanilla" else variant
    config = {"attention": attention, "bottleneck_dim": latents, **COURSE_SIZES}
    return GPT(GPTConfig(vocab_size=VOCABULARY, **config))


def check_start(claims: Claims) -> None:
    """Weights start as normal numbers of 0.02, biases and positions at 0, norms at 1."""
    found = claims["start-vanilla"].parameters()
    for name, right in _reference("vanilla", claims.year.bottleneck_dim).named_parameters():
        value, first = found[name], float(right.detach().flatten()[0])
        constant, spread = bool((right == first).all()), float(value.std())
        same = (value == first).all() if constant else abs(spread - STD) <= _SPREAD * STD
        how = f"at {first:g}" if constant else f"with a standard deviation of {STD}"
        expect(same, "start", f"{name} does not start {how}")


def check_parameters(claims: Claims, variant: str) -> str:
    count = sum(value.numel() for value in claims[f"start-{variant}"].parameters().values())
    right = _reference(variant, claims.year.bottleneck_dim).parameters()
    wanted = [sum(value.numel() for value in right), *[WIDE] * (variant == "synthesizer")]
    expected = " or ".join(f"{n:,}" for n in wanted)
    text = f"the {variant} model has {count:,} parameters, not {expected}"
    expect(count in wanted, "parameters", text)
    return f"{count:,} parameters"
