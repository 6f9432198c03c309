"""The assignment's autograder: `python grader.py` grades the package `submission` beside it.

    python grader.py                         everything
    python grader.py 1e-0-basic 1g           one test, or the tests of a part
    python grader.py --list                  what is tested, and what it is worth
    python grader.py --submission FOLDER     another submission
    python grader.py --year cs224n2024       by that hand-out, which is guessed otherwise
    python grader.py --batch FOLDER --csv grades.csv     every submission in a folder, one row each;
                                             and beside it grades.tests.csv, .pairs.csv and others

Each submission's code runs isolated, with limits on time and memory; the sheet says how. A
submission is a folder, or the zip archive that hand_in.py makes. With --trust nothing is isolated:
for your own code, where neither bubblewrap nor sandlock can be had.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grading.grade import Order, chosen, grader
from grading.points import tests_of
from places import SUBMISSION, data_to_grade_with

from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.course.classroom.batch import print_grades
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.doctor.guess import guess_year
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.isolation import choose as choose_isolation
from wherefrom.course.doctor.marks import add_options, overview
from wherefrom.course.doctor.years import YEARS, find_year


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    return tell(lambda: _run(given))


def _run(given: argparse.Namespace) -> None:
    data = data_to_grade_with(given.data)
    for path in filter(None, (data, given.answers)):
        if not path.exists():
            raise MissingInput(f"{path}: expected the course's data, found nothing")
    if given.year is not None:
        find_year(given.year)
    if given.again < 1:
        raise UsageError(f"--again: expected 1 or more questions, found {given.again}")
    if given.list:
        year = given.year or guess_year(given.submission).year
        tests = chosen(year, given.tests or list(tests_of(year)))
        print("\n".join(overview(tests, list(tests))))
        return
    limits = Limits(given.seconds, given.memory_mb, given.total_seconds)
    common = (limits, choose_isolation(given.trust), given.year, given.again, given.draw)
    order = Order(tuple(given.tests), data, given.answers, *common)
    print_grades(given, grader(order))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Grade solutions of the assignment.")
    add_options(parser, SUBMISSION, "1e-0-basic")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with birth_dev.tsv and others")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="of the test questions")
    years = f"the hand-out, guessed from the files by default: {', '.join(YEARS)}"
    parser.add_argument("--year", metavar="NAME", help=years)
    again = "questions of each file of predictions to answer again"
    parser.add_argument("--again", type=int, default=40, metavar="N", help=again)
    draw = "which questions: the number that an earlier grading printed"
    parser.add_argument("--draw", type=int, metavar="N", help=draw)
    return parser


if __name__ == "__main__":
    sys.exit(main())
