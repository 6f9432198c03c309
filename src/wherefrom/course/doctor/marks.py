"""Points for the checks of a submission, and grades as people and programs read them.

A course's grader names its tests, what each is worth, and the check behind it; the rest is here.
"""

import csv
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from wherefrom.core.errors import UsageError, nearest
from wherefrom.course.doctor.findings import Result

_WIDTH = 100
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


@dataclass(frozen=True)
class Test:
    """What is tested, its points, and the check: it raises a Finding, or returns what it saw."""

    what: str
    points: int
    look: Callable[[Any], str | None]

    __test__ = False  # for pytest, which would collect it


Tests = Mapping[str, Test]


@dataclass(frozen=True)
class Grade:
    """The results of tests; `refused` says why none could be run.

    A test that could not be judged counts neither for nor against: its points are not possible.
    """

    name: str
    tests: Tests
    results: dict[str, Result]
    refused: str = ""

    def points(self, test: str) -> int:
        return self.tests[test].points if self.results[test].state == "ok" else 0

    @property
    def total(self) -> int:
        return sum(map(self.points, self.results))

    @property
    def possible(self) -> int:
        return sum(self.tests[t].points for t, r in self.results.items() if r.state != "unknown")

    def as_json(self) -> dict[str, Any]:
        tests = [
            {
                "id": name,
                "what": self.tests[name].what,
                "points": self.points(name),
                "possible": self.tests[name].points,
                "state": result.state,
                "mistake": result.mistake,
                "why": result.text,
            }
            for name, result in self.results.items()
        ]
        told = {"submission": self.name, "points": self.total, "possible": self.possible}
        return told | {"refused": self.refused, "tests": tests}


def choose(tests: Tests, wanted: Sequence[str]) -> tuple[str, ...]:
    """Test ids, or parts such as 1c; all of them when none is named."""
    chosen: list[str] = []
    for name in wanted:
        found = [test for test in tests if test == name or test.split("-")[0] == name]
        if not found:
            near = nearest(name, tests)
            raise UsageError(f"test '{name}': there is none; {near} (--list names them all)")
        chosen += found
    return tuple(dict.fromkeys(chosen)) or tuple(tests)


def overview(tests: Tests, names: Sequence[str]) -> list[str]:
    """The tests and their points, without any grade."""
    width = max(map(len, names))
    return [f"{name:<{width}}  {tests[name].points:>2}  {tests[name].what}" for name in names]


def table(grade: Grade) -> list[str]:
    """A line a test; why points are missing stands below, in the student's sight."""
    ids = max(map(len, grade.results))
    whats = max(len(grade.tests[name].what) for name in grade.results)
    lines: list[str] = []
    for name, result in grade.results.items():
        test = grade.tests[name]
        state = {"ok": "ok", "look": "no", "unknown": "not judged"}[result.state]
        got = f"{grade.points(name):>3} of {test.points:>2}"
        lines.append(f"{name:<{ids}}  {test.what:<{whats}}  {got}  {state}")
        if result.state != "ok" and result.text:
            title = f"{result.mistake}: " if result.mistake else ""
            indent = " " * (ids + 4)
            lines += textwrap.wrap(
                plain(title + result.text),
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
            )
    lines.append(f"{'':<{ids}}  {'':<{whats}}  {grade.total:>3} of {grade.possible:>2}")
    return lines


def write_csv(grades: Iterable[Grade], names: Sequence[str], file: TextIO) -> int:
    """A row a submission, written as soon as it is graded; gives their number."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["submission", "points", "possible", *names, "why"])
    count = 0
    for grade in grades:
        count += 1
        why = grade.refused or "; ".join(
            f"{name} {result.mistake or result.state}: {result.text}"
            for name, result in grade.results.items()
            if result.state != "ok"
        )
        points = [grade.points(name) for name in names]
        writer.writerow([_cell(grade.name), grade.total, grade.possible, *points, _cell(why)])
        file.flush()
    return count


def plain(text: str) -> str:
    """Text on one line, without characters that a terminal would obey: it is other people's."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def _cell(text: str) -> str:
    text = plain(text)
    return f"'{text}" if text.startswith(_FORMULA) else text
