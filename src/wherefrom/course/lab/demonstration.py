"""A claim that is computed rather than argued: what it says, what shows it, what it looks like."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from wherefrom.course.lab.numerics import Array, standard_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:  # matplotlib is imported when something is drawn, not before
    Figure = Any

# What demonstrations say in words; the numbers are computed.
_EXPLANATIONS: dict[str, dict[str, str]] = json.loads(
    Path(__file__).with_name("explanations.json").read_text("utf-8")
)
_SURE = 6  # standard errors: a right number lies further off once in 500 million times


@dataclass(frozen=True)
class Check:
    """A number that was found, and one that it must be near, or must be away from.

    `apart` is for wrong statements: the number they promise must not be the one that is found.
    `error` is the standard error of a number that was found by sampling.
    """

    label: str
    found: float
    expected: float = 0.0
    tolerance: float = 1e-9
    apart: bool = False
    error: float = 0.0

    @property
    def holds(self) -> bool:
        distance = float(abs(self.found - self.expected))
        return math.isfinite(distance) and bool(distance > self.tolerance) == self.apart

    def in_words(self) -> str:
        found, expected = f"{self.label}: found {self.found:.6g}", f"{self.expected:.6g}"
        if self.apart:
            return f"{found}, expected further than {self.tolerance:.2g} from {expected}"
        return f"{found}, expected {expected} within {self.tolerance:.2g}"

    def as_json(self) -> dict[str, Any]:
        """JSON has no word for numbers that are not finite; a check on one fails."""
        told = {
            "label": self.label,
            "found": float(self.found) if math.isfinite(self.found) else None,
            "expected": float(self.expected),
            "tolerance": float(self.tolerance),
            "apart": self.apart,
            "holds": self.holds,
        }
        return told | ({"standard_error": float(self.error)} if self.error else {})


def away(label: str, found: float, expected: float, tolerance: float) -> Check:
    """The number that a wrong statement promises is not the one that is found."""
    return Check(label, found, expected, tolerance, apart=True)


def sampled(label: str, values: NDArray[Any], expected: float) -> Check:
    """The mean of sampled numbers, or the share of samples of which something is true."""
    error = standard_error(values)
    return Check(label, values.mean(), expected, _SURE * error, error=error)


def sampled_sd(label: str, values: Array, expected: float, slack: float = 0.0) -> Check:
    """Their standard deviation; `slack` is what the expected number itself leaves out."""
    error = standard_error((values - values.mean()) ** 2) / (2 * values.std())
    return Check(label, values.std(), expected, _SURE * error + slack, error=error)


@dataclass(frozen=True)
class Refutation:
    """A wrong statement, why it is wrong, and the numbers that show it."""

    statement: str
    why: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        return bool(self.checks) and all(check.holds for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        checks = [check.as_json() for check in self.checks]
        told = {"statement": self.statement, "why": self.why, "refuted": self.holds}
        return told | {"checks": checks}


def wrong(statement: str, *checks: Check) -> Refutation:
    """A refutation with the explanation that is written for the statement."""
    return Refutation(statement, _EXPLANATIONS["why"][statement], checks)


@dataclass(frozen=True)
class Demonstration:
    """`draw` makes its figure; it is called only when someone wants to see it."""

    name: str
    claim: str
    checks: tuple[Check, ...]
    refutations: tuple[Refutation, ...]
    draw: Callable[[], Figure]

    @classmethod
    def of(cls, name: str, *given: Any) -> Self:
        """With the claim that is written for the name."""
        return cls(name, _EXPLANATIONS["claims"][name], *given)

    @property
    def every_check(self) -> tuple[Check, ...]:
        return (*self.checks, *(c for r in self.refutations for c in r.checks))

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.every_check if not check.holds)

    def result(self) -> dict[str, Any]:
        """The row of a table of results; `n` counts every check, `failed` names what failed."""
        count, failed = len(self.every_check), [check.in_words() for check in self.failed]
        return {
            "checks_held": (count - len(failed)) / count,
            "n": count,
            "held": count - len(failed),
            "statements": len(self.refutations),
            "refuted": sum(r.holds for r in self.refutations),
            "failed": failed,
        }

    def as_json(self) -> dict[str, Any]:
        checks = [check.as_json() for check in self.checks]
        told = {"name": self.name, "claim": self.claim, "checks": checks}
        return told | {"wrong_statements": [r.as_json() for r in self.refutations]}
