"""The submissions of a class: a table of grades, and beside it what a teacher looks at next.

`grades.csv` is written anew by each run; beside it `grades.tests.csv` has statistics of the tests,
`grades.pairs.csv` submissions that are alike, and `grades.corrections.csv` what people gave
instead, which stays as it is.
"""

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData, MissingInput, WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.classroom import records, similarity
from wherefrom.course.classroom.gradescope import answer_gradescope
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.intake import Taken, taken
from wherefrom.course.doctor.isolation import describe
from wherefrom.course.doctor.marks import Grade, Tests, table, write_csv
from wherefrom.course.doctor.recognition import OURS
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

    def answer(self, path: Path) -> Grade:
        """A submission's grade; no points, and the reason, where there is none."""
        try:
            if path.is_symlink():
                raise BadData(f"{path}: expected a folder or an archive, found a link to one")
            return self.grade(path)
        except Exception as error:  # a mistake of ours in one must not cost the others their sheets
            why = str(error) if isinstance(error, WherefromError | OSError) else repr(error)
            results = dict.fromkeys(self.tests, Result("look", why, "refused"))
            return Grade(path.name, self.tests, results, why)

    def answer_all(self, folder: Path) -> Iterator[Grade]:
        """Every folder and zip archive in a folder, by name."""
        if not folder.is_dir():
            raise MissingInput(f"{folder}: expected a folder of submissions, found none")
        inside = sorted(p for p in folder.iterdir() if p.is_dir() or p.suffix == ".zip")
        inside = [path for path in inside if not path.name.startswith(".")]
        if not inside:
            raise MissingInput(f"{folder}: expected a folder for each submission, found no folders")
        yield from map(self.answer, inside)


def remarks(isolation: str, copy: Taken, ours: Sequence[str]) -> list[str]:
    """What a sheet says of all tests: how code was kept apart, what was left out, what is ours."""
    said = [describe(isolation)] if isolation else []
    said += [f"left out: {', '.join(copy.left)}"] if copy.left else []
    return said + ([f"{OURS}: {', '.join(ours)}"] if ours else [])


def print_grades(given: argparse.Namespace, grader: Grader) -> None:
    """What the options of every grader ask for: one sheet, Gradescope's, or a class's."""
    if given.gradescope:
        answer_gradescope(given.gradescope, grader.answer)
    elif not given.batch:
        found = grader.grade(given.submission)
        print(json.dumps(found.as_json(), indent=1) if given.json else "\n".join(table(found)))
    elif given.json:
        grades = grader.answer_all(given.batch)
        print(json.dumps([grade.as_json() for grade in grades], indent=1))
    elif given.csv is None:
        rows = (grade.row(grader.columns) for grade in grader.answer_all(given.batch))
        write_csv(rows, sys.stdout)
    else:
        write_class(given.batch, given.csv, grader)


def write_class(folder: Path, out: Path, grader: Grader) -> None:
    """The table of a class, and the three beside it."""
    tests, pairs, corrected = (out.with_suffix(f".{kind}.csv")
                               for kind in ("tests", "pairs", "corrections"))  # fmt: skip
    corrections = records.read_corrections(corrected, grader.known)
    # People mark the written parts, which have no column otherwise.
    columns = [*grader.columns, *sorted({c["test"] for c in corrections} - set(grader.columns))]
    seen: list[Grade] = []

    def rows() -> Iterator[dict[str, Any]]:
        for grade in grader.answer_all(folder):
            seen.append(grade)
            yield records.correct(grade.row(columns), corrections)

    records.write_table(out, rows())
    names = [grade.name for grade in seen]
    records.write_table(tests, records.statistics(seen))
    alike = compare(folder, names, grader)
    records.write_table(pairs, alike)
    print(f"{len(seen)} submissions: {out}")
    print(f"statistics of the tests: {tests}")
    print(f"{len(alike)} pairs that are alike, to be read, not judged: {pairs}")
    print(f"{len(corrections)} corrections by people: {corrected}")
    strange = [c["submission"] for c in corrections if c["submission"] not in names]
    if strange:
        raise MissingInput(
            f"{corrected}: expected names of submissions, found '{strange[0]}', which is not in "
            "the batch; all others were applied"
        )


def compare(folder: Path, names: Sequence[str], grader: Grader) -> list[dict[str, Any]]:
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
