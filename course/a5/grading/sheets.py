"""Grades as people and programs read them: a table, JSON, CSV."""

import csv
import textwrap
from collections.abc import Iterable, Sequence
from typing import TextIO

from grading.grade import Grade
from grading.points import TESTS
from wherefrom.report.tables import printable

OURS = "this is the library's own solution, or a copy of it"
_WIDTH = 100
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table(grade: Grade) -> list[str]:
    """A line a test; why points are missing stands below, in the student's sight."""
    ids = max(map(len, grade.results))
    whats = max(len(TESTS[name].what) for name in grade.results)
    lines = [printable(grade.year_said)] if grade.year_said else []
    lines += [OURS] if grade.ours else []
    for name, result in grade.results.items():
        test = TESTS[name]
        state = {"ok": "ok", "look": "no", "unknown": "not judged"}[result.state]
        got = f"{grade.points(name):>3} of {test.points:>2}"
        lines.append(f"{name:<{ids}}  {test.what:<{whats}}  {got}  {state}")
        if result.state != "ok" and result.text:
            title = f"{result.mistake}: " if result.mistake else ""
            indent = " " * (ids + 4)
            lines += textwrap.wrap(
                printable(title + result.text),
                _WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
            )
    lines.append(f"{'':<{ids}}  {'':<{whats}}  {grade.total:>3} of {grade.possible:>2}")
    return lines


def overview(tests: Sequence[str]) -> list[str]:
    """The tests and their points, without any grade."""
    width = max(map(len, tests))
    return [f"{name:<{width}}  {TESTS[name].points:>2}  {TESTS[name].what}" for name in tests]


def write_csv(grades: Iterable[Grade], tests: Sequence[str], file: TextIO) -> int:
    """A row a submission, written as soon as it is graded; gives their number."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["submission", "year", "points", "possible", *tests, "seconds", "why"])
    count = 0
    for grade in grades:
        count += 1
        why = grade.refused or "; ".join(
            f"{name} {result.mistake or result.state}: {result.text}"
            for name, result in grade.results.items()
            if result.state != "ok"
        )
        why = "; ".join(filter(None, (OURS if grade.ours else "", why)))
        points = [grade.points(name) for name in tests]
        seconds = f"{grade.seconds:.1f}"
        writer.writerow(
            [
                _plain(grade.name),
                grade.year,
                grade.total,
                grade.possible,
                *points,
                seconds,
                _plain(why),
            ]
        )
        file.flush()
    return count


def _plain(text: str) -> str:
    """Text that no spreadsheet takes for a formula: names and messages are other people's."""
    text = printable(text)
    return f"'{text}" if text.startswith(_FORMULA) else text
