"""The assignment's autograder: `python grader.py` grades the package `submission` beside it.

    python grader.py                         everything
    python grader.py 1e-0-basic 1g           one test, or the tests of a part
    python grader.py --list                  what is tested, and what it is worth
    python grader.py --submission FOLDER     another submission
    python grader.py --year cs224n2024       by that hand-out
    python grader.py --batch FOLDER --csv grades.csv     every submission in a folder, one row each;
                                             and beside it grades.tests.csv, .pairs.csv and others

Each submission's code runs isolated by bubblewrap, with limits on time and memory; with --trust
nothing is isolated: for your own code. The sheet says which. A submission is a folder, or the zip
archive that hand_in.py makes.
"""

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import torch
from places import HERE, SUBMISSION, YEAR, data_to_grade_with, other_data

from wherefrom.core.errors import MissingInput
from wherefrom.course.classroom.batch import Grader, print_grades, remarks
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.doctor import isolation as apart
from wherefrom.course.doctor.checks import KINDS, look_at
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.judging import spans
from wherefrom.course.doctor.judging.claims import Claims, Files
from wherefrom.course.doctor.layouts import check_files, locate
from wherefrom.course.doctor.marks import Grade, Test, add_options, choose, overview
from wherefrom.course.doctor.recognition import is_solution, own_functions
from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import VARIABLE, YEARS, describe, year_name

_BLOCK = spans.BLOCKS[0]


def tests_of(year: str) -> dict[str, Test]:
    """The tests of a year by id: XCS224N's own from its public points.json.

    CS224N has no such file: its hand-outs give the points of the written parts, and 5, 10, 10 and
    10 for the parts d to g, divided as XCS224N divides its own. A student's file has the basic
    tests alone.
    """
    table = json.loads((HERE / "points.json").read_text("utf-8"))[year_name(year)]
    return {test: replace(KINDS[kind], points=points) for test, (points, kind) in table.items()}


def chosen(year: str, wanted: Sequence[str]) -> dict[str, Test]:
    """The tests of a year that were named, or their parts; by default all that need no person."""
    known, named = tests_of(year), set(wanted)
    return {name: test for name, test in known.items()
            if {name, name.split("-")[0]} & named or not (named or test.by_hand)}  # fmt: skip


def grade(
    folder: Path, wanted: Sequence[str] = (), data: Path | None = None,
    answers: Path | None = None, year: str = YEAR, draw: int | None = None,
    limits: Limits | None = None, isolation: str = "",
) -> Grade:  # fmt: skip
    """A submission's grade, by all tests that need no person, unless some are named.

    `answers` are those of the test questions. Without a draw, all that is drawn is drawn anew.
    """
    started, year = time.monotonic(), year_name(year)
    with taken(folder) as copy:
        place = locate(copy.folder)
        check_files(place)
        tests = chosen(year, wanted)
        if data is None and any(test.reads for test in tests.values()):
            raise MissingInput(
                "birth_dev.tsv: expected the course's data, found none; name their folder with "
                "--data or register it with 'wherefrom data add birthplaces FOLDER' (other parts "
                "need none)"
            )
        how = {"limits": limits or Limits(), "isolation": isolation, "draw": draw}
        results, claims = look_at(tests, Files(place, data, answers), year, **how)
        ours = own_functions(sorted(SUBMISSION.glob("*.py")), place)
        drawn = draws_as_ours(claims, year)
    said = [describe(year), *remarks(isolation, copy, ours)]
    said += [drawn] if drawn and not ours else []
    said += [other] if data and (other := other_data(data)) else []
    return Grade(
        folder.name or str(folder), tests, results, said=tuple(said), ours=bool(ours or drawn),
        year=year, seconds=time.monotonic() - started,
    )  # fmt: skip


def draws_as_ours(claims: Claims, year: str) -> str:
    """What the sheet says if a copy that hides its source draws what our own solution draws."""
    if claims[f"spans{_BLOCK}"].ended or not is_solution(SUBMISSION.glob("*.py")):
        return ""
    text = "\n".join(spans.documents(claims.draw))
    with redirect_stdout(io.StringIO()), patch.dict(os.environ, {VARIABLE: year}):
        data = Submission(SUBMISSION).CharCorruptionDataset(text, _BLOCK)
        same = spans.draws_as(claims, data, _BLOCK)
    return "from the same seed it hides the spans that the library's solution hides" if same else ""


def _run(given: argparse.Namespace) -> None:
    data = data_to_grade_with(given.data)
    for path in filter(None, (data, given.answers)):
        if not path.exists():
            raise MissingInput(f"{path}: expected the course's data, found nothing")
    known = tests_of(given.year)
    named = choose(known, given.tests)  # what the year lacks is refused
    if given.list:
        print("\n".join(overview(known, named)))
        return
    torch.set_num_threads(1)  # for models this small, more of them wait for each other
    limits = Limits(given.seconds, given.memory_mb, given.total_seconds)
    one = partial(
        grade, wanted=given.tests, year=given.year, data=data, answers=given.answers,
        draw=given.draw, limits=limits, isolation=apart.choose(given.trust),
    )  # fmt: skip
    tests, solved = chosen(given.year, given.tests), sorted(SUBMISSION.glob("*.py"))
    print_grades(given, Grader(one, tests, list(known), HERE, solved))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Grade solutions of the assignment.")
    add_options(parser, SUBMISSION, "1e-0-basic")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with birth_dev.tsv and others")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="of the test questions")
    years = f"the hand-out, {YEAR} by default: {', '.join(YEARS)}"
    parser.add_argument("--year", metavar="NAME", default=YEAR, help=years)
    draw = "all that is drawn: the number that an earlier grading printed"
    parser.add_argument("--draw", type=int, metavar="N", help=draw)
    given = parser.parse_args(arguments)
    return tell(lambda: _run(given))


if __name__ == "__main__":
    sys.exit(main())
