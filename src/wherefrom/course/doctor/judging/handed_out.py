"""Judges what was handed out with the assignment: the trainer, sample() and evaluate_places().

The submission's trainer trains a model of ours, and a plain loop that does what the hand-out's does
trains the same. The settings make each habit matter: the gradients are longer than the clip, the
warm-up ends between two steps, and the cosine falls to its floor and comes back.
"""

import math
import re
from functools import lru_cache, partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector as _flat

from wherefrom.course.doctor.exercises import BLOCK, SYMBOLS, Request, Small, fill
from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.judging.computation import MISTAKES, compare, is_near
from wherefrom.course.doctor.judging.training import rows, table

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
_STEPS = 9  # characters to generate
_PROMPT = torch.arange(20).view(2, 10) * 7 % SYMBOLS


def requests(draw: int) -> list[Request]:
    x, y = _examples(draw)
    trainer = {"x": x.tolist(), "y": y.tolist(), "draw": draw, "settings": SETTINGS}
    sample = {"x": _PROMPT.tolist(), "steps": _STEPS, "draw": draw}
    scoring = {"cases": [[text, places] for text, places, _ in _cases(draw)]}
    asked = {"trainer": trainer, "sample": sample, "scoring": scoring}
    return [Request(name, name, given) for name, given in asked.items()]


# -- the trainer -----------------------------------------------------------------------------------


def _examples(draw: int) -> tuple[Tensor, Tensor]:
    """Random characters, a third of the targets pads."""
    generator = torch.Generator().manual_seed(draw)
    x = torch.randint(1, SYMBOLS, (ROWS, LENGTH), generator=generator)
    y = torch.randint(1, SYMBOLS, (ROWS, LENGTH), generator=generator)
    y[torch.rand(y.shape, generator=generator) < 1 / 3] = 0
    return x, y


def check_trainer(claims: Claims) -> None:
    """The submission's trainer leaves the model that the handed-out one would leave."""
    found, draw = claims["trainer"].array("end").double(), claims.draw
    same = is_near(found, _flat(fill(Small(), draw, 0.3).parameters()).detach(), TOLERANCE)
    said = "trainer.train() leaves the model's weights as they were"
    expect(not same, "never trained", said)

    compute = partial(train, draw)
    if not is_near(found, compute(), TOLERANCE):
        # A trainer may read some twice, so that later epochs are out of step.
        first = claims["trainer"].value("seen", list)[:ROWS]
        said = "the trainer takes the examples in a random order"
        expect(first == sorted(first), "shuffled", said)
    compare(
        "what the trainer leaves",
        found,
        compute,
        MISTAKES["trainer"],
        TOLERANCE,
        otherwise="trainer",
    )


@lru_cache
def train(
    draw: int,
    spared: str = "bias",  # a pattern of names that do not decay
    clipped: bool = True,
    pads_counted: bool = True,
    second_beta: float = SETTINGS["betas"][1],
    **schedule: Any,
) -> Tensor:
    """The parameters after the hand-out's loop, or after one with other habits."""
    model: nn.Module = fill(Small(), draw, 0.3)
    named, decay = list(model.named_parameters()), SETTINGS["weight_decay"]
    groups = [{"params": [p for n, p in named if bool(re.search(spared, n)) != does],
               "weight_decay": decay * does} for does in (True, False)]  # fmt: skip
    rate, tokens = SETTINGS["learning_rate"], 0
    optimiser = torch.optim.AdamW(groups, lr=rate, betas=(SETTINGS["betas"][0], second_beta))
    x, y = _examples(draw)
    model.train()
    for first in [*range(0, ROWS, BATCH)] * EPOCHS:
        targets = y[first : first + BATCH]
        loss = model(x[first : first + BATCH], targets)[1]
        model.zero_grad()
        loss.backward()
        if clipped:
            nn.utils.clip_grad_norm_(model.parameters(), SETTINGS["grad_norm_clip"])
        optimiser.step()
        tokens += int((targets >= (0 if pads_counted else 1)).sum())
        for group in optimiser.param_groups:
            group["lr"] = rate * peak_share(tokens, **schedule)
    return _flat(model.parameters()).detach()


def peak_share(
    tokens: int,
    warmed_up: bool = True,
    falling: bool = True,
    floor: float = 0.1,
    returning: bool = True,
) -> float:
    """The share of the peak rate after `tokens`; past its end the course's cosine rises again."""
    warm, final = SETTINGS["warmup_tokens"], SETTINGS["final_tokens"]
    if tokens < warm:
        return tokens / warm if warmed_up else 1.0
    done = (tokens - warm) / (final - warm)
    done = done if returning else min(done, 1.0)
    return max(floor, 0.5 * (1 + math.cos(math.pi * done))) if falling else 1.0


# -- functions -------------------------------------------------------------------------------------


def check_sample(claims: Claims) -> None:
    """sample() takes the likeliest character each time, of what fits into the block."""
    found, expected = claims["sample"].array("rows"), _PROMPT
    model: Any = fill(Small(), claims.draw, 1.0)
    for _ in range(_STEPS):
        with torch.no_grad():
            chosen = model(expected[:, -BLOCK:])[0][:, -1].argmax(-1, keepdim=True)
        expected = torch.cat((expected, chosen), 1)
    said = f"sample() gives {tuple(found.shape[1:])} for {_STEPS} more than {tuple(_PROMPT.shape)}"
    expect(found.shape[1:] == expected.shape, "generation", said)
    if all(torch.equal(rows, expected) for rows in found):
        return
    said = "sample() draws at random although its argument sample is false"
    steady = all(torch.equal(found[0], rows) for rows in found[1:])
    expect(steady, "sampling instead of greedy", said)
    if torch.equal(found[0][:, :BLOCK], expected[:, :BLOCK]):
        raise Finding("generation", "sample() goes wrong once the text is longer than a block")
    raise Finding("generation", "sample() does not take the likeliest character each time")


def _cases(draw: int) -> list[tuple[str, list[str], list[float]]]:
    """A file, answers, and how many questions and right answers it has."""
    asked = rows(draw)
    known, unknown = table(draw), "".join(f"{question}\n" for question, _ in asked)
    right = [answer for _, answer in asked]
    return [
        (known, [right[0], "Nowhere", right[2]], [3.0, 2.0]),
        (known, [right[0].lower(), right[1][:-1], right[2] + "."], [3.0, 0.0]),
        (unknown, right, [0.0, 0.0]),
    ]


def check_scoring(claims: Claims) -> None:
    """evaluate_places() counts the questions and the answers that are right to the letter."""
    results = claims["scoring"].value("results", list)
    for found, (_, places, expected) in zip(results, _cases(claims.draw), strict=False):
        said = f"evaluate_places() gives {found!r:.40} where {expected} is right"
        expect(found == expected, "scoring", f"{said}: of {len(places)} answers, in order")
