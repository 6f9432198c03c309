"""A whole examination of a submission: find its files and the data, run every check, add hints."""

from dataclasses import replace
from pathlib import Path

from wherefrom.core.arguments import checked
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import CheckResult, Examination
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.layouts import check_files, locate
from wherefrom.course.doctor.order import Limits, Order
from wherefrom.course.doctor.predictions import DEV
from wherefrom.course.doctor.sandbox import examine

_DATA = "birthplaces"  # the name under which the course's data are registered


@checked
def examine_submission(
    folder: str | Path,
    *,
    data: str | Path | None = None,
    year: str | None = None,
    seconds: float = 60.0,
    memory_mb: int = 4096,
    threads: int = 1,
) -> Examination:
    """Check a solution of the course's assignment for the usual mistakes.

    `folder` holds the course's files and what they wrote. `data` is the folder of the course's
    data; without it, the data are looked for beside the submission and in the user's list of data
    sets. `year` names the hand-out; without it, the year is guessed from the files. The
    submission's code runs in a process of its own, `seconds` for each check, `memory_mb` in all,
    and `threads` CPU threads, and what it wrote is read in another. A package that cannot even be
    imported is a finding; a folder that lacks a file, or has one that is not Python, is an error.
    """
    from wherefrom.course.doctor.checks import CHECKS, HINTS, OF_FILES  # needs torch

    if data is not None and not Path(data).is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    place = locate(Path(folder))
    guess = decide_year(year, place)
    check_files(place)
    limits = Limits(seconds, memory_mb, threads=threads)
    found = Path(data) if data is not None else find_data(place)
    checks = "wherefrom.course.doctor.checks:CHECKS"
    of_code = tuple(name for name in CHECKS if name not in OF_FILES)
    order = Order(checks, of_code, place, limits=limits, year=guess.year)
    results = examine(order)
    results |= examine(replace(order, names=OF_FILES, data=found, code=False))
    return Examination(
        str(place),
        tuple(
            CheckResult(name, r.state, r.text, r.mistake, HINTS.get(r.mistake, ""))
            for name, r in ((name, results[name]) for name in CHECKS if name in results)
        ),
        guess.year,
        str(guess),
    )


def find_data(folder: Path) -> Path | None:
    """The course's data: in the submission, beside it, or where they are registered."""
    beside = (
        folder / "data",
        folder.parent / "data",
        folder.parent if folder.name == "src" else None,
    )
    for path in beside:
        if path is not None and (path / DEV).is_file():
            return path
    from wherefrom.data.fetching import registry  # every command loads this file, few fetch

    registered = registry.find_unchanged(_DATA)
    return registered if registered and (registered / DEV).is_file() else None
