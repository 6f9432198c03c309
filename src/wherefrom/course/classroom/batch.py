"""The submissions of a class: a table of grades, and beside it what a teacher looks at next.

`grades.csv` is written anew by each run; beside it `grades.tests.csv` has statistics of the tests,
`grades.pairs.csv` submissions that are alike, and `grades.corrections.csv` what people gave
instead, which stays as it is.
"""

import argparse
import ast
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wherefrom.core.errors import CannotWrite, WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.classroom import records, similarity
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.marks import Grade, write_csv
from wherefrom.course.doctor.starter import blank


@dataclass(frozen=True)
class Known:
    """What the grader knows: every test's id, and our files, the solved ones and the others."""

    tests: Sequence[str]
    solved: Sequence[Path]
    tools: Sequence[Path]


def print_batch(
    grades: Iterable[Grade], names: Sequence[str], given: argparse.Namespace, known: Known
) -> None:
    """The grades of a folder of submissions: as JSON, on standard output, or in files."""
    if given.json:
        print(json.dumps([grade.as_json() for grade in grades], indent=1))
    elif given.csv is None:
        write_csv(grades, names, sys.stdout)
    else:
        _write_all(grades, names, given, known)


def _write_all(
    grades: Iterable[Grade], names: Sequence[str], given: argparse.Namespace, known: Known
) -> None:
    beside = {kind: given.csv.with_suffix(f".{kind}.csv")
              for kind in ("tests", "pairs", "corrections")}  # fmt: skip
    corrections = records.read_corrections(beside["corrections"], known.tests)
    more = sorted({c.test for c in corrections} - set(names))  # written parts, marked by people
    seen: list[Grade] = []
    change = partial(records.correct, corrections=corrections)
    try:
        with given.csv.open("w", encoding="utf-8", newline="") as file:
            write_csv(_kept(grades, seen), [*names, *more], file, change)
    except OSError as error:
        raise CannotWrite(f"{given.csv}: cannot be written: {error.strerror}") from None
    records.write_table(beside["tests"], records.statistics(seen))
    pairs = compare(given.batch, [grade.name for grade in seen], known)
    records.write_table(beside["pairs"], records.pairs_table(pairs))
    print(f"{len(seen)} submissions: {given.csv}")
    print(f"statistics of the tests: {beside['tests']}")
    print(f"{len(pairs)} pairs that are alike, to be read, not judged: {beside['pairs']}")
    print(f"{len(corrections)} corrections by people: {beside['corrections']}")
    records.check_names(corrections, [g.name for g in seen], beside["corrections"])


def _kept(grades: Iterable[Grade], seen: list[Grade]) -> Iterator[Grade]:
    for grade in grades:
        seen.append(grade)
        yield grade


def compare(folder: Path, names: Sequence[str], known: Known) -> list[similarity.Pair]:
    """Which of the submissions are alike; one that cannot be read has its reason in the grades."""
    found: dict[str, set[int]] = {}
    for name in names:
        try:
            with taken(folder / name) as copy:
                found[name] = similarity.fingerprints_of(copy.folder)
        except (WherefromError, OSError):
            continue
    texts = [read_text(path) for path in known.solved]
    given = [*map(blank, texts), *map(read_text, known.tools)]
    usual = [similarity.fingerprints(ast.parse(text)) for text in given]
    ours = set[int]().union(*(similarity.fingerprints(ast.parse(text)) for text in texts))
    return similarity.alike(found, ours, usual)
