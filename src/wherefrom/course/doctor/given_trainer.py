"""Check of what trainer.py was handed out with, by what a dozen of its steps do to a model.

A small model without dropout is trained by the submission's trainer and by a plain loop that does
what the hand-out's does. The settings make each habit matter: the gradients are longer than the
clip, the warm-up ends between two steps, and the cosine falls to its floor and comes back.
"""

import copy
import math
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from wherefrom.course.doctor import models
from wherefrom.course.doctor.comparison import Mistake, compare, is_near
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.submission import Submission

ROWS, LENGTH, VOCABULARY, BLOCK = 10, 15, 12, 16
BATCH, EPOCHS = 4, 5
_STEP = BATCH * LENGTH  # tokens
SETTINGS: dict[str, Any] = {
    "max_epochs": EPOCHS,
    "batch_size": BATCH,
    "learning_rate": 0.02,
    "betas": (0.9, 0.95),
    "grad_norm_clip": 0.3,
    "weight_decay": 0.4,
    "lr_decay": True,
    "warmup_tokens": 2.5 * _STEP,
    "final_tokens": 6 * _STEP,
    "num_workers": 0,
    "ckpt_path": None,
    "writer": None,
}
UNDROPPED = dict.fromkeys(("embd_pdrop", "resid_pdrop", "attn_pdrop"), 0.0)
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


class Rows(torch.utils.data.Dataset):
    """Random characters, a third of the targets pads."""

    block_size, vocab_size = BLOCK, VOCABULARY

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(9)
        self.x = torch.randint(1, VOCABULARY, (ROWS, LENGTH), generator=generator)
        self.y = torch.randint(1, VOCABULARY, (ROWS, LENGTH), generator=generator)
        self.y[torch.rand(self.y.shape, generator=generator) < 1 / 3] = 0
        self.seen: list[int] = []

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        if not 0 <= index < ROWS:
            raise IndexError(index)
        self.seen.append(int(index))
        return self.x[index], self.y[index]


def trained(submission: Submission) -> tuple[nn.Module, Tensor, list[int]]:
    """A model before the submission's trainer, its weights after it, and the order of examples."""

    def make() -> tuple[nn.Module, Tensor, list[int]]:
        model = models.build(submission, "vanilla", course_sizes=False, **UNDROPPED).double()
        start, data = copy.deepcopy(model), Rows()
        trainer = submission.Trainer(model, data, None, submission.TrainerConfig(**SETTINGS))
        trainer.train()
        return start, _parameters(getattr(trainer, "model", model)), data.seen

    return submission.once("trained", make)


def check_order(submission: Submission) -> str:
    """An epoch takes the examples in order, as the course's trainer does."""
    seen = trained(submission)[2]
    if len(seen) < ROWS:
        raise NoTelling("the trainer did not read the examples one by one")
    first = seen[:ROWS]  # a trainer may read some twice, so that later epochs are out of step
    if first != sorted(first):
        raise Finding("shuffled", "the trainer takes the examples in a random order")
    return "examples are taken in order"


def check_trainer(submission: Submission) -> None:
    """The submission's trainer leaves the model that the handed-out one would leave."""
    start, found, _ = trained(submission)

    def compute(**habits: Any) -> Tensor:
        return train(copy.deepcopy(start), **habits)

    # A trainer may compute the loss itself, as ours does.
    if is_near(found, compute(own_loss=False), TOLERANCE):
        return
    if is_near(found, _parameters(start), TOLERANCE):
        raise Finding("never trained", "trainer.train() leaves the model's weights as they were")
    if not is_near(found, compute(), TOLERANCE):
        with suppress(NoTelling):
            check_order(submission)
    compare("what the trainer leaves", found, compute, WRONG, TOLERANCE, otherwise="trainer")


def train(
    model: nn.Module,
    decayed: str = "all but biases",
    clipped: bool = True,
    pads_counted: bool = True,
    betas: bool = True,
    own_loss: bool = True,
    **schedule: Any,
) -> Tensor:
    """The parameters after the hand-out's loop, or after one with other habits.

    The model's own loss is taken, whatever it is worth: that is another check's business.
    """
    rate = SETTINGS["learning_rate"]
    own = SETTINGS["betas"] if betas else (0.9, 0.999)
    optimiser = torch.optim.AdamW(_groups(model, decayed), lr=rate, betas=own)
    tokens = 0
    model.train()
    for x, y in _batches():
        logits, loss = model(x, y)
        if not own_loss:
            loss = cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=0)
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
    """Of the peak rate, after so many tokens; past its end the course's cosine comes back."""
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


def _batches() -> Iterator[tuple[Tensor, Tensor]]:
    data = Rows()
    for _ in range(EPOCHS):
        for first in range(0, ROWS, BATCH):
            yield data.x[first : first + BATCH], data.y[first : first + BATCH]


def _parameters(model: Any) -> Tensor:
    """All parameters, one after the other."""
    held = getattr(model, "module", model)
    return nn.utils.parameters_to_vector(held.parameters()).detach().double().clone()
