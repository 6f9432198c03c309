"""A whole examination of a submission: find its files and the data, run every check, add hints."""

import secrets
from dataclasses import replace
from pathlib import Path

from wherefrom.core.arguments import checked
from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import CheckResult, Examination, attempt
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import Limits, choose, describe, new_place
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
    from wherefrom.course.doctor import checks  # needs torch
    from wherefrom.course.doctor.child_requests import Asking, ask
    from wherefrom.course.doctor.judging.claims import Claims

    if data is not None and not Path(data).is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    from wherefrom.data.fetching import registry  # every command loads this file, few fetch

    found = Path(data) if data is not None else registry.find_unchanged(_DATA)
    kind = choose(trust)
    with taken(Path(folder)) as copy:
        place = locate(copy.folder)
        guess = decide_year(year, place)
        check_files(place)
        named, draw = find_year(guess.year), secrets.randbelow(1 << 30)
        limits = Limits(seconds, memory_mb, threads=threads)
        with new_place() as held:
            asking = Asking(place, held / "code", guess.year, limits, isolation=kind)
            told = ask(asking, checks.requests(named, draw))
            claims = Claims(named, draw, is_package(place), told)
            results = {name: attempt(check, claims) for name, check in checks.CHECKS.items()}
            reading = replace(asking, keep=held / "files", code=False)
            claims.add(ask(reading, checks.parameter_requests(place)))
            files = checks.Files(place, found, claims)
            results |= {name: attempt(check, files) for name, check in checks.OF_FILES.items()}
    rows = ((name, results[name]) for name in checks.ORDER)
    return Examination(
        str(copy.was(place)),
        tuple(
            CheckResult(name, r.state, r.text, r.mistake, checks.HINTS.get(r.mistake, ""))
            for name, r in rows
        ),
        guess.year,
        str(guess),
        describe(kind),
    )
