"""The homework's autograder: `python grader.py` grades the files beside it.

    python grader.py                          everything
    python grader.py 1c 4a-1-mean             a part, or one test
    python grader.py --list                   what is tested, and what it is worth
    python grader.py --submission FOLDER      another submission: modules, programs or notebooks
    python grader.py --data FOLDER            with the dev text: saved_params_40000.npy is scored
    python grader.py --batch FOLDER --csv FILE      every folder in a folder, one row each

Each submission's code runs in a process of its own, with limits on time and memory: they keep
accidents from spoiling a whole class's grades, and are no protection against malice.
"""

import argparse
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
RIGHT = HERE / "marking" / "right.py"
sys.path.insert(0, str(HERE))

from marking.language import judge_saved  # noqa: E402
from marking.points import ASKED, AVERAGED, MENDED, SAVED, TESTS  # noqa: E402
from probing.loading import gather, is_reference, locate, not_asked_for  # noqa: E402

from wherefrom.core.errors import MissingInput, WherefromError  # noqa: E402
from wherefrom.course.doctor.asking import Asking, ask  # noqa: E402
from wherefrom.course.doctor.findings import Result, attempt  # noqa: E402
from wherefrom.course.doctor.isolation import Limits  # noqa: E402
from wherefrom.course.doctor.judging.claims import Claims  # noqa: E402
from wherefrom.course.doctor.marks import (  # noqa: E402
    Grade,
    add_options,
    choose,
    grade_each,
    overview,
    print_grades,
    table,
)
from wherefrom.course.doctor.years import DEFAULT_YEAR, find_year  # noqa: E402


def grade(folder: Path, names: tuple[str, ...], data: Path | None, limits: Limits) -> Grade:
    """A submission's grade."""
    results: dict[str, Result] = {}
    with tempfile.TemporaryDirectory(prefix="hw2-", ignore_cleanup_errors=True) as held:
        copy = Path(held) / (folder.resolve().name or "submission")
        gather(folder, copy)
        closed = "" if is_reference(copy) else "hw2"
        asking = Asking(copy, Path(held) / "claims", limits=limits, probes="probing.calls",
                        paths=(HERE,), closed=closed)  # fmt: skip
        for part in ASKED:
            wanted = [name for name in names if name.startswith(part) and name != SAVED]
            if part == AVERAGED and (reason := not_asked_for(copy)):
                results |= dict.fromkeys(wanted, Result("unknown", reason))
            elif wanted:
                results |= look_at(replace(asking, keep=asking.keep / part), part, wanted)
    if SAVED in names:
        results[SAVED] = attempt(lambda place: judge_saved(place, data), locate(folder))
    return Grade(folder.name or str(folder), TESTS, {name: results[name] for name in names})


def look_at(asking: Asking, part: str, names: Sequence[str]) -> dict[str, Result]:
    """The tests of a part; what fails with the submission's own other files is asked again."""
    year, draw = find_year(DEFAULT_YEAR), secrets.randbelow(10**9)
    claims = Claims(year, draw, False, ask(asking, ASKED[part](draw)))
    results = {name: attempt(TESTS[name].look, claims) for name in names}
    again = [n for n in names if n in MENDED and results[n].state == "look"]
    if again:
        wanted = {MENDED[name] for name in again}
        requests = [r for r in ASKED[part](draw, mended=True) if r.name in wanted]
        place = replace(asking, keep=asking.keep.with_name(f"{part}-again"), files=(RIGHT,))
        mended = Claims(year, draw, False, ask(place, requests))
        for name in again:
            found = attempt(TESTS[name].look, mended)
            results[name] = found if found.state == "ok" else results[name]
    return results


def find_data(given: Path | None) -> Path | None:
    """The homework's data: the folder that was named, HW2_DATA, or data/ beside this file."""
    if given is not None and not given.is_dir():
        raise MissingInput(f"{given}: expected a folder with language/ and embeddings/, found none")
    named = os.environ.get("HW2_DATA")
    near = [given] if given else [*([Path(named)] if named else []), HERE / "data"]
    usual = ("language/ptb-dev.txt", "ptb-dev.txt")
    return next((p for p in near if any((p / name).is_file() for name in usual)), None)


def _run(given: argparse.Namespace) -> None:
    names = choose(TESTS, given.tests)
    if given.list:
        print("\n".join(overview(TESTS, names)))
        return
    data = find_data(given.data)
    limits = Limits(given.seconds, given.memory_mb, given.total_seconds)
    if not given.batch:
        found = grade(given.submission, names, data, limits)
        told = json.dumps(found.as_json(), indent=1) if given.json else "\n".join(table(found))
        print(told)
        return
    grades = grade_each(
        given.batch,
        lambda path: grade(path, names, data, limits),
        lambda name, why: Grade(
            name, TESTS, dict.fromkeys(names, Result("look", why, "refused")), why
        ),
    )
    print_grades(grades, names, given.json, given.csv)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Grade solutions of the homework.")
    add_options(parser, HERE, "1d-3-perplexity")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="with language/, embeddings/")
    try:
        _run(parser.parse_args(arguments))
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
