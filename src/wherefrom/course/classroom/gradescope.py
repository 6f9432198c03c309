"""A grade in the form of Gradescope's autograder specification.

https://gradescope-autograders.readthedocs.io/en/latest/specs/: the submission lies in
`submission`, and the result goes to `results/results.json`. Basic tests are shown at once, others
once grades are published.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wherefrom.core.errors import MissingInput
from wherefrom.core.files import write_json
from wherefrom.course.doctor.marks import Grade, table
from wherefrom.show.terminal.messages import printable

_RIGHT = re.compile(r"(\d+) of (\d+) right")  # how a file of predictions was scored


def answer_gradescope(place: Path, grade: Callable[[Path], Grade]) -> None:
    """Grade what lies in a place that Gradescope set up; `grade` refuses nothing by raising."""
    folder = place / "submission"
    if not folder.is_dir():
        raise MissingInput(f"{folder}: expected Gradescope's folder with a submission, found none")
    inside = [path for path in folder.iterdir() if not path.name.startswith(".")]
    if len(inside) == 1 and inside[0].suffix == ".zip":  # it was not unpacked
        folder = inside[0]
    found = results(grade(folder))
    write_json(place / "results" / "results.json", found)
    print(f"{found['score']:g} points: {place / 'results' / 'results.json'}")


def results(grade: Grade) -> dict[str, Any]:
    """What results.json has."""
    said = [grade.refused] if grade.refused else [*grade.said, "", *table(grade)[-1:]]
    # The share of dev and test questions that was right, where it is known and earned points.
    right = {name: _RIGHT.match(result.text) for name, result in grade.results.items()
             if result.state == "ok"}  # fmt: skip
    return {
        "score": grade.total,
        "output": "\n".join(printable(line).strip() for line in said),
        "stdout_visibility": "hidden",
        "tests": [_test(grade, name) for name in grade.results],
        "leaderboard": [{"name": f"{grade.tests[name].what}, %",
                         "value": round(100 * int(found[1]) / int(found[2]), 1)}
                        for name, found in right.items() if found],
    }  # fmt: skip


def _test(grade: Grade, name: str) -> dict[str, Any]:
    result, test = grade.results[name], grade.tests[name]
    why = {"unknown": "not judged: ", "look": f"{result.mistake}: " if result.mistake else ""}
    return {
        "score": grade.points(name),
        "max_score": test.points,
        "status": "passed" if result.state == "ok" else "failed",
        "name": test.what,
        "number": name,
        "output": printable(why.get(result.state, "") + result.text),
        "visibility": "visible" if name.endswith("-basic") else "after_published",
    }
