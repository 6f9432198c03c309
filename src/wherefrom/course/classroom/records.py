"""A class's table of grades: people's corrections to it, and statistics of tests.

Corrections stand in one file, which the grader reads and never writes over: override a test's
points, or record what a regrade gave. The last row for a submission and test counts.
"""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.files import cannot_write, read_text, write_text
from wherefrom.course.doctor.marks import Grade, write_csv

COLUMNS = ("submission", "test", "points", "kind", "reason")
KINDS = ("override", "regrade")


def read_corrections(path: Path, tests: Iterable[str]) -> list[dict[str, Any]]:
    """The rows of the file; one with the header alone is made where there is none."""
    if not path.exists():
        write_text(path, ",".join(COLUMNS) + "\n")
        return []
    rows = csv.DictReader(read_text(path).splitlines(), restval="")
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise BadData(f"{path}:1: expected the columns {','.join(COLUMNS)}")
    known = set(tests)
    return [_check(row, known, f"{path}:{rows.line_num}") for row in rows]


def _check(row: dict[str, Any], known: set[str], where: str) -> dict[str, Any]:
    """A row whose points are a number."""
    if row["kind"] not in KINDS:
        raise BadData(f"{where}: kind: expected override or regrade, found '{row['kind']}'")
    if row["test"] not in known:
        raise BadData(f"{where}: test: expected one that --list names, found '{row['test']}'")
    try:
        points = float(row["points"])
    except ValueError:
        points = math.nan
    if not math.isfinite(points):
        raise BadData(f"{where}: points: expected a number, found '{row['points']}'")
    return row | {"points": points}


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
    tests = dict.fromkeys(name for grade in grades for name in grade.results)
    rows: list[dict[str, Any]] = []
    for test in tests:
        having = [grade for grade in grades if test in grade.results]
        results = [grade.results[test] for grade in having]
        mistakes = Counter(r.mistake for r in results if r.state != "ok" and r.mistake)
        rows.append(
            {
                "test": test,
                "what": having[0].tests[test].what,
                "points": having[0].tests[test].points,
                "submissions": len(having),
                "passed": sum(r.state == "ok" for r in results),
                "not judged": sum(r.state == "unknown" for r in results),
                "mean points": round(sum(g.points(test) for g in having) / len(having), 2),
                "mistakes": ", ".join(f"{name} ({n})" for name, n in mistakes.most_common(3)),
            }
        )
    return rows


def write_table(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with cannot_write(path), path.open("w", encoding="utf-8", newline="") as file:
        write_csv(rows, file)
