"""Points for the checks of a submission, and grades as people and programs read them.

The course's grader names its tests, what each is worth, and the check behind it; the rest is here,
up to the grader's options.
"""

import argparse
import csv
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.findings import NoTelling, Result
from wherefrom.course.doctor.recognition import OURS
from wherefrom.show.terminal.messages import printable

_WIDTH, _STATES = 100, {"ok": "ok", "look": "no", "unknown": "not judged"}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would compute what begins so


Look = Callable[[Any], str | None]  # of a submission's claims


@dataclass(frozen=True)
class Test:
    """What is looked at: the beginnings of what the code is asked, and judgements in their order.

    One that `reads` predictions names the start of the file's name and the split. One without
    judgements is for a person.
    """

    what: str
    asks: tuple[str, ...] = ()
    looks: tuple[Look, ...] = ()
    reads: tuple[str, str] | None = None
    points: float = 0.0

    __test__ = False  # for pytest, which would collect it

    @property
    def by_hand(self) -> bool:
        return not self.looks

    def look(self, claims: Any) -> str | None:
        """What each judgement has to say; the first mistake ends it."""
        if self.by_hand:
            raise NoTelling("written: a person marks it")
        return "; ".join(filter(None, [look(claims) for look in self.looks])) or None


Tests = Mapping[str, Test]


@dataclass(frozen=True)
class Grade:
    """The results of tests; `refused` says why none could be run, `said` is about all of them.

    `ours` says that it is the library's own solution, or a copy of it.
    """

    name: str
    tests: Tests
    results: dict[str, Result]
    refused: str = ""
    said: tuple[str, ...] = ()
    ours: bool = False
    year: str = ""
    seconds: float = 0.0

    def points(self, test: str) -> float:
        return self.tests[test].points if self.results[test].state == "ok" else 0

    @property
    def total(self) -> float:
        return sum(map(self.points, self.results))

    @property
    def possible(self) -> float:
        return sum(self.tests[test].points for test in self.results)

    def as_json(self) -> dict[str, Any]:
        tests = [
            {"id": name, "what": self.tests[name].what, "points": self.points(name),
             "possible": self.tests[name].points, "state": result.state,
             "mistake": result.mistake, "why": result.text}
            for name, result in self.results.items()
        ]  # fmt: skip
        told = {"submission": self.name, "points": self.total, "possible": self.possible}
        told |= {"said": self.said, "year": self.year}
        told |= {"library_solution": self.ours, "refused": self.refused}
        return told | {"seconds": round(self.seconds, 1), "tests": tests}

    def row(self, names: Iterable[str]) -> dict[str, Any]:
        """The cells of a table of submissions, by column."""
        lost = [f"{name} {result.mistake or result.state}: {result.text}"
                for name, result in self.results.items() if result.state != "ok"]  # fmt: skip
        why = "; ".join([*[OURS] * self.ours, *([self.refused] if self.refused else lost)])
        cells = {"submission": self.name, "year": self.year}
        cells |= {"points": self.total, "possible": self.possible}
        points = {name: self.points(name) if name in self.results else "" for name in names}
        return cells | points | {"seconds": f"{self.seconds:.1f}", "why": why}


def choose(tests: Tests, wanted: Sequence[str]) -> tuple[str, ...]:
    """Test ids, or parts such as 1c; all of them when none is named."""
    chosen: list[str] = []
    for name in wanted:
        found = [test for test in tests if test == name or test.split("-")[0] == name]
        if not found:
            raise UsageError(f"test '{name}': there is none; --list names them all")
        chosen += found
    return tuple(dict.fromkeys(chosen)) or tuple(tests)


def overview(tests: Tests, names: Sequence[str]) -> list[str]:
    """The tests and their points, without any grade."""
    width = max(map(len, names))
    return [f"{name:<{width}}  {tests[name].points:>3g}  {tests[name].what}" for name in names]


def table(grade: Grade) -> list[str]:
    """What is said of all, a line a test; why points are missing stands below it."""
    ids = max(map(len, grade.results))
    whats = max(len(grade.tests[name].what) for name in grade.results)
    lines = [printable(line) for line in grade.said]
    told: dict[tuple[str, str], str] = {}
    for name, result in grade.results.items():
        test, state = grade.tests[name], _STATES[result.state]
        got = f"{grade.points(name):>3g} of {test.points:>2g}"
        lines.append(f"{name:<{ids}}  {test.what:<{whats}}  {got}  {state}")
        if result.state != "ok" and result.text:
            title = f"{result.mistake}: " if result.mistake else ""
            indent = " " * (ids + 4)
            # A reason that several tests have is said once.
            said = told.setdefault((result.mistake, result.text), name)
            text = title + result.text if said == name else f"{title}the same as for {said}"
            wrapped = textwrap.wrap(printable(text), _WIDTH - len(indent))
            lines += [f"{indent}{line}" for line in wrapped]
    lines.append(f"{'':<{ids}}  {'':<{whats}}  {grade.total:>3g} of {grade.possible:>2g}")
    return lines


def write_csv(rows: Iterable[Mapping[str, Any]], file: TextIO) -> None:
    """A header of the first row's columns, and each row as soon as it is there.

    No spreadsheet takes a text for a formula: names and messages are other people's.
    """
    writer = csv.writer(file, lineterminator="\n")
    for number, row in enumerate(rows):
        if not number:
            writer.writerow(row)
        cells = (printable(c) if isinstance(c, str) else c for c in row.values())
        writer.writerow([f"'{c}" if isinstance(c, str) and c.startswith(_FORMULA) else c
                         for c in cells])  # fmt: skip
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
