"""Points for the checks of a submission, and grades as people and programs read them.

A course's grader names its tests, what each is worth, and the check behind it; the rest is here,
up to the options that all graders have.
"""

import argparse
import csv
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from wherefrom.core.errors import (
    BadData,
    MissingInput,
    UsageError,
    WherefromError,
    nearest,
)
from wherefrom.course.doctor.findings import Result
from wherefrom.show.terminal.messages import printable

_WIDTH = 100
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


@dataclass(frozen=True)
class Test:
    """What is tested, its points, and the check: it raises a Finding, or returns what it saw."""

    what: str
    points: float
    look: Callable[[Any], str | None]

    __test__ = False  # for pytest, which would collect it


Tests = Mapping[str, Test]
Change = Callable[[dict[str, Any]], dict[str, Any]]  # of a row of the table of grades


@dataclass(frozen=True)
class Grade:
    """The results of tests; `refused` says why none could be run, `said` is about all of them.

    A test that could not be judged counts neither for nor against: its points are not possible.
    """

    name: str
    tests: Tests
    results: dict[str, Result]
    refused: str = ""
    said: tuple[str, ...] = ()

    def points(self, test: str) -> float:
        return self.tests[test].points if self.results[test].state == "ok" else 0

    @property
    def total(self) -> float:
        return sum(map(self.points, self.results))

    @property
    def possible(self) -> float:
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
        return told | {"said": self.said, "refused": self.refused, "tests": tests}

    def row(self, names: Sequence[str]) -> dict[str, Any]:
        """The cells of a table of submissions, by column."""
        lost = (
            f"{name} {result.mistake or result.state}: {result.text}"
            for name, result in self.results.items()
            if result.state != "ok"
        )
        cells = {"submission": self.name, "points": self.total, "possible": self.possible}
        points = {name: self.points(name) if name in self.results else "" for name in names}
        return cells | points | {"why": self.refused or "; ".join(lost)}


def choose(tests: Tests, wanted: Sequence[str]) -> tuple[str, ...]:
    """Test ids, or parts such as 1c; all of them when none is named."""
    chosen: list[str] = []
    for name in wanted:
        found = [test for test in tests if test == name or test.split("-")[0] == name]
        if not found:
            guess = nearest(name, tests)
            guess = guess if guess.startswith("did you mean") else ""
            raise UsageError(f"test '{name}': there is none; {guess}--list names them all")
        chosen += found
    return tuple(dict.fromkeys(chosen)) or tuple(tests)


def overview(tests: Tests, names: Sequence[str]) -> list[str]:
    """The tests and their points, without any grade."""
    width = max(map(len, names))
    return [f"{name:<{width}}  {tests[name].points:>3g}  {tests[name].what}" for name in names]


def table(grade: Grade) -> list[str]:
    """What is said of all; a line a test; why points are missing stands below it."""
    ids = max(map(len, grade.results))
    whats = max(len(grade.tests[name].what) for name in grade.results)
    lines = [printable(line) for line in grade.said]
    told: dict[tuple[str, str], str] = {}
    for name, result in grade.results.items():
        test = grade.tests[name]
        state = {"ok": "ok", "look": "no", "unknown": "not judged"}[result.state]
        got = f"{grade.points(name):>3g} of {test.points:>2g}"
        lines.append(f"{name:<{ids}}  {test.what:<{whats}}  {got}  {state}")
        if result.state != "ok" and result.text:
            title = f"{result.mistake}: " if result.mistake else ""
            indent = " " * (ids + 4)
            # A reason that several tests have is said once.
            said = told.setdefault((result.mistake, result.text), name)
            text = title + result.text if said == name else f"{title}the same as for {said}"
            lines += textwrap.wrap(
                printable(text),
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
            )
    lines.append(f"{'':<{ids}}  {'':<{whats}}  {grade.total:>3g} of {grade.possible:>2g}")
    return lines


def grade_each(
    folder: Path, grade: Callable[[Path], Grade], refuse: Callable[[str, str], Grade]
) -> Iterator[Grade]:
    """Every folder and zip archive in a folder, by name.

    One that cannot be graded, for whatever reason, has no points and that reason.
    """
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected a folder of submissions, found none")
    inside = sorted(p for p in folder.iterdir() if p.is_dir() or p.suffix == ".zip")
    inside = [path for path in inside if not path.name.startswith(".")]
    if not inside:
        raise MissingInput(f"{folder}: expected a folder for each submission, found no folders")
    for path in inside:
        yield grade_or_refuse(path, grade, refuse)


def grade_or_refuse(
    path: Path, grade: Callable[[Path], Grade], refuse: Callable[[str, str], Grade]
) -> Grade:
    """A submission's grade, or why there is none."""
    try:
        if path.is_symlink():
            raise BadData(f"{path}: expected a folder or an archive, found a link to one")
        return grade(path)
    except Exception as error:  # a mistake of ours in one must not cost the others their sheets
        told = str(error) if isinstance(error, WherefromError | OSError) else repr(error)
        return refuse(path.name, told)


def write_csv(
    grades: Iterable[Grade], names: Sequence[str], file: TextIO, change: Change = lambda row: row
) -> None:
    """A row a submission, written as soon as it is graded; `change` is done to each."""
    writer = csv.writer(file, lineterminator="\n")
    for number, grade in enumerate(grades):
        row = change(grade.row(names))
        if not number:
            writer.writerow(row)
        writer.writerow(map(spell_cell, row.values()))
        file.flush()


def add_options(parser: argparse.ArgumentParser, submission: Path, example: str) -> None:
    """The options of every grader; `submission` is what it grades by default."""
    part = example.partition("-")[0]
    add = parser.add_argument
    add("tests", nargs="*", metavar="ID", help=f"{example}, or {part} for all of it")
    add("--submission", type=Path, default=submission, metavar="FOLDER", help="or a zip")
    add("--batch", type=Path, metavar="FOLDER", help="a folder of submissions")
    add("--csv", type=Path, metavar="FILE", help="where --batch writes, with files beside it")
    add("--gradescope", type=Path, metavar="FOLDER", help="grade as Gradescope's autograder")
    trust = "run the code without isolation: it can do whatever you can"
    add("--trust", action="store_true", help=trust)
    add("--list", action="store_true", help="the tests and their points")
    add("--json", action="store_true", help="the grades as JSON")
    add("--seconds", type=float, default=60.0, help="for one test")
    add("--total-seconds", type=float, default=300.0, help="for one submission")
    add("--memory-mb", type=int, default=4096, help="for the submission's code")


def spell_cell(value: Any) -> Any:
    """Text that no spreadsheet takes for a formula: names and messages are other people's."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
