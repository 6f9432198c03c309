"""A submission, examined: its code is asked, its files are read, and what is claimed is judged.

The doctor adds hints to what is found, the course's grader points.
"""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import CheckResult, Examination, Result, attempt
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import Limits, choose, describe, new_place
from wherefrom.course.doctor.layouts import check_files, is_package, locate
from wherefrom.course.doctor.years import find_year

if TYPE_CHECKING:
    from wherefrom.course.doctor.checks import Kind
    from wherefrom.course.doctor.judging.claims import Claims, Files

_DATA = "birthplaces"  # the name under which the course's data are registered
_OTHERS = ("part g", "written")  # made of the others, or for a person


def look_at(
    kinds: Mapping[str, "Kind"],
    files: "Files",
    year: str,
    *,
    limits: Limits,
    isolation: str,
    draw: int | None = None,
) -> tuple[dict[str, Result], "Claims"]:
    """The results by the names of the kinds, and what was claimed; all is drawn by the `draw`."""
    from wherefrom.course.doctor import checks  # needs torch
    from wherefrom.course.doctor.child_requests import Asking, ask
    from wherefrom.course.doctor.judging import scores
    from wherefrom.course.doctor.judging.claims import Claims

    draw = secrets.randbelow(10**9) if draw is None else draw
    named, place = find_year(year), files.folder
    with new_place() as held:
        asking = Asking(place, held / "code", year, limits, isolation=isolation)
        wanted = checks.requests(kinds.values(), named, draw)
        imported = "import" in kinds  # which is asked before everything else
        told = ask(asking, wanted) if wanted or imported else {}
        claims = Claims(named, draw, is_package(place), told, files)
        quiet = replace(asking, keep=held / "files", code=False)
        read = [kind.reads for kind in kinds.values() if kind.reads]
        claims.add(ask(quiet, scores.parameter_requests(claims, read)))
        results = {name: attempt(kind.look, claims) for name, kind in kinds.items()}
    return results, claims


def examine_submission(
    folder: str | Path,
    *,
    data: str | Path | None = None,
    year: str | None = None,
    seconds: float = 60.0,
    memory_mb: int = 4096,
    threads: int = 1,
    trust: bool = False,
) -> Examination:
    """Check a solution of the course's assignment for the usual mistakes.

    `folder` holds the course's files and what they wrote. `data` is the folder of the course's
    data; without it, the registered data are taken, never a submission's own. `year` names the
    hand-out; without it, the year is guessed from the files. The submission's code runs isolated
    (see `isolation`), unless you `trust` it, `seconds` for each check, `memory_mb` in all, and
    `threads` CPU threads, and what it wrote is read in another process. A package that cannot even
    be imported is a finding; a folder that lacks a file, or has one that is not Python, is an
    error.
    """
    from wherefrom.course.doctor.checks import HINTS, KINDS  # needs torch
    from wherefrom.course.doctor.judging.claims import Files
    from wherefrom.course.doctor.judging.scores import is_written

    if data is not None and not Path(data).is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    from wherefrom.data.fetching import registry  # every command loads this file, few fetch

    known = Path(data) if data is not None else registry.find_unchanged(_DATA)
    kind, limits = choose(trust), Limits(seconds, memory_mb, threads=threads)
    with taken(Path(folder)) as copy:
        place = locate(copy.folder)
        guess = decide_year(year, place)
        check_files(place)
        files, rules = Files(place, known), find_year(guess.year)
        wanted = {name: each for name, each in KINDS.items() if name not in _OTHERS
                  and (each.reads is None or is_written(files, rules, *each.reads))}  # fmt: skip
        results, _ = look_at(wanted, files, guess.year, limits=limits, isolation=kind)
    rows = tuple(CheckResult(name, r.state, r.text, r.mistake, HINTS.get(r.mistake, ""))
                 for name, r in results.items())  # fmt: skip
    return Examination(str(copy.was(place)), rows, guess.year, str(guess), describe(kind))
