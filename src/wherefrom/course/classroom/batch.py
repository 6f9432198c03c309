"""The submissions of a class: a table of grades, and beside it what a teacher looks at next.

`grades.csv` is written anew by each run; beside it `grades.tests.csv` has statistics of the tests,
and `grades.pairs.csv` submissions that are alike. `grades.corrections.csv` is only read: there,
people override a test's points or record what a regrade gave. The last row for a submission and
test counts.
"""

import argparse
import ast
import csv
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData, MissingInput, WherefromError
from wherefrom.core.files import cannot_write, read_text, write_text
from wherefrom.course.classroom.gradescope import answer_gradescope
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.intake import Taken, taken
from wherefrom.course.doctor.isolation import SAID
from wherefrom.course.doctor.marks import Grade, Tests, table, write_csv
from wherefrom.course.doctor.recognition import OURS, alike, fingerprints, own_fingerprints
from wherefrom.course.doctor.starter import blank

COLUMNS = ("submission", "test", "points", "kind", "reason")  # of a correction
KINDS = ("override", "regrade")
NAMED = 10  # of the files that were left out


@dataclass(frozen=True)
class Grader:
    """The course's own: how it grades one submission, and what else is known of it.

    `tests` are those that are graded, `known` all ids there are. Our files are in `home`; `solved`
    are the solutions among them.
    """

    grade: Callable[[Path], Grade]
    tests: Tests
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
    said = [SAID[isolation]] if isolation else []
    if copy.left:
        more = [f"and {len(copy.left) - NAMED} more"] if len(copy.left) > NAMED else []
        said.append(f"left out: {', '.join([*copy.left[:NAMED], *more])}")
    return said + ([f"{OURS}: {', '.join(ours)}"] if ours else [])


def print_grades(given: argparse.Namespace, grader: Grader) -> None:
    """What the options of every grader ask for: one sheet, Gradescope's, or a class's."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # folders are removed
    if given.gradescope:
        answer_gradescope(given.gradescope, grader.answer)
    elif not given.batch:
        found = grader.grade(given.submission)
        print(json.dumps(found.as_json(), indent=1) if given.json else "\n".join(table(found)))
    elif given.json:
        grades = grader.answer_all(given.batch)
        print(json.dumps([grade.as_json() for grade in grades], indent=1))
    elif given.csv is None:
        rows = (grade.row([*grader.tests]) for grade in grader.answer_all(given.batch))
        write_csv(rows, sys.stdout)
    else:
        write_class(given.batch, given.csv, grader)


def write_class(folder: Path, out: Path, grader: Grader) -> None:
    """The table of a class, and the three beside it."""
    tests, pairs, corrected = (out.with_suffix(f".{kind}.csv")
                               for kind in ("tests", "pairs", "corrections"))  # fmt: skip
    corrections = read_corrections(corrected, grader.known)
    # People mark the written parts, which have no column otherwise.
    columns = [*grader.tests, *sorted({c["test"] for c in corrections} - set(grader.tests))]
    seen: list[Grade] = []

    def rows() -> Iterator[dict[str, Any]]:
        for grade in grader.answer_all(folder):
            seen.append(grade)
            yield correct(grade.row(columns), corrections)

    write_table(out, rows())
    names = [grade.name for grade in seen]
    write_table(tests, statistics(seen))
    similar = compare(folder, names, grader)
    write_table(pairs, similar)
    print(f"{len(seen)} submissions: {out}")
    print(f"statistics of the tests: {tests}")
    print(f"{len(similar)} pairs that are alike, to be read, not judged: {pairs}")
    print(f"{len(corrections)} corrections by people: {corrected}")
    strange = [c["submission"] for c in corrections if c["submission"] not in names]
    if strange:
        raise MissingInput(
            f"{corrected}: expected names of submissions, found '{strange[0]}', which is not in "
            "the batch; all others were applied"
        )


def write_table(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with cannot_write(path), path.open("w", encoding="utf-8", newline="") as file:
        write_csv(rows, file)


def compare(folder: Path, names: Sequence[str], grader: Grader) -> list[dict[str, Any]]:
    """Which of the submissions are alike; one that cannot be read has its reason in the grades."""
    found: dict[str, set[int]] = {}
    for name in names:
        # As in `answer`, whatever is wrong with one must not cost the others theirs.
        with suppress(Exception), taken(folder / name) as copy:
            found[name] = own_fingerprints(copy.folder)
    texts = [read_text(path) for path in grader.solved]
    tools = [read_text(path) for path in grader.home.rglob("*.py") if path not in grader.solved]
    usual = [fingerprints(ast.parse(text)) for text in (*map(blank, texts), *tools)]
    ours = set[int]().union(*(fingerprints(ast.parse(text)) for text in texts))
    return alike(found, ours, usual)


def read_corrections(path: Path, tests: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of the file; one with the header alone is made where there is none."""
    if not path.exists():
        write_text(path, ",".join(COLUMNS) + "\n")
    rows = csv.DictReader(read_text(path).splitlines(), restval="")
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise BadData(f"{path}:1: expected the columns {','.join(COLUMNS)}")
    known, found = set(tests), list[dict[str, Any]]()
    for row in rows:
        number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", row["points"])
        for column, holds, wanted in (
            ("kind", row["kind"] in KINDS, "override or regrade"),
            ("test", row["test"] in known, "one that --list names"),
            ("points", number, "a number"),
        ):
            if not holds:
                where = f"{path}:{rows.line_num}: {column}"
                raise BadData(f"{where}: expected {wanted}, found '{row[column]}'")
        found.append(row | {"points": float(row["points"])})
    return found


def correct(row: dict[str, Any], corrections: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A submission's row with what people gave instead; the reasons come first."""
    own = {c["test"]: c for c in corrections if c["submission"] == row["submission"]}
    new = dict(row)
    for test, given in own.items():
        new["points"] += given["points"] - (new.get(test) or 0)
        new[test] = given["points"]
    said = [f"{test} {c['points']:g} by {c['kind']}: {c['reason']}" for test, c in own.items()]
    return new | {"why": "; ".join(filter(None, [*said, row["why"]]))}


def statistics(grades: Sequence[Grade]) -> list[dict[str, Any]]:
    """A row for each test: who passed it, what it gave on average, and the usual mistakes."""
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(name for grade in grades for name in grade.results):
        having = [grade for grade in grades if name in grade.results]
        results, test = [grade.results[name] for grade in having], having[0].tests[name]
        mistakes = Counter(r.mistake for r in results if r.state != "ok" and r.mistake)
        row: dict[str, Any] = {"test": name, "what": test.what, "points": test.points}
        row |= {"submissions": len(having), "passed": sum(r.state == "ok" for r in results)}
        row |= {"not judged": sum(r.state == "unknown" for r in results)}
        row |= {"mean points": round(sum(g.points(name) for g in having) / len(having), 2)}
        usual = ", ".join(f"{mistake} ({n})" for mistake, n in mistakes.most_common(3))
        rows.append(row | {"mistakes": usual})
    return rows
