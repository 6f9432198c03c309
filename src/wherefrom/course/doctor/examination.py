"""A whole examination of a submission: find its files and the data, run every check, add hints."""

import secrets
import tempfile
from dataclasses import replace
from pathlib import Path

from wherefrom.core.arguments import checked
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import CheckResult, Examination, attempt
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.judging.predictions import DEV
from wherefrom.course.doctor.layouts import check_files, is_package, locate
from wherefrom.course.doctor.years import find_year

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
    from wherefrom.course.doctor import checks  # needs torch
    from wherefrom.course.doctor.asking import Asking, ask
    from wherefrom.course.doctor.judging.claims import Claims

    if data is not None and not Path(data).is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    place = locate(Path(folder))
    guess = decide_year(year, place)
    check_files(place)
    limits = Limits(seconds, memory_mb, threads=threads)
    found = Path(data) if data is not None else find_data(place)
    named, draw = find_year(guess.year), secrets.randbelow(1 << 30)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as held:
        asking = Asking(place, Path(held), guess.year, limits)
        told = ask(asking, checks.requests(named, draw))
        claims = Claims(named, draw, is_package(place), told)
        results = {name: attempt(check, claims) for name, check in checks.CHECKS.items()}
        reading = ask(replace(asking, code=False), checks.parameter_requests(place))
        files = checks.Files(place, found, Claims(named, draw, True, reading))
        results |= {name: attempt(check, files) for name, check in checks.OF_FILES.items()}
    return Examination(
        str(place),
        tuple(
            CheckResult(name, r.state, r.text, r.mistake, checks.HINTS.get(r.mistake, ""))
            for name, r in ((name, results[name]) for name in checks.ORDER)
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
