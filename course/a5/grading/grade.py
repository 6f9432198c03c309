"""One submission's grade, and a folder full of them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from places import data_folders

from grading.points import TESTS
from wherefrom.core.errors import MissingInput, UsageError, WherefromError, nearest
from wherefrom.doctor.findings import Result
from wherefrom.doctor.guess import decide_year
from wherefrom.doctor.layouts import check_files, locate
from wherefrom.doctor.predictions import DEV
from wherefrom.doctor.sandbox import Limits, examine

HOME = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Grade:
    """The results of tests; `refused` says why none could be run."""

    name: str
    results: dict[str, Result]
    seconds: float
    refused: str = ""
    year: str = ""
    year_said: str = ""  # why it was taken for that year's hand-out

    def points(self, test: str) -> int:
        return TESTS[test].points if self.results[test].state == "ok" else 0

    @property
    def total(self) -> int:
        return sum(map(self.points, self.results))

    @property
    def possible(self) -> int:
        return sum(TESTS[test].points for test in self.results)

    def as_json(self) -> dict[str, Any]:
        tests = [
            {
                "id": name,
                "what": TESTS[name].what,
                "points": self.points(name),
                "possible": TESTS[name].points,
                "state": result.state,
                "mistake": result.mistake,
                "why": result.text,
            }
            for name, result in self.results.items()
        ]
        told = {"submission": self.name, "points": self.total, "possible": self.possible}
        told |= {"year": self.year, "year_said": self.year_said}
        return told | {"refused": self.refused, "seconds": round(self.seconds, 1), "tests": tests}


@dataclass(frozen=True)
class Order:
    """What to grade with: test ids, where the data is, the test answers if known, limits, year.

    Without a year, each submission's is guessed from its files.
    """

    tests: tuple[str, ...] = tuple(TESTS)
    data: Path | None = None
    answers: Path | None = None
    limits: Limits = field(default_factory=Limits)
    year: str | None = None


def choose(wanted: Sequence[str]) -> tuple[str, ...]:
    """Test ids, or parts such as 1e; all of them when none is named."""
    chosen: list[str] = []
    for name in wanted:
        found = [test for test in TESTS if test == name or test.split("-")[0] == name]
        if not found:
            raise UsageError(f"test '{name}': there is none; {nearest(name, TESTS)}")
        chosen += found
    return tuple(dict.fromkeys(chosen)) or tuple(TESTS)


def grade(folder: Path, order: Order, name: str = "") -> Grade:
    started = time.monotonic()
    place = locate(folder)
    guess = decide_year(order.year, place)
    check_files(place)
    results = examine(
        "grading.points:LOOKS",
        order.tests,
        place,
        order.data or find_data(place),
        order.limits,
        paths=[HOME],
        answers=order.answers,
        year=guess.year,
    )
    seconds = time.monotonic() - started
    return Grade(name or str(folder), results, seconds, year=guess.year, year_said=str(guess))


def grade_all(folder: Path, order: Order) -> Iterator[Grade]:
    """Every folder in a folder, by name; one that cannot be graded has no points and a reason."""
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected a folder of submissions, found none")
    inside = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    if not inside:
        raise MissingInput(f"{folder}: expected a folder for each submission, found no folders")
    for path in inside:
        try:
            yield grade(path, order, path.name)
        except (WherefromError, OSError) as error:
            refused = dict.fromkeys(order.tests, Result("look", str(error), "refused"))
            yield Grade(path.name, refused, 0.0, str(error))


def find_data(folder: Path) -> Path | None:
    """The course's data: where its programs look for it, or beside the submission."""
    beside = [folder.parent] if folder.name == "src" else []
    near = (*data_folders(), folder / "data", folder.parent / "data", *beside)
    return next((path for path in near if (path / DEV).is_file()), None)
