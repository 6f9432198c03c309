"""Judges attention layers and whole models by what they computed with weights that they were given.

What was handed out and what a student writes are judged apart: in a whole model, the outputs of the
submission's own attention are taken as they are, so that a mistake in it costs the test of the
attention alone.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import computation
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.judging.comparison import Mistake, compare, is_near, together
from wherefrom.course.doctor.judging.computation import DOWN, LEFT_OUT, READINGS, UP, computed
from wherefrom.course.doctor.years import Year, variant_of

COURSE_SIZES = {"n_layer": 4, "n_head": 8, "n_embd": 256, "block_size": 128}
SMALL_SIZES = {"n_layer": 3, "n_head": 2, "n_embd": 16, "block_size": 16}  # a perceiver needs three
SMALL_LATENTS = 5
LENGTH = 15  # characters, the most that every year's model reads: layers are tried on fewer
VOCABULARY = 256
PERCEIVER, PLAIN = "perceiver", "CausalSelfAttention"
# The layers of a variant that are tried alone; rotary attention has the class of the plain one.
LAYERS = {
    "vanilla": (PLAIN,),
    "synthesizer": ("SynthesizerAttention",),
    PERCEIVER: ("DownProjectBlock", "UpProjectBlock"),
    "rope": ("rope",),
}
# The synthesizer's second count: w2 as wide as the block, not one less.
PARAMETERS = {"vanilla": (3_323_392,), "synthesizer": (3_076_988, 3_077_120), "rope": (3_290_624,)}
DROPOUTS = {"embd_pdrop": 0.1, "resid_pdrop": 0.1, "attn_pdrop": 0.1}
STD = 0.02
TOLERANCE = 1e-6  # of whole models, relative to the largest number
_ROTARY = 1e-4  # the angles may be kept in single precision
_LARGE_ANGLES = 3e-2  # the slip's angles reach thousands of turns, in single precision
_SPREAD = 0.02  # of STD: seven standard errors of the smallest matrix
# What print() shows of the parts of a model, where it is not Linear.
_CLASSES = {
    "tok_emb": "Embedding", "drop": "Dropout", "attn_drop": "Dropout", "resid_drop": "Dropout",
    "3": "Dropout", "blocks": "Sequential", "mlp": "Sequential", "1": "GELU",
    "ln1": "LayerNorm", "ln2": "LayerNorm", "ln_f": "LayerNorm", DOWN: "DownProjectBlock",
    UP: "UpProjectBlock",
}  # fmt: skip
_RENAMED = "it is a vanilla model under another name, as if a flag were never set"
# Heads, width, block and characters of the layers that are tried; the last are latents.
_TRIED = ((1, 4, 6, 5, 3), (2, 12, 9, 8, 5), (4, 16, 12, 3, 4))


# -- what is asked ---------------------------------------------------------------------------------


def requests(year: Year, draw: int) -> list[Request]:
    layers = dict.fromkeys((PLAIN, *LAYERS[year.variant]))
    found = [_layer(name, number, draw) for name in layers for number in range(len(_TRIED))]
    ids, targets = _ids(draw)
    rates = [{n: 0.5 * (n == one) for n in DROPOUTS} for one in (*DROPOUTS, "")]
    for variant in ("vanilla", year.variant):
        common = {"variant": variant, "vocabulary": VOCABULARY}
        small = {"sizes": SMALL_SIZES, "latents": SMALL_LATENTS, "draw": draw, "spread": 0.5}
        small |= {"ids": ids.tolist(), "targets": targets.tolist(), "rates": rates}
        full = {"sizes": COURSE_SIZES, "latents": year.bottleneck_dim}
        found.append(Request(f"model-{variant}", "model", common | small))
        found.append(Request(f"start-{variant}", "start", common | full))
    return found


def _layer(name: str, number: int, draw: int) -> Request:
    heads, width, block, _, latents = _TRIED[number]
    x, y = _inputs(number, draw)
    config: dict[str, Any] = {"n_embd": width, "n_head": heads, "block_size": block}
    config |= {"rope": name == "rope", "perceiver": "Project" in name, "bottleneck_dim": latents}
    config |= {"attn_pdrop": 0.5, "resid_pdrop": 0.5}  # a dropout left on would show
    inputs = [y.tolist(), x.tolist()] if name == "UpProjectBlock" else [x.tolist()]
    given = {"name": _class_of(name), "config": config, "inputs": inputs, "draw": draw + number}
    return Request(f"layer-{name}{number}", "layer", given | {"spread": _spread(name)})


def _class_of(name: str) -> str:
    return PLAIN if name == "rope" else name


def _spread(name: str) -> float:
    """Of the weights: for dot products so small that softmax does not saturate."""
    return 0.5 if _class_of(name) == PLAIN else 1.0


def _inputs(number: int, draw: int) -> tuple[Tensor, Tensor]:
    """(2, T, C) of text, and of latents."""
    _, width, _, count, latents = _TRIED[number]
    generator = torch.Generator().manual_seed(draw + number)
    both = torch.randn((2, count + latents, width), generator=generator, dtype=torch.float64)
    x, y = both.split((count, latents), 1)
    return x, y


def _ids(draw: int) -> tuple[Tensor, Tensor]:
    """Two inputs of two rows, which differ from the eighth character on; and targets."""
    generator = torch.Generator().manual_seed(draw)
    ids = torch.randint(3, VOCABULARY, (1, 2, LENGTH), generator=generator).repeat(2, 1, 1)
    ids[1, :, 7:] = 3 + (ids[1, :, 7:] + 87) % (VOCABULARY - 3)
    targets = torch.randint(1, VOCABULARY, (2, LENGTH), generator=generator)
    targets[:, 4:8] = 0
    return ids, targets


# -- layers ----------------------------------------------------------------------------------------


def check_attention(claims: Claims) -> None:
    """The CausalSelfAttention that was handed out."""
    for number in range(len(_TRIED)):
        given, compute = _computed(claims, PLAIN, number)
        _judge_layer(PLAIN, given, compute, computation.VANILLA, otherwise="attention")


def check_formula(claims: Claims) -> str:
    """The attention of part g computes what the hand-out says, in one of its readings."""
    variant, worst, slips, notes = claims.year.variant, 0.0, False, list[str]()
    usual = computation.mistakes_of(variant)
    mistakes = list(together(usual)) if variant == "synthesizer" else usual
    for name in LAYERS[variant]:
        possible: list[dict[str, Any]] = list(READINGS) if variant == PERCEIVER else [{}]
        for number in range(len(_TRIED)):
            given, compute = _computed(claims, name, number)
            possible = [r for r in possible if is_near(given, compute(**r), _tolerance(name))]
            # CS224N's comment writes 1/10000^(-2(i-1)/dim): who takes it by its word is not wrong.
            if not possible and name == "rope" and not claims.package and _slips(given, compute):
                slips = True
                continue
            right = partial(compute, **possible[0]) if possible else compute
            worst = max(worst, _judge_layer(name, given, right, mistakes))
        if said := computation.say_reading(possible[0] if possible else {}):
            notes.append(f"{name} with {said}, a reading that the hand-out allows")
    if slips:
        return "the angles grow with the pair, as the hand-out's comment has it by a slip of a sign"
    return "; ".join([f"largest difference from the formula {worst:.0e}", *notes])


def _judge_layer(
    name: str,
    given: Tensor,
    compute: Callable[..., Tensor],
    mistakes: Iterable[Mistake],
    otherwise: str = "formula",
) -> float:
    what = f"the output of {_class_of(name)}"
    # Without softmax, masked scores may also keep the huge number that fills them.
    huge = given.is_floating_point() and given.abs().max() > 1e6 * compute().abs().max()
    if huge and "Project" not in name:
        text = f"{what} is as if the scores were not put through softmax"
        raise Finding("scores without softmax", text)
    return compare(what, given, compute, mistakes, _tolerance(name), otherwise)


def _tolerance(name: str) -> float:
    return _ROTARY if name == "rope" else 1e-8


def _computed(claims: Claims, name: str, number: int) -> tuple[Tensor, Callable[..., Tensor]]:
    """What a layer gave, and what it should give."""
    claim = claims[f"layer-{name}{number}"]
    state, (x, y) = claim.state(claims.draw + number, _spread(name)), _inputs(number, claims.draw)
    variant = next(variant for variant, names in LAYERS.items() if name in names)
    if name.startswith("Down") and "C" not in state:
        text = f"{name} has no parameter C: the latents' own rows, which are trained"
        raise Finding("latents not trained", text)

    def compute(**changes: Any) -> Tensor:
        model = computed(state, variant, _TRIED[number][0], **changes)
        if variant == PERCEIVER:
            return model.project("", x, y if name.startswith("Up") else None)
        return model.attention("", x)

    return claim.array("output"), compute


def _slips(given: Tensor, compute: Callable[..., Tensor]) -> bool:
    return is_near(given, compute(base=1 / computation.BASE), _LARGE_ANGLES)


# -- whole models ----------------------------------------------------------------------------------


def check_variant(claims: Claims, variant: str) -> None:
    """The parameters are those of the variant that the model's name promises."""
    held = variant_of(claims[f"model-{variant}"].parameters())
    if held == variant:
        return
    if variant == "rope" and held == "vanilla":
        text = "the 'rope' model has learned positions, expected none"
        raise Finding("flag never set", f"{text}: {_RENAMED}")
    has = f"is a {held} model" if held else "has no attention that is known"
    text = f"the '{variant}' model {has} by its parameters"
    raise Finding("flag never set" if held == "vanilla" else "variant", f"{text}: {_RENAMED}")


