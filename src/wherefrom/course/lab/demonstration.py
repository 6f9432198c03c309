"""A claim that is computed rather than argued: what it says, what shows it, what it looks like."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from wherefrom.course.lab.numerics import Array
from wherefrom.show.drawing.figures import dress, panels
from wherefrom.show.drawing.figures import grid as draw_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What demonstrations say in words; the numbers are computed.
EXPLANATIONS: dict[str, dict[str, str]] = json.loads(
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
        told = asdict(self) | {"holds": self.holds}
        return told | ({} if math.isfinite(self.found) else {"found": None})


@dataclass(frozen=True)
class Refutation:
    """A wrong statement, why it is wrong, and the numbers that show it."""

    statement: str
    why: str
    checks: list[Check] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return bool(self.checks) and all(check.holds for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        checks = [check.as_json() for check in self.checks]
        return vars(self) | {"refuted": self.holds, "checks": checks}


class Plot:
    """One panel of a figure: its words, and what is drawn into it, by the method of the axes."""

    def __init__(self, title: str, x: str = "", y: str = "", **settings: Any) -> None:
        self.words, self.settings = (title, x, y), settings
        self.drawn: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def draw(self, method: str, *given: Any, **how: Any) -> "Plot":
        self.drawn.append((method, given, how))
        return self

    def curve(self, x: Any, y: Any, label: str, color: str, style: str = "-") -> "Plot":
        return self.draw("plot", x, y, style, color=color, label=label)

    def __call__(self, axes: Any) -> None:
        for method, given, how in self.drawn:
            getattr(axes, method)(*given, **how)
        axes.set(**self.settings)
        dress(axes, *self.words, legend=True)


class Demonstration:
    """What shows a claim, as it is computed; after a wrong statement, checks are of that."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []
        self.refutations: list[Refutation] = []
        self.plots: list[Callable[[Any], None]] = []  # drawn only when someone wants to see it

    def check(self, *check: Any, **more: Any) -> None:
        """The label, what was found and expected, the tolerance."""
        held = self.refutations[-1].checks if self.refutations else self.checks
        held.append(Check(*check, **more))

    def away(self, label: str, found: float, expected: float, tolerance: float) -> None:
        """The number that a wrong statement promises is not the one that is found."""
        self.check(label, found, expected, tolerance, apart=True)

    def sampled(self, label: str, values: NDArray[Any], expected: float) -> None:
        """The mean of sampled numbers, or the share of samples of which something is true."""
        error = float(values.std() / math.sqrt(len(values)))
        self.check(label, values.mean(), expected, _SURE * error, error=error)

    def sampled_variance(self, label: str, points: Array, expected: float) -> None:
        """The variance of sampled numbers, or the total variance of sampled points."""
        points = points.reshape(len(points), -1)
        self.sampled(label, ((points - points.mean(axis=0)) ** 2).sum(axis=-1), expected)

    def wrong(self, statement: str) -> None:
        """A statement that the checks from here on refute."""
        self.refutations.append(Refutation(statement, EXPLANATIONS["why"][statement]))

    def plot(self, *words: str, **settings: Any) -> Plot:
        """A panel of the figure."""
        self.plots.append(plot := Plot(*words, **settings))
        return plot

    def grid(self, *grid: Any) -> None:
        """A panel that shows a matrix: its title, the matrix, names of rows and columns."""
        self.plots.append(lambda axes: draw_grid(axes, *grid))

    @property
    def claim(self) -> str:
        return EXPLANATIONS["claims"][self.name]

    def draw(self) -> "Figure":
        figure, axes = panels(len(self.plots))
        for plot, place in zip(self.plots, axes, strict=True):
            plot(place)
        return figure

    @property
    def every_check(self) -> list[Check]:
        return [*self.checks, *(c for r in self.refutations for c in r.checks)]

    def result(self) -> dict[str, Any]:
        """The row of a table of results; `n` counts every check, `failed` names what failed."""
        failed = [check.in_words() for check in self.every_check if not check.holds]
        count = len(self.every_check)
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
