"""The submissions of a class: a table of grades, and beside it what a teacher looks at next.

`grades.csv` is written anew by each run; beside it `grades.tests.csv` has statistics of the tests,
`grades.pairs.csv` submissions that are alike, and `grades.corrections.csv` what people gave
instead, which stays as it is.
"""

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData, MissingInput, WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.classroom import records, similarity
from wherefrom.course.classroom.gradescope import answer_gradescope
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.marks import Grade, Tests, table, write_csv
from wherefrom.course.doctor.starter import blank


@dataclass(frozen=True)
class Grader:
    """A course's own: how it grades one submission, and what else is known of it.

    `tests` are those of a submission that is refused, `columns` the ids in a class's table, `known`
    all ids there are. Our files are in `home`; `solved` are the solutions among them.
    """

    grade: Callable[[Path], Grade]
    tests: Tests
    columns: Sequence[str]
    known: Sequence[str]
    home: Path
    solved: Sequence[Path]

    def refuse(self, name: str, why: str) -> Grade:
        """No points, and the reason."""
        results = dict.fromkeys(self.tests, Result("look", why, "refused"))
        return Grade(name, self.tests, results, why)

    def answer(self, path: Path) -> Grade:
        """A submission's grade, or why there is none."""
        try:
            if path.is_symlink():
                raise BadData(f"{path}: expected a folder or an archive, found a link to one")
            return self.grade(path)
        except Exception as error:  # a mistake of ours in one must not cost the others their sheets
            told = str(error) if isinstance(error, WherefromError | OSError) else repr(error)
            return self.refuse(path.name, told)

    def answer_all(self, folder: Path) -> Iterator[Grade]:
        """Every folder and zip archive in a folder, by name."""
        if not folder.is_dir():
            raise MissingInput(f"{folder}: expected a folder of submissions, found none")
        inside = sorted(p for p in folder.iterdir() if p.is_dir() or p.suffix == ".zip")
        inside = [path for path in inside if not path.name.startswith(".")]
        if not inside:
            raise MissingInput(f"{folder}: expected a folder for each submission, found no folders")
        yield from map(self.answer, inside)


def print_grades(given: argparse.Namespace, grader: Grader) -> None:
    """What the options of every grader ask for: one sheet, Gradescope's, or a class's."""
    if given.gradescope:
        answer_gradescope(given.gradescope, grader.answer)
    elif given.batch:
        _print_class(given, grader)
    else:
        found = grader.grade(given.submission)
        print(json.dumps(found.as_json(), indent=1) if given.json else "\n".join(table(found)))


def _print_class(given: argparse.Namespace, grader: Grader) -> None:
    grades = grader.answer_all(given.batch)
    if given.json:
        print(json.dumps([grade.as_json() for grade in grades], indent=1))
    elif given.csv is None:
        write_csv((grade.row(grader.columns) for grade in grades), sys.stdout)
    else:
        _write_all(grades, given, grader)


def _write_all(grades: Iterable[Grade], given: argparse.Namespace, grader: Grader) -> None:
    beside = {kind: given.csv.with_suffix(f".{kind}.csv")
              for kind in ("tests", "pairs", "corrections")}  # fmt: skip
    corrections = records.read_corrections(beside["corrections"], grader.known)
    more = sorted(
        {c.test for c in corrections} - set(grader.columns)
    )  # written parts, marked by people
    seen: list[Grade] = []

    def rows() -> Iterator[dict[str, Any]]:
        for grade in grades:
            seen.append(grade)
            yield records.correct(grade.row([*grader.columns, *more]), corrections)

    records.write_table(given.csv, rows())
    records.write_table(beside["tests"], records.statistics(seen))
    pairs = compare(given.batch, [grade.name for grade in seen], grader)
    records.write_table(beside["pairs"], records.pairs_table(pairs))
    print(f"{len(seen)} submissions: {given.csv}")
    print(f"statistics of the tests: {beside['tests']}")
    print(f"{len(pairs)} pairs that are alike, to be read, not judged: {beside['pairs']}")
    print(f"{len(corrections)} corrections by people: {beside['corrections']}")
    records.check_names(corrections, [g.name for g in seen], beside["corrections"])


def compare(folder: Path, names: Sequence[str], grader: Grader) -> list[similarity.Pair]:
    """Which of the submissions are alike; one that cannot be read has its reason in the grades."""
    found: dict[str, set[int]] = {}
    for name in names:
        try:
            with taken(folder / name) as copy:
                found[name] = similarity.fingerprints_of(copy.folder)
        except (WherefromError, OSError):
            continue
    texts = [read_text(path) for path in grader.solved]
    tools = [read_text(path) for path in grader.home.rglob("*.py") if path not in grader.solved]
    given = [*map(blank, texts), *tools]
    usual = [similarity.fingerprints(ast.parse(text)) for text in given]
    ours = set[int]().union(*(similarity.fingerprints(ast.parse(text)) for text in texts))
    return similarity.alike(found, ours, usual)
