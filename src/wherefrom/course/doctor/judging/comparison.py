"""What a submission computes beside what it should compute, and the mistake that explains it.

A layer, a model or a training run is computed once as it should be, and once with each of the
usual mistakes; the mistake that gives the same numbers is named.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from wherefrom.course.doctor.findings import Finding, expect

TOLERANCE = 1e-8  # in double precision

# What a mistake changes in the computation, its name, and what the output then is like.
Mistake = tuple[dict[str, Any], str, str]


def compare(
    what: str,
    given: Tensor,
    compute: Callable[..., Tensor],
    mistakes: Iterable[Mistake],
    tolerance: float = TOLERANCE,
    otherwise: str = "formula",
) -> float:
    """The largest difference from what is right; a Finding if it is too large.

    `compute` takes the changes of a mistake. `otherwise` names what no mistake explains.
    """
    expected = compute()
    said = f"{what} is {tuple(given.shape)}, expected {tuple(expected.shape)}"
    expect(given.shape == expected.shape, "form", said)
    off = float((given - expected).abs().max())
    if is_near(given, expected, tolerance):
        return off
    for changes, mistake, text in mistakes:
        if is_near(given, compute(**changes), tolerance):
            raise Finding(mistake, f"{what} is as if {text}")
    raise Finding(otherwise, f"{what} differs from what it should be by up to {off:.1g}")


def is_near(given: Tensor, expected: Tensor, tolerance: float = TOLERANCE) -> bool:
    """Whether all numbers agree, relative to the largest that is expected."""
    if given.shape != expected.shape:
        return False
    within = tolerance * max(1.0, float(expected.abs().max()))
    return torch.allclose(given.double(), expected.double(), rtol=0, atol=within)


def together(mistakes: Sequence[Mistake]) -> Iterator[Mistake]:
    """Each mistake alone, then two at a time, and so on; the first one gives the name."""
    for count in range(1, len(mistakes) + 1):
        for some in combinations(mistakes, count):
            changes = {name: value for each, _, _ in some for name, value in each.items()}
            yield changes, some[0][1], " and ".join(text for _, _, text in some)
