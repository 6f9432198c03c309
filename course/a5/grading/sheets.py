"""Grades as people and programs read them: a table, JSON, CSV."""

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from grading.grade import Grade
from grading.points import TESTS
from wherefrom.course.doctor import marks
from wherefrom.show.terminal.tables import printable

OURS = "this is the library's own solution, or a copy of it"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table(grade: Grade) -> list[str]:
    """The year and whose solution it is, then a line a test and why points are missing."""
    said = [printable(grade.year_said)] if grade.year_said else []
    return [*said, *([OURS] if grade.ours else []), *marks.table(grade)]


def overview(tests: Sequence[str]) -> list[str]:
    """The tests and their points, without any grade."""
    return marks.overview(TESTS, tests)


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
