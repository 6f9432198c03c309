"""The homework's autograder: `python grader.py` grades the files beside it.

    python grader.py                          everything
    python grader.py 1c 4a-1-mean             a part, or one test
    python grader.py --list                   what is tested, and what it is worth
    python grader.py --submission FOLDER      another submission: modules, programs or notebooks
    python grader.py --data FOLDER            with the dev text: saved_params_40000.npy is scored
    python grader.py --batch FOLDER --csv FILE      every folder in a folder, one row each

Each submission's code runs isolated, with limits on time and memory; the sheet says how. With
--trust nothing is isolated: for your own code.
"""

import argparse
import json
import os
import secrets
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from probing.loading import KINDS, gather, not_asked_for

from wherefrom.core.errors import MissingInput
from wherefrom.course.classroom.batch import Grader, print_grades, remarks
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.course.doctor.child_requests import Asking, ask
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import Result, attempt
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.isolation import choose as choose_isolation
from wherefrom.course.doctor.judging.claims import Claims, Files
from wherefrom.course.doctor.layouts import locate
from wherefrom.course.doctor.marks import Grade, Look, Test, add_options, choose, overview
from wherefrom.course.doctor.recognition import own_functions
from wherefrom.course.doctor.years import DEFAULT_YEAR, find_year

HERE = Path(__file__).resolve().parent
SOLVED = sorted({*HERE.glob("*.py")} - {HERE / "grader.py", HERE / "judging.py"})
SAVED = "1d-4-saved"
AVERAGED = "4"  # some hand-outs ask for no averaging network
# The right files that are lent to what builds on them: never those that are asked for.
FIRST = ("sigmoid.py", "softmax.py")
LENT = {"q1c_neural.": FIRST, "q1d_neural_lm.": (*FIRST, "gradcheck.py", "q1c_neural.py")}


def _comes(claim: str) -> tuple[tuple[str, ...], Look]:
    return (claim,), lambda claims: claims[claim].check() and None


# A basic test shows that the others can run, and is worth nothing; students have it alone.
LOOKS = {"1c-0-basic": _comes("files"), "1d-0-basic": _comes("lm"), "3b-0-basic": _comes("built")}
_TABLE = json.loads((HERE / "points.json").read_text("utf-8"))["hw2"]
if SAVED in _TABLE:
    from judging import LOOKS as HIDDEN

    LOOKS |= HIDDEN
TESTS = {
    test: Test(what, LOOKS[test][0], LOOKS[test][1:], points=points)
    for test, (points, what) in _TABLE.items()
}


def grade(
    folder: Path, names: tuple[str, ...], data: Path | None, limits: Limits, kind: str
) -> Grade:
    """A submission's grade."""
    with taken(folder) as copy:
        code = copy.folder.with_name("gathered") / copy.folder.name
        gather(copy.folder, code)
        ours = own_functions(SOLVED, code)
        asking = Asking(
            code, copy.folder.with_name("claims"), limits=limits, probes="probing.calls",
            isolation=kind, closed="hw2", files=(HERE / "probing",),
        )  # fmt: skip
        reason = not_asked_for(code)
        excused = frozenset(name for name in names if reason and name.startswith(AVERAGED))
        asked = [name for name in names if name not in excused]
        results = look_at(asking, Files(locate(copy.folder, KINDS), data), asked)
    said = tuple(remarks(kind, copy, ours))
    shown = {name: results.get(name, Result("unknown", reason)) for name in names}
    excused |= {name for name, result in results.items() if result.state == "unknown"}
    name = folder.name or str(folder)
    return Grade(name, TESTS, shown, said=said, excused=excused, ours=bool(ours))


def look_at(asking: Asking, files: Files, names: Sequence[str]) -> dict[str, Result]:
    """The tests; what fails with the submission's own other files is asked again with right ones.

    That is done in a process of its own, in whose copy they lie in the place of its own.
    """
    year, draw = find_year(DEFAULT_YEAR), secrets.randbelow(10**9)

    def judge(tests: Sequence[str], lent: Sequence[str] = ()) -> dict[str, Result]:
        place = asking.keep / f"{len(lent)}"
        code = Path(shutil.copytree(asking.folder, place / asking.folder.name))
        for name in lent:
            shutil.copyfile(HERE / name, code / name)
        claims = dict.fromkeys(name for test in tests for name in TESTS[test].asks)
        asked = [Request(name, name, {"draw": draw}) for name in claims]
        told = ask(replace(asking, folder=code, keep=place), asked) if asked else {}
        found = Claims(year, draw, False, told, files)
        return {test: attempt(TESTS[test].look, found) for test in tests}

    results = judge(names)
    for file, lent in LENT.items():
        again = [name for name in names if results[name].state == "look"
                 and any(claim.startswith(file) for claim in TESTS[name].asks)]  # fmt: skip
        found = judge(again, lent) if again else {}
        results |= {name: result for name, result in found.items() if result.state == "ok"}
    return results


def find_data(given: Path | None) -> Path | None:
    """The homework's data: the folder that was named, HW2_DATA, or data/ beside this file."""
    if given is not None and not given.is_dir():
        raise MissingInput(f"{given}: expected a folder with language/ and embeddings/, found none")
    folder = given or Path(os.environ.get("HW2_DATA", HERE / "data"))
    return folder if folder.is_dir() else None


def _run(given: argparse.Namespace) -> None:
    names = choose(TESTS, given.tests)
    if given.list:
        print("\n".join(overview(TESTS, names)))
        return
    data = find_data(given.data)
    limits = Limits(given.seconds, given.memory_mb, given.total_seconds)
    kind = choose_isolation(given.trust)

    def one(path: Path) -> Grade:
        return grade(path, names, data, limits, kind)

    tests = {name: TESTS[name] for name in names}
    print_grades(given, Grader(one, tests, names, list(TESTS), HERE, SOLVED))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Grade solutions of the homework.")
    add_options(parser, HERE, "1d-3-perplexity")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with language/, embeddings/")
    given = parser.parse_args(arguments)
    return tell(lambda: _run(given))


if __name__ == "__main__":
    sys.exit(main())
