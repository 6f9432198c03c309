"""Checks of the models that a submission builds: their classes, the causal mask, the formula."""

import math
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.doctor.findings import Finding
from wherefrom.doctor.submission import Submission

COURSE_SIZES = {"n_layer": 4, "n_head": 8, "n_embd": 256}
VOCABULARY, BLOCK = 256, 128
ATTENTION = {
    "vanilla": "CausalSelfAttention",
    "synthesizer": "SynthesizerAttention",
    "rope": "CausalSelfAttention",
}
PERCEIVER = "perceiver"
_DOWN, _UP = "down_block", "up_block"  # only a perceiver has these
LEARNED_POSITIONS = "pos_emb"  # a model with rotary positions has none
# The synthesizer's second count: w2 as wide as the block, not one less.
PARAMETERS = {
    "vanilla": (3_323_392,),
    "synthesizer": (3_076_988, 3_077_120),
    "rope": (3_290_624,),
}
TOLERANCE = 1e-8

Variant = tuple[bool, ...]  # masked, softmax, scaled, rectified
_RIGHT: Variant = (True, True, False, True)


def build(submission: Submission, variant: str, course_sizes: bool = True) -> nn.Module:
    """The model of a variant, at the course's sizes or at small ones."""
    sizes = COURSE_SIZES if course_sizes else {"n_layer": 1, "n_head": 2, "n_embd": 16}
    block = BLOCK if course_sizes else 16
    config = submission.GPTConfig(VOCABULARY, block, **sizes)
    model = getattr(submission, f"initialize_{variant}_model")(config)
    if not isinstance(model, nn.Module):
        text = f"initialize_{variant}_model gives {type(model).__name__}, not a model"
        raise Finding("no model", text)
    return model


def check_variant(submission: Submission, variant: str) -> None:
    """Every block has the attention class that the model's name promises."""
    model = build(submission, variant)
    mixers = [getattr(m, "attn", None) for m in model.modules()]
    found = [mixer._get_name() for mixer in mixers if isinstance(mixer, nn.Module)]
    learned = getattr(model, LEARNED_POSITIONS, None) is not None
    expected = ATTENTION[variant]
    if found and set(found) == {expected} and not (variant == "rope" and learned):
        return
    other = f"{len(found)} blocks with {', '.join(sorted(set(found))) or 'no attention'}"
    other += " and learned positions" if variant == "rope" and learned else ""
    text = f"the '{variant}' model holds {other}, expected {expected}"
    text += " without learned positions" if variant == "rope" else ""
    vanilla = variant != "vanilla" and set(found) == {ATTENTION["vanilla"]}
    if vanilla:
        text += ": it is a vanilla model under another name, as if a flag were never set"
    raise Finding("flag never set" if vanilla else "variant", text)


def check_perceiver(submission: Submission) -> None:
    """A perceiver has a block down to its latents and one up again; a vanilla model has neither."""
    model = build(submission, PERCEIVER)
    lacking = [name for name in (_DOWN, _UP) if not hasattr(model, name)]
    if lacking:
        text = f"the 'perceiver' model has no {' and no '.join(lacking)}"
        found = f"{text}: it is a vanilla model under another name, as if a flag were never set"
        raise Finding("flag never set", found)


def check_parameters(submission: Submission, variant: str) -> str:
    count = sum(p.numel() for p in build(submission, variant).parameters())
    if count not in PARAMETERS[variant]:
        expected = " or ".join(f"{n:,}" for n in PARAMETERS[variant])
        raise Finding("parameters", f"the {variant} model has {count:,} parameters, not {expected}")
    return f"{count:,} parameters"


def check_tree(submission: Submission, variant: str) -> None:
    """Class names, child names and their order: what `str(model)` shows."""
    found, expected = list(_tree(build(submission, variant))), list(expected_tree(variant))
    for have, want in zip(found, expected, strict=False):
        if have != want:
            raise Finding("tree", f"str(model) shows '{_line(have)}' where '{_line(want)}' belongs")
    if len(found) != len(expected):
        raise Finding("tree", f"str(model) has {len(found)} modules, expected {len(expected)}")


