"""Checks of what utils.py was handed out with: how answers are generated, and how scored."""

from typing import Any

import torch
from torch import Tensor

from wherefrom.course.doctor import models
from wherefrom.course.doctor.comparison import logits, randomise
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.names import ROWS, TABLE
from wherefrom.course.doctor.submission import Submission

_STEPS = 9


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
