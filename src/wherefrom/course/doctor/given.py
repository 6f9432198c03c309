"""Checks of what model.py and utils.py were handed out with: all but the attention.

The submission's model and a plain computation of the same, with the same weights and inputs, must
agree; how the code is written does not matter. The attention inside is taken as it is: what is
wrong with it is found elsewhere, and costs only that.
"""

import math
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.course.doctor import models
from wherefrom.course.doctor.comparison import Mistake, compare, is_near, logits, normal, randomise
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.names import ROWS, TABLE
from wherefrom.course.doctor.rotary import attend
from wherefrom.course.doctor.submission import Submission

TOLERANCE = 1e-6  # in double precision, relative to the largest number
DROPOUTS = {"embd_pdrop": 0.1, "resid_pdrop": 0.1, "attn_pdrop": 0.1}
STD = 0.02
_STEPS = 9  # characters to generate
_SPREAD = 0.02  # of STD: seven standard errors of the smallest matrix
# What may be missing from a forward pass.
LEFT_OUT: tuple[Mistake, ...] = (
    ({"left_out": "positions"}, "positions unused", "pos_emb were never added to the characters"),
    ({"left_out": "last norm"}, "no last norm", "ln_f were left out"),
    ({"left_out": "residuals"}, "no residuals", "a block did not add its input to its output"),
    ({"left_out": "norms"}, "no norms in the blocks", "ln1 and ln2 were left out"),
    ({"left_out": "exact gelu"}, "another GELU", "GELU were its tanh approximation"),
)


@torch.no_grad()
def check_forward(submission: Submission, variant: str) -> None:
    """Characters, positions, blocks, last norm and head, with random weights."""
    model, x = _random_model(submission, variant), _inputs()
    what = f"the output of the {variant} model"
    compute = partial(forward, model, x)
    compare(what, logits(model(x)), compute, LEFT_OUT, TOLERANCE, otherwise="model")


@torch.no_grad()
def check_attention(submission: Submission) -> None:
    """The CausalSelfAttention that was handed out."""
    heads, width = 2, 8
    own = submission.CausalSelfAttention(models.small_config(heads, width))
    layer, x = randomise(own, 0.5), normal(2, 7, width)
    compare(
        "the output of CausalSelfAttention",
        logits(layer(x)),
        partial(attend, layer, x, heads, turned=""),
        (
            ({"masked": False}, "unmasked future", "no mask hid the future"),
            ({"scaled": False}, "unscaled scores", "the scores were not scaled"),
        ),
        TOLERANCE,
        otherwise="attention",
    )


def check_loss(submission: Submission, variant: str) -> None:
    """Mean cross-entropy where the target is not the pad, number 0."""
    model, x = _random_model(submission, variant), _inputs()
    targets = (x * 7 + 3) % models.VOCABULARY
    targets[:, 4:8] = 0
    with torch.no_grad():
        found = model(x, targets)
        scores = forward(model, x) if not isinstance(found, tuple) else found[0]
        loss = found[1] if isinstance(found, tuple) and len(found) > 1 else None
        if not isinstance(loss, Tensor):
            raise Finding("loss", f"the {variant} model gives no loss for targets")
        rows, wanted = scores.flatten(0, 1), targets.flatten()
        right = F.cross_entropy(rows, wanted, ignore_index=0)
        if is_near(loss, right, TOLERANCE):
            return
        if is_near(loss, F.cross_entropy(rows, wanted), TOLERANCE):
            text = f"the loss of the {variant} model counts the pads: to predict them is no aim"
            raise Finding("pads in the loss", text)
    text = f"the loss of the {variant} model is {float(loss):.4g}, expected {float(right):.4g}"
    raise Finding("loss", text)


def check_dropout(submission: Submission, variant: str) -> None:
    """The config's rates are 0.1, each of them is used in training, and none otherwise."""
    config = submission.GPTConfig(models.VOCABULARY, 16)
    for name, rate in DROPOUTS.items():
        found = getattr(config, name, None)
        if not isinstance(found, int | float) or not math.isclose(found, rate):
            raise Finding("dropout", f"GPTConfig's {name} is {found!r}, expected {rate}")
    # Of another attention than the one handed out, the dropout is the student's own business.
    names = list(DROPOUTS)[: 3 if variant == "vanilla" else 2]
    for name in names:
        model = _random_model(submission, variant, **{n: 0.5 * (n == name) for n in DROPOUTS})
        if _varies(model):
            raise Finding("dropout", f"the {variant} model drops out even when it is not trained")
        if not _varies(model.train()):
            raise Finding("dropout", f"the {variant} model never uses {name}")
    if _varies(_random_model(submission, variant, **dict.fromkeys(DROPOUTS, 0.0)).train()):
        raise Finding("dropout", f"the {variant} model drops out what no rate of the config says")