def check_future(claims: Claims, variant: str) -> None:
    """Later characters change no earlier logits, in a whole model with large random weights."""
    logits = _logits(claims, variant)
    if not torch.allclose(logits[0, :, :7], logits[1, :, :7], rtol=0, atol=1e-9):
        text = f"in the {variant} model later characters change the logits of earlier ones"
        raise Finding("unmasked future", f"{text}: a position sees what it has to predict")


def check_forward(claims: Claims, variant: str) -> None:
    """Characters, positions, blocks, last norm and head, with the weights that were sent."""
    claim, logits = claims[f"model-{variant}"], _logits(claims, variant)
    ids, state = _ids(claims.draw)[0][0], claim.state(claims.draw, 0.5)
    kept = claim.parameters("inside")
    if variant == PERCEIVER:
        rows = (2, SMALL_LATENTS, SMALL_SIZES["n_embd"]), (2, LENGTH, SMALL_SIZES["n_embd"])
        for name, shape in zip((DOWN, UP), rows, strict=True):
            if name not in kept or kept[name].shape != shape:
                raise Finding("flag never set", f"the 'perceiver' model has no {name} that is used")

    def compute(**changes: Any) -> Tensor:
        return computed(state, variant, SMALL_SIZES["n_head"], kept, **changes)(ids)

    what = f"the output of the {variant} model"
    compare(what, logits[0], compute, LEFT_OUT, TOLERANCE, otherwise="model")


