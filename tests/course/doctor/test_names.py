"""Examples of a NameDataset, laid out by hand."""

from types import SimpleNamespace

import pytest
import torch

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.names import ROWS, TABLE, TEXT, check_items
from wherefrom.course.doctor.spans import MASK, PAD

LENGTH = 64
SYMBOLS = (PAD, MASK, *sorted(set(TEXT + TABLE)))
PRETRAINING = SimpleNamespace(itos=dict(enumerate(SYMBOLS)))


def laid_out(learn) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Every example; `learn(question, whole)` gives what y holds."""
    items = []
    for question, answer in ROWS:
        whole = f"{question}{MASK}{answer}{MASK}".ljust(LENGTH, PAD)
        parts = (whole[:-1], learn(question, whole))
        items.append(tuple(torch.tensor([SYMBOLS.index(c) for c in part]) for part in parts))
    return items


def right(question: str, whole: str) -> str:
    return PAD * (len(question) - 1) + whole[len(question) :]


@pytest.mark.parametrize(
    ("learn", "mistake", "message"),
    [
        (lambda q, w: w[1:], "question not masked in the loss", "y holds the question"),
        (lambda q, w: (PAD + right(q, w))[: LENGTH - 1], "wrong shift",
         "y of example 0 begins at 27, expected 26"),
        (lambda q, w: PAD * (LENGTH - 1), "names", "y of example 0 learns ''"),
    ],
)  # fmt: skip
def test_what_else_may_be_learned(learn, mistake, message):
    with pytest.raises(Finding, match=message) as caught:
        check_items(laid_out(learn), PRETRAINING, LENGTH)
    assert caught.value.mistake == mistake


def test_other_examples_are_findings():
    with pytest.raises(Finding, match="expected 3 examples of names, found nothing"):
        check_items(None, PRETRAINING, LENGTH)
    with pytest.raises(Finding, match="found 2 examples"):
        check_items(laid_out(right)[:2], PRETRAINING, LENGTH)
    with pytest.raises(Finding, match="x of example 0 is"):
        check_items(laid_out(right), PRETRAINING, LENGTH + 1)