def check_start(submission: Submission, variant: str) -> None:
    """Weights start as normal numbers of 0.02, biases and positions at 0, norms at 1."""
    model = models.build(submission, variant)
    positions = getattr(model, models.LEARNED_POSITIONS, None)
    if isinstance(positions, Tensor) and positions.abs().max() > 0:
        raise Finding("start", "pos_emb does not start at 0")
    for path, module in model.named_modules():
        if variant != "vanilla" and "attn" in path:  # the student's own
            continue
        weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
        if isinstance(module, nn.Linear | nn.Embedding) and isinstance(weight, Tensor):
            std = float(weight.detach().std())
            if abs(std - STD) > _SPREAD * STD:
                text = f"{path}.weight starts with a standard deviation of {std:.3g}, not {STD}"
                raise Finding("start", text)
        is_norm = isinstance(module, nn.LayerNorm)
        if is_norm and isinstance(weight, Tensor) and (weight - 1).abs().max() > 0:
            raise Finding("start", f"{path}.weight does not start at 1")
        if isinstance(bias, Tensor) and bias.abs().max() > 0:
            raise Finding("start", f"{path}.bias does not start at 0")


def check_sample(submission: Submission) -> None:
    """sample() takes the likeliest character each time, of what fits into the block."""
    model = randomise(models.build(submission, "vanilla", course_sizes=False), 0.3)
    x = torch.arange(20).view(2, 10) * 11 % models.VOCABULARY
    found = [_sampled(submission, model, x, seed) for seed in (1, 2, 3)]
    expected = greedy(model, x)
    if any(rows.shape != expected.shape for rows in found):
        shapes = f"{tuple(found[0].shape)} for {_STEPS} more than {tuple(x.shape)}"
        raise Finding("generation", f"sample() gives {shapes}")
    if all(torch.equal(rows, expected) for rows in found):
        return
    if any(not torch.equal(found[0], rows) for rows in found[1:]):
        text = "sample() draws at random although its argument sample is false"
        raise Finding("sampling instead of greedy", text)
    fits = int(model.get_block_size())
    if torch.equal(found[0][:, :fits], expected[:, :fits]):
        raise Finding("generation", "sample() goes wrong once the text is longer than a block")
    raise Finding("generation", "sample() does not take the likeliest character each time")


def greedy(model: Any, x: Tensor) -> Tensor:
    block = 16  # of the small models
    for _ in range(_STEPS):
        with torch.no_grad():
            scores = logits(model(x[:, -block:]))
        x = torch.cat((x, scores[:, -1].argmax(-1, keepdim=True)), 1)
    return x


def _sampled(submission: Submission, model: Any, x: Tensor, seed: int) -> Tensor:
    torch.manual_seed(seed)
    found = submission.sample(model, x.clone(), _STEPS, sample=False)
    if not isinstance(found, Tensor):
        raise Finding("generation", f"sample() gives {type(found).__name__}, not a tensor")
    return found


def check_scoring(submission: Submission) -> None:
    """evaluate_places() counts the questions and the answers that are right to the letter."""
    known, unknown = (submission.scratch / name for name in ("known.tsv", "unknown.tsv"))
    known.write_text(TABLE, encoding="utf-8")
    unknown.write_text("".join(f"{q}\n" for q, _ in ROWS), encoding="utf-8")
    for path, places, expected in (
        (known, ["Oslo", "Lima", "New York City"], (3, 2)),
        (known, ["oslo", "Rom", "New York"], (3, 0)),
        (unknown, ["Oslo", "Rome", "Lima"], (0, 0)),
    ):
        found = submission.evaluate_places(str(path.resolve()), places)
        if not isinstance(found, tuple | list) or tuple(found) != expected:
            said = f"evaluate_places() gives {found!r:.40} where {expected} is right"
            raise Finding("scoring", f"{said}: of {len(places)} answers, in order")


def forward(model: Any, ids: Tensor, left_out: str = "") -> Tensor:
    """Logits (B, T, V) of a GPT in the course's names; its attention layers do their own part."""

    def norm(layer: Any, x: Tensor, part: str) -> Tensor:
        return x if left_out == part else F.layer_norm(x, x.shape[-1:], layer.weight, layer.bias)

    def block(layer: Any, x: Tensor) -> Tensor:
        keep = 0.0 if left_out == "residuals" else 1.0
        x = keep * x + logits(layer.attn(norm(layer.ln1, x, "norms")))
        hidden = layer.mlp[0](norm(layer.ln2, x, "norms"))
        approximate = "tanh" if left_out == "exact gelu" else "none"
        return keep * x + layer.mlp[2](F.gelu(hidden, approximate=approximate))

    x = F.embedding(ids, model.tok_emb.weight)
    positions = getattr(model, models.LEARNED_POSITIONS, None)
    if positions is not None and left_out != "positions":
        x = x + positions[:, : ids.shape[1]]
    latent = hasattr(model, "down_block")
    y = model.down_block(x) if latent else x
    for layer in model.blocks:
        y = block(layer, y)
    y = model.up_block(y, x) if latent else y
    return norm(model.ln_f, y, "last norm") @ model.head.weight.T


def _random_model(submission: Submission, variant: str, **settings: float) -> Any:
    """Small, in double precision, evaluating, with weights that make every part matter."""
    return randomise(models.build(submission, variant, course_sizes=False, **settings), 0.5)


def _inputs() -> Tensor:
    """Two rows of 12 characters; the small models read 15 at least."""
    return torch.arange(24).view(2, 12) * 5 % (models.VOCABULARY - 3) + 3


def _varies(model: Any) -> bool:
    """Whether the same input gives different outputs."""
    with torch.no_grad():
        first, *others = (logits(model(_inputs())) for _ in range(3))
    return any(not is_near(first, other, TOLERANCE) for other in others)