def _logits(claims: Claims, variant: str) -> Tensor:
    logits = claims[f"model-{variant}"].array("logits")
    if logits.shape != (2, 2, LENGTH, VOCABULARY):
        text = f"the {variant} model gives {tuple(logits.shape[1:])} for (2, {LENGTH}) characters"
        raise Finding("form", text)
    return logits


def check_loss(claims: Claims, variant: str) -> None:
    """Mean cross-entropy where the target is not the pad, number 0."""
    claim, rows = claims[f"model-{variant}"], _logits(claims, variant)[0].flatten(0, 1)
    targets = _ids(claims.draw)[1].flatten()
    try:
        loss = claim.array("loss").squeeze()
    except Finding as finding:
        if finding.mistake != "form":
            raise
        raise Finding("loss", f"the {variant} model gives no loss for targets") from None
    right = F.cross_entropy(rows, targets, ignore_index=0)
    if is_near(loss, right, TOLERANCE):
        return
    if is_near(loss, F.cross_entropy(rows, targets), TOLERANCE):
        text = f"the loss of the {variant} model counts the pads: to predict them is no aim"
        raise Finding("pads in the loss", text)
    shown = f"{float(loss):.4g}" if loss.numel() == 1 else f"{tuple(loss.shape)}"
    text = f"the loss of the {variant} model is {shown}, expected {float(right):.4g}"
    raise Finding("loss", text)


