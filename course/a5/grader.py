"""The assignment's autograder: `python grader.py` grades the package `submission` beside it.

    python grader.py                         everything
    python grader.py 1e-0-basic 1g           one test, or the tests of a part
    python grader.py --list                  what is tested, and what it is worth
    python grader.py --submission FOLDER     another submission
    python grader.py --year cs224n2024       by that hand-out, which is guessed otherwise
    python grader.py --batch FOLDER --csv FILE     every folder in a folder, one row each

Each submission's code runs in a process of its own, with limits on time and memory: they keep
accidents from spoiling a whole class's grades, and are no protection against malice.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grading.again import QUESTIONS
from grading.grade import HOME, Order, choose, grade, grade_all
from grading.sheets import overview, table, write_csv
from places import tell

from wherefrom.core.errors import CannotWrite, MissingInput, UsageError
from wherefrom.course.doctor.sandbox import Limits
from wherefrom.course.doctor.years import YEARS, find_year


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    return tell(lambda: _run(given))


def _run(given: argparse.Namespace) -> None:
    for path in filter(None, (given.data, given.answers)):
        if not path.exists():
            raise MissingInput(f"{path}: expected the course's data, found nothing")
    if given.year is not None:
        find_year(given.year)
    if given.again < 1:
        raise UsageError(f"--again: expected 1 or more questions, found {given.again}")
    if given.list:
        print("\n".join(overview(choose(given.tests))))
        return
    limits = Limits(given.seconds, given.memory_mb, given.total_seconds)
    common = (given.data, given.answers, limits, given.year, given.again, given.draw)
    order = Order(choose(given.tests), *common)
    if given.batch:
        _batch(given, order)
        return
    graded = grade(given.submission, order)
    if given.json:
        print(json.dumps(graded.as_json(), indent=1))
    else:
        print("\n".join(table(graded)))


def _batch(given: argparse.Namespace, order: Order) -> None:
    grades = grade_all(given.batch, order)
    if given.json:
        print(json.dumps([graded.as_json() for graded in grades], indent=1))
    elif given.csv is None:
        write_csv(grades, order.tests, sys.stdout)
    else:
        try:
            with given.csv.open("w", encoding="utf-8", newline="") as file:
                count = write_csv(grades, order.tests, file)
        except OSError as error:
            raise CannotWrite(f"{given.csv}: cannot be written: {error.strerror}") from None
        print(f"{count} submissions: {given.csv}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Grade solutions of the assignment.")
    parser.add_argument("tests", nargs="*", metavar="ID", help="1e-0-basic, or 1e for all of it")
    parser.add_argument("--submission", type=Path, default=HOME / "submission", metavar="FOLDER")
    parser.add_argument("--batch", type=Path, metavar="FOLDER", help="a folder of submissions")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="where --batch writes its rows")
    parser.add_argument("--list", action="store_true", help="the tests and their points")
    parser.add_argument("--json", action="store_true", help="the grades as JSON")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with birth_dev.tsv and others")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="of the test questions")
    years = f"the hand-out, guessed from the files by default: {', '.join(YEARS)}"
    parser.add_argument("--year", metavar="NAME", help=years)
    again = "questions of each file of predictions to answer again"
    parser.add_argument("--again", type=int, default=QUESTIONS, metavar="N", help=again)
    draw = "which questions: the number that an earlier grading printed"
    parser.add_argument("--draw", type=int, metavar="N", help=draw)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one test")
    parser.add_argument("--total-seconds", type=float, default=300.0, help="for one submission")
    parser.add_argument("--memory-mb", type=int, default=4096, help="for the submission's code")
    return parser


if __name__ == "__main__":
    sys.exit(main())
