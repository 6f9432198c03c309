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
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # matplotlib is imported when something is drawn, not before
    Axes = Figure = Any

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
    expected: float
    tolerance: float
    apart: bool = False
    error: float = 0.0

    @classmethod
    def away(cls, label: str, found: float, expected: float, tolerance: float) -> Self:
        """The number that a wrong statement promises is not the one that is found."""
        return cls(label, found, expected, tolerance, apart=True)

    @classmethod
    def sampled(cls, label: str, values: NDArray[Any], expected: float) -> Self:
        """The mean of sampled numbers, or the share of samples of which something is true."""
        error = standard_error(values)
        return cls(label, values.mean(), expected, _SURE * error, error=error)

    @classmethod
    def sampled_sd(cls, label: str, values: Array, expected: float, slack: float = 0.0) -> Self:
        """Their standard deviation; `slack` is what the expected number itself leaves out."""
        sd = values.std()
        error = standard_error((values - values.mean()) ** 2) / (2 * sd)
        return cls(label, sd, expected, _SURE * error + slack, error=error)

    @property
    def holds(self) -> bool:
        distance = float(abs(self.found - self.expected))
        if not math.isfinite(distance):
            return False
        return bool(distance > self.tolerance) == self.apart

    def in_words(self) -> str:
        found, expected = f"{self.label}: found {self.found:.6g}", f"{self.expected:.6g}"
        if self.apart:
            return f"{found}, expected further than {self.tolerance:.2g} from {expected}"
        return f"{found}, expected {expected} within {self.tolerance:.2g}"

    def as_json(self) -> dict[str, Any]:
        told = {
            "label": self.label,
            "found": _number(self.found),
            "expected": _number(self.expected),
            "tolerance": float(self.tolerance),
            "apart": self.apart,
            "holds": self.holds,
        }
        return told | ({"standard_error": float(self.error)} if self.error else {})


@dataclass(frozen=True)
class Refutation:
    """A wrong statement, why it is wrong, and the numbers that show it."""

    statement: str
    why: str
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, statement: str, *checks: Check) -> Self:
        """With the explanation that is written for the statement."""
        return cls(statement, _EXPLANATIONS["why"][statement], checks)

    @property
    def holds(self) -> bool:
        return bool(self.checks) and all(check.holds for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        return {
            "statement": self.statement,
            "why": self.why,
            "refuted": self.holds,
            "checks": [check.as_json() for check in self.checks],
        }


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
        return {
            "name": self.name,
            "claim": self.claim,
            "checks": [check.as_json() for check in self.checks],
            "wrong_statements": [r.as_json() for r in self.refutations],
        }


def _number(value: float) -> float | None:
    """JSON has no word for numbers that are not finite; a check on one fails."""
    return float(value) if math.isfinite(value) else None