def check_dropout(claims: Claims, variant: str) -> None:
    """The config's rates are 0.1, each of them is used in training, and none otherwise."""
    claim = claims[f"model-{variant}"]
    told = claim.value("rates", dict)
    for name, rate in DROPOUTS.items():
        found = told.get(name)
        if not isinstance(found, int | float) or not math.isclose(found, rate):
            raise Finding("dropout", f"GPTConfig's {name} is {found!r:.20}, expected {rate}")
    if _varies(claim.array("still")):
        raise Finding("dropout", f"the {variant} model drops out even when it is not trained")
    # Of another attention than the one handed out, the dropout is the student's own business.
    for number, name in enumerate(list(DROPOUTS)[: 3 if variant == "vanilla" else 2]):
        if not _varies(claim.array(f"dropped{number}")):
            raise Finding("dropout", f"the {variant} model never uses {name}")
    if _varies(claim.array(f"dropped{len(DROPOUTS)}")):
        raise Finding("dropout", f"the {variant} model drops out what no rate of the config says")


def _varies(outputs: Tensor) -> bool:
    return any(not is_near(outputs[0], other, TOLERANCE) for other in outputs[1:])


# -- the start, and what is printed ----------------------------------------------------------------


def check_start(claims: Claims, variant: str) -> None:
    """Weights start as normal numbers of 0.02, biases and positions at 0, norms at 1."""
    for name, value in claims[f"start-{variant}"].parameters().items():
        part, _, last = name.rpartition(".")
        own = variant != "vanilla" and ("attn" in name or name.startswith((DOWN, UP)))
        if own and value.dim() > 1:  # the student's own
            continue
        if name == computation.LEARNED_POSITIONS and value.abs().max() > 0:
            raise Finding("start", "pos_emb does not start at 0")
        if last == "bias" and value.abs().max() > 0 and not own:
            raise Finding("start", f"{part}.bias does not start at 0")
        if last == "weight" and value.dim() == 1 and (value - 1).abs().max() > 0:
            raise Finding("start", f"{part}.weight does not start at 1")
        if last == "weight" and value.dim() == 2 and abs(float(value.std()) - STD) > _SPREAD * STD:
            said = f"starts with a standard deviation of {float(value.std()):.3g}, not {STD}"
            raise Finding("start", f"{part}.weight {said}")


def check_parameters(claims: Claims, variant: str) -> str:
    count = sum(value.numel() for value in claims[f"start-{variant}"].parameters().values())
    # A perceiver has a vanilla model's, and its latents' own rows.
    own = PARAMETERS["vanilla"][0] + claims.year.bottleneck_dim * COURSE_SIZES["n_embd"]
    wanted = PARAMETERS.get(variant, (own,))
    if count not in wanted:
        expected = " or ".join(f"{n:,}" for n in wanted)
        raise Finding("parameters", f"the {variant} model has {count:,} parameters, not {expected}")
    return f"{count:,} parameters"


def note_tree(claims: Claims, variant: str) -> str | None:
    """The names of a model's parts and of their classes, in their order. A note, no more.

    XCS224N's own tests compare what `print(model)` shows. CS224N's students name a perceiver's own
    parts themselves.
    """
    if variant == PERCEIVER and not claims.year.package:
        return None
    told = claims[f"start-{variant}"].values.get("tree")
    found = [tuple(map(str, entry))[:2] for entry in told or [] if isinstance(entry, list)]
    inside = [(path.rpartition("."), kind) for path, kind in found if path]
    own = "w1 value" if variant == "synthesizer" else "key query value"
    blocks = f"{DOWN} blocks {UP}" if variant == PERCEIVER else "blocks"
    expected = {"": f"tok_emb drop {blocks} ln_f head", "blocks.0": "ln1 ln2 attn mlp"}
    expected |= {"blocks.0.attn": f"{own} attn_drop resid_drop proj", "blocks.0.mlp": "0 1 2 3"}
    classes = _CLASSES | {"attn": PLAIN if variant == PERCEIVER else _class_of(LAYERS[variant][0])}
    for place, names in expected.items():
        shown = [f"{name} {kind}" for (above, _, name), kind in inside if above == place]
        wanted = [f"{name} {classes.get(name, 'Linear')}" for name in names.split()]
        if shown != wanted:
            at = place or "the model"
            return f"print(model) shows in {at}: {', '.join(shown)[:150]}; not {', '.join(wanted)}"
    return None