def expected_tree(variant: str) -> Iterator[tuple[str, str]]:
    """Path and description of every module at the course's sizes, as torch describes them."""
    width = COURSE_SIZES["n_embd"]
    square, norm = str(nn.Linear(width, width)), str(nn.LayerNorm(width))
    drop = str(nn.Dropout(0.1))
    own = ("w1", "value") if variant == "synthesizer" else ("key", "query", "value")
    yield from (("", "GPT"), ("tok_emb", str(nn.Embedding(VOCABULARY, width))), ("drop", drop))
    yield "blocks", "Sequential"
    for i in range(COURSE_SIZES["n_layer"]):
        at = f"blocks.{i}"
        yield at, "Block"
        yield from ((f"{at}.ln1", norm), (f"{at}.ln2", norm), (f"{at}.attn", ATTENTION[variant]))
        yield from ((f"{at}.attn.{name}", square) for name in own)
        yield from ((f"{at}.attn.{name}_drop", drop) for name in ("attn", "resid"))
        yield from ((f"{at}.attn.proj", square), (f"{at}.mlp", "Sequential"))
        inner = (nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        yield from ((f"{at}.mlp.{j}", str(m)) for j, m in enumerate(inner))
        yield f"{at}.mlp.3", drop
    yield "ln_f", norm
    yield "head", str(nn.Linear(width, VOCABULARY, bias=False))


def check_future(submission: Submission, variant: str) -> None:
    """Later characters change no earlier logits, in a whole model with large random weights."""
    model = build(submission, variant, course_sizes=False).double().eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(normal(parameter.shape, generator))
        x = torch.arange(12)[None] + 3
        changed = x.clone()
        changed[0, 7:] += 90
        before, after = (_logits(model(ids))[0, :7] for ids in (x, changed))
    if not torch.allclose(before, after, rtol=0, atol=1e-9):
        text = f"in the {variant} model later characters change the logits of earlier ones"
        raise Finding("unmasked future", f"{text}: a position sees what it has to predict")


def small_config(
    heads: int = 2, width: int = 8, block: int = 9, rope: bool = False
) -> SimpleNamespace:
    """All that an attention layer may read from a config; a dropout left on would show."""
    sizes = {"n_embd": width, "n_head": heads, "block_size": block}
    return SimpleNamespace(**sizes, attn_pdrop=0.5, resid_pdrop=0.5, rope=rope)


def check_formula(submission: Submission) -> str:
    """SynthesizerAttention computes the assignment's equation (3), with the causal mask."""
    worst = 0.0
    for heads, width, block, count in ((1, 4, 6, 5), (2, 8, 9, 8), (4, 16, 12, 3)):
        config = small_config(heads, width, block)
        layer = submission.SynthesizerAttention(config).double().eval()
        generator = torch.Generator().manual_seed(width)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(normal(parameter.shape, generator))
            x = normal((2, count, width), generator)
            given = layer(x)
            given = given[0] if isinstance(given, tuple) else given
            _compare(given, layer, x, heads)
            worst = max(worst, float((given - synthesize(layer, x, heads)).abs().max()))
    return f"largest difference from the formula {worst:.0e}"


def synthesize(layer: Any, x: Tensor, heads: int, variant: Variant = _RIGHT) -> Tensor:
    """softmax(ReLU(x A + b1) B + b2) (x V), per head, then the output projection."""
    masked, softmax, scaled, rectified = variant
    count, size = x.shape[1], x.shape[2] // heads

    def split(t: Tensor) -> Tensor:
        return t.unflatten(-1, (heads, size)).transpose(1, 2)

    hidden = split(layer.w1(x))
    hidden = hidden.clamp(min=0) if rectified else hidden
    scores = hidden @ layer.w2[:, :count] + layer.b2[:count]
    scores = scores / math.sqrt(size) if scaled else scores
    later = torch.ones(count, count, dtype=torch.bool).triu(1)
    if softmax:
        weights = scores.masked_fill(later & masked, -math.inf).softmax(-1)
    else:
        weights = scores.masked_fill(later & masked, 0.0)
    return layer.proj((weights @ split(layer.value(x))).transpose(1, 2).flatten(2))


def check_saved(path: Path, variant: str) -> None:
    """A parameter file holds the variant that its name promises."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        names = [str(name) for name in state]
    except Exception as error:
        text = f"{path.name} cannot be loaded with weights_only=True: {type(error).__name__}"
        raise Finding("parameters file", text) from error
    other = _held(names)
    if other != variant:
        holds = f"a {other} model" if other else "no such attention"
        raise Finding("flag never set", f"{path.name} holds {holds}, not a {variant} model")


def _held(names: list[str]) -> str | None:
    """The variant whose parameters have these names; None if it has no known attention."""
    if any(f"{_DOWN}." in name for name in names):
        return PERCEIVER
    if any(name.endswith("attn.w2") for name in names):
        return "synthesizer"
    if not any(name.endswith("attn.key.weight") for name in names):
        return None
    learned = any(name.endswith(LEARNED_POSITIONS) for name in names)
    return "vanilla" if learned else "rope"


def _compare(given: Tensor, layer: Any, x: Tensor, heads: int) -> None:
    """Equal to the formula; else name the mistakes that would give this output."""
    expected = synthesize(layer, x, heads)
    if given.shape != expected.shape:
        text = f"{tuple(given.shape)} for an input of {tuple(x.shape)}"
        raise Finding("form", f"SynthesizerAttention gives {text}")
    if _near(given, expected):
        return
    names = (
        ("unmasked future", "as if no mask hid the future"),
        ("scores without softmax", "as if the scores were not put through softmax"),
        ("scaled scores", "as if the scores were divided by the root of the head's width"),
        ("no relu", "as if there were no ReLU"),
    )
    for wrong in sorted(product((True, False), repeat=4), key=_distance):
        if _near(given, synthesize(layer, x, heads, wrong)):
            flaws = [n for n, a, b in zip(names, wrong, _RIGHT, strict=True) if a != b]
            raise Finding(flaws[0][0], "the output is " + " and ".join(text for _, text in flaws))
    # Without softmax, masked scores may also keep the huge number that fills them.
    if given.abs().max() > 1e6 * expected.abs().max():
        raise Finding("scores without softmax", f"the output is {names[1][1]}")
    off = float((given - expected).abs().max())
    raise Finding("formula", f"the output differs from equation (3) by up to {off:.1g}")


def _distance(variant: Variant) -> int:
    return sum(a != b for a, b in zip(variant, _RIGHT, strict=True))


def _near(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=0, atol=TOLERANCE)


def normal(shape: Sequence[int], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _logits(output: Any) -> Tensor:
    return output[0] if isinstance(output, tuple) else output


def _tree(model: nn.Module) -> Iterator[tuple[str, str]]:
    for path, module in model.named_modules():
        leaf = not any(True for _ in module.children())
        yield path, str(module) if leaf else module._get_name()


def _line(entry: tuple[str, str]) -> str:
    return f"{entry[0]}: {entry[1]}" if entry[0] else entry[1]
