"""Judges what trainer.py was handed out with, by what a dozen of its steps do to a small model.

The submission's trainer trains a model of ours, and a plain loop that does what the hand-out's does
trains the same. The settings make each habit matter: the gradients are longer than the clip, the
warm-up ends between two steps, and the cosine falls to its floor and comes back.
"""

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.course.doctor.exercises import SYMBOLS, Request, Trainee, fill
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.judging.comparison import Mistake, compare, is_near

ROWS, LENGTH = 10, 15
BATCH, EPOCHS = 4, 5
_STEP = BATCH * LENGTH  # tokens
SETTINGS: dict[str, Any] = {
    "max_epochs": EPOCHS,
    "batch_size": BATCH,
    "learning_rate": 0.02,
    "betas": [0.9, 0.95],
    "grad_norm_clip": 0.3,
    "weight_decay": 0.4,
    "lr_decay": True,
    "warmup_tokens": 2.5 * _STEP,
    "final_tokens": 6 * _STEP,
    "num_workers": 0,
    "ckpt_path": None,
    "writer": None,
}
TOLERANCE = 1e-5


WRONG: tuple[Mistake, ...] = (
    ({"decayed": "all"}, "decay", "weight decay fell on the biases too"),
    ({"decayed": "none"}, "decay", "there were no weight decay"),
    ({"decayed": "matrices"}, "decay", "weight decay spared the norms' weights"),
    ({"clipped": False}, "clipping", "the gradients were not clipped"),
    ({"falling": False, "warmed_up": False}, "rate", "the learning rate never changed"),
    ({"warmed_up": False}, "rate", "the learning rate had no warm-up"),
    ({"floor": 0.0}, "rate", "the learning rate fell below a tenth"),
    ({"returning": False}, "rate", "the cosine stayed at its end, which comes back"),
    ({"falling": False}, "rate", "the learning rate did not fall after its warm-up"),
    ({"pads_counted": False}, "rate", "the rate's tokens left out the pads"),
    ({"betas": False}, "optimiser", "AdamW had other betas than the config"),
)


def rows(draw: int) -> tuple[Tensor, Tensor]:
    """Random characters, a third of the targets pads."""
    generator = torch.Generator().manual_seed(draw)
    x = torch.randint(1, SYMBOLS, (ROWS, LENGTH), generator=generator)
    y = torch.randint(1, SYMBOLS, (ROWS, LENGTH), generator=generator)
    y[torch.rand(y.shape, generator=generator) < 1 / 3] = 0
    return x, y


def requests(draw: int) -> list[Request]:
    x, y = rows(draw)
    given = {"x": x.tolist(), "y": y.tolist(), "draw": draw, "settings": SETTINGS}
    return [Request("trainer", "trainer", given)]


def check_order(claims: Claims) -> None:
    """An epoch takes the examples in order, as the course's trainer does."""
    # A trainer may read some twice, so that later epochs are out of step.
    first = claims["trainer"].value("seen", list)[:ROWS]
    if first != sorted(first):
        raise Finding("shuffled", "the trainer takes the examples in a random order")


def check_trainer(claims: Claims) -> None:
    """The submission's trainer leaves the model that the handed-out one would leave."""
    found, draw = claims["trainer"].array("end").double(), claims.draw
    if is_near(found, _parameters(fill(Trainee(), draw, 0.3)), TOLERANCE):
        raise Finding("never trained", "trainer.train() leaves the model's weights as they were")

    def compute(**habits: Any) -> Tensor:
        return claims.once(("trained", *habits.items()), lambda: train(draw, **habits))

    if not is_near(found, compute(), TOLERANCE):
        check_order(claims)
    compare("what the trainer leaves", found, compute, WRONG, TOLERANCE, otherwise="trainer")


def train(
    draw: int,
    decayed: str = "all but biases",
    clipped: bool = True,
    pads_counted: bool = True,
    betas: bool = True,
    **schedule: Any,
) -> Tensor:
    """The parameters after the hand-out's loop, or after one with other habits."""
    model: nn.Module = fill(Trainee(), draw, 0.3)
    rate = SETTINGS["learning_rate"]
    own = tuple(SETTINGS["betas"]) if betas else (0.9, 0.999)
    optimiser = torch.optim.AdamW(_groups(model, decayed), lr=rate, betas=own)
    tokens = 0
    model.train()
    for x, y in _batches(draw):
        loss = model(x, y)[1]
        model.zero_grad()
        loss.backward()
        if clipped:
            nn.utils.clip_grad_norm_(model.parameters(), SETTINGS["grad_norm_clip"])
        optimiser.step()
        tokens += int((y >= (0 if pads_counted else 1)).sum())
        for group in optimiser.param_groups:
            group["lr"] = rate * peak_share(tokens, SimpleNamespace(**SETTINGS), **schedule)
    return _parameters(model)


def peak_share(
    tokens: int,
    config: Any,
    warmed_up: bool = True,
    falling: bool = True,
    floor: float = 0.1,
    returning: bool = True,
) -> float:
    """The share of the peak rate after `tokens`; past its end the course's cosine rises again."""
    warm, final = config.warmup_tokens, config.final_tokens
    if tokens < warm:
        return tokens / max(1, warm) if warmed_up else 1.0
    done = (tokens - warm) / max(1, final - warm)
    done = done if returning else min(done, 1.0)
    return max(floor, 0.5 * (1 + math.cos(math.pi * done))) if falling else 1.0


def _groups(model: nn.Module, decayed: str) -> list[dict[str, Any]]:
    def decays(name: str, parameter: Tensor) -> bool:
        if decayed in ("all", "none"):
            return decayed == "all"
        norm = decayed == "matrices" and ("ln" in name or parameter.dim() < 2)
        return "bias" not in name and not norm

    named = list(model.named_parameters())
    return [
        {"params": [p for n, p in named if decays(n, p)], "weight_decay": SETTINGS["weight_decay"]},
        {"params": [p for n, p in named if not decays(n, p)], "weight_decay": 0.0},
    ]


def _batches(draw: int) -> Iterator[tuple[Tensor, Tensor]]:
    x, y = rows(draw)
    for _ in range(EPOCHS):
        for first in range(0, ROWS, BATCH):
            yield x[first : first + BATCH], y[first : first + BATCH]


def _parameters(model: nn.Module) -> Tensor:
    """All parameters, one after the other."""
    return nn.utils.parameters_to_vector(model.parameters()).detach().clone()
