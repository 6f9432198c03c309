"""Judges two functions that were handed out in utils.py: sample() and evaluate_places()."""

from typing import Any

import torch
from torch import Tensor

from wherefrom.course.doctor.exercises import BLOCK, SYMBOLS, Request, Speaker, fill
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import name_data as names
from wherefrom.course.doctor.judging.claims import Claims

_STEPS = 9  # characters to generate


def requests(draw: int) -> list[Request]:
    sample = {"x": _prompt().tolist(), "steps": _STEPS, "draw": draw}
    cases = [[text, places] for text, places, _ in _cases(draw)]
    return [Request("sample", "sample", sample), Request("scoring", "scoring", {"cases": cases})]


def _prompt() -> Tensor:
    return torch.arange(20).view(2, 10) * 7 % SYMBOLS


def _cases(draw: int) -> list[tuple[str, list[str], list[float]]]:
    """A file, answers, and how many questions and right answers it has."""
    rows = names.rows(draw)
    known, unknown = names.table(draw), "".join(f"{question}\n" for question, _ in rows)
    right = [answer for _, answer in rows]
    return [
        (known, [right[0], "Nowhere", right[2]], [3.0, 2.0]),
        (known, [right[0].lower(), right[1][:-1], right[2] + "."], [3.0, 0.0]),
        (unknown, right, [0.0, 0.0]),
    ]


def check_sample(claims: Claims) -> None:
    """sample() takes the likeliest character each time, of what fits into the block."""
    found = claims["sample"].array("rows")
    model: Any = fill(Speaker(), claims.draw, 1.0)
    expected = _prompt()
    for _ in range(_STEPS):
        with torch.no_grad():
            chosen = model(expected[:, -BLOCK:])[0][:, -1].argmax(-1, keepdim=True)
        expected = torch.cat((expected, chosen), 1)
    if found.shape[1:] != expected.shape:
        shapes = f"{tuple(found.shape[1:])} for {_STEPS} more than {tuple(_prompt().shape)}"
        raise Finding("generation", f"sample() gives {shapes}")
    if all(torch.equal(rows, expected) for rows in found):
        return
    if any(not torch.equal(found[0], rows) for rows in found[1:]):
        text = "sample() draws at random although its argument sample is false"
        raise Finding("sampling instead of greedy", text)
    if torch.equal(found[0][:, :BLOCK], expected[:, :BLOCK]):
        raise Finding("generation", "sample() goes wrong once the text is longer than a block")
    raise Finding("generation", "sample() does not take the likeliest character each time")


def check_scoring(claims: Claims) -> None:
    """evaluate_places() counts the questions and the answers that are right to the letter."""
    results = claims["scoring"].value("results", list)
    for found, (_, places, expected) in zip(results, _cases(claims.draw), strict=False):
        if found != expected:
            said = f"evaluate_places() gives {found!r:.40} where {expected} is right"
            raise Finding("scoring", f"{said}: of {len(places)} answers, in order")
