"""Whether a file of predictions is what a model answers: a few questions are answered again.

Reading a question with its submitted answer behind it shows in one pass what the model would have
chosen at each character, so nothing needs to be generated. An answer agrees if every character of
it, and the mask that ends it, is the model's first choice, or ties with it: a model evaluated on a
GPU, or in half precision, breaks ties otherwise. `allowed` derives how many lines may differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from random import Random

import torch
from torch import Tensor

MASK, PAD = "\u2047", "\u25a1"
STEPS = 32  # characters that the course generates
# Measured with random models, whose close calls are many: of 600 lines that they answered with
# weights rounded to 11 bits (half precision, TF32) all agree, with 8 bits (bfloat16) all but 4.
# Without room for ties, 5 and 70 of them would not.
TIE = 0.02  # of the distance from the mean logit to the largest
TIED = 3  # characters that may be so near: a model with more of them has no opinion
HONEST = 0.01  # the share of an honest file's lines that may differ: more than was seen
FALSE_ALARM = 1e-3  # P(an honest file differs in more lines than are allowed)
# The course's program reads a test question with the end of its line; ours does not.
ENDINGS = ("", "\n")

Logits = Callable[[Tensor], Tensor]  # (B, T) characters to (B, T, vocabulary)


@dataclass(frozen=True)
class Agreement:
    """Of `asked` lines, `same` are the model's own; `others` are examples of those that are not."""

    same: int
    asked: int
    others: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.asked - self.same <= allowed(self.asked)

    def __str__(self) -> str:
        return f"{self.same} of {self.asked}"


def allowed(asked: int) -> int:
    """The lines that may differ: more do in an honest file with a chance below FALSE_ALARM.

    Of 40 lines 3 may. A copied column of answers agrees only where the model is right: at 40 %
    right answers, which is more than any public run has, it passes with 4e-12. A file in which a
    fifth of the lines is forged passes with 3 %, a third with 1e-4.
    """
    chances = [comb(asked, k) * HONEST**k * (1 - HONEST) ** (asked - k) for k in range(asked + 1)]
    return next(k for k in range(asked + 1) if sum(chances[k + 1 :]) < FALSE_ALARM)


def choose(count: int, questions: int, draw: int) -> list[int]:
    """The lines to answer again; the draw's number makes them again."""
    return sorted(Random(draw).sample(range(count), min(questions, count)))


def compare(
    logits: Logits, numbers: Mapping[str, int], questions: Sequence[str], lines: Sequence[str]
) -> Agreement:
    """Answer with and without the end of the line in the prompt; whichever agrees more often."""
    found = [_agree(logits, numbers, [q + end for q in questions], lines) for end in ENDINGS]
    right = max(found, key=sum)
    others = [line for line, same in zip(lines, right, strict=True) if not same]
    return Agreement(sum(right), len(lines), tuple(others[:3]))


def _agree(
    logits: Logits, numbers: Mapping[str, int], prompts: Sequence[str], lines: Sequence[str]
) -> list[bool]:
    pairs = list(zip(prompts, lines, strict=True))
    # Whether a model can have read the one and written the other.
    readable = [i for i, (prompt, line) in enumerate(pairs)
                if numbers.keys() >= set(prompt + line) and MASK not in line
                and len(line) <= STEPS]  # fmt: skip
    same = [False] * len(prompts)
    if not readable:
        return same
    rows = [f"{prompts[i]}{MASK}{lines[i]}{MASK}" for i in readable]
    longest = max(map(len, rows))
    ids = torch.tensor([[numbers[c] for c in row.ljust(longest, PAD)] for row in rows])
    with torch.no_grad():
        chosen = logits(ids[:, :-1]).float()
    top, mean = chosen.max(-1, keepdim=True).values, chosen.mean(-1, keepdim=True)
    near = top - chosen <= TIE * (top - mean)  # (B, T, V)
    right = near.gather(-1, ids[:, 1:, None])[..., 0] & (near.sum(-1) <= TIED)
    for row, i in enumerate(readable):
        start = len(prompts[i])  # the place of the mask, after which the answer is chosen
        steps = min(len(lines[i]) + 1, STEPS)
        same[i] = bool(right[row, start : start + steps].all())
    return same
