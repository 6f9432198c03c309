"""A submission, examined for the usual mistakes: what `checks` find, with hints.

The course's grader adds points to the same findings.
"""

from pathlib import Path

from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor import isolation
from wherefrom.course.doctor.findings import CheckResult, Examination
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import SAID, Limits
from wherefrom.course.doctor.layouts import check_files, locate
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, year_name

_DATA = "birthplaces"  # the name under which the course's data are registered
_OTHERS = ("part g", "written")  # made of the others, or for a person


def examine_submission(
    folder: str | Path,
    *,
    data: str | Path | None = None,
    year: str = DEFAULT_YEAR,
    seconds: float = 60.0,
    memory_mb: int = 4096,
    threads: int = 1,
    trust: bool = False,
) -> Examination:
    """Check a solution of the course's assignment for the usual mistakes.

    `folder` holds the course's files and what they wrote. `data` is the folder of the course's
    data; without it, the registered data are taken, never a submission's own. `year` names the
    hand-out. The submission's code runs isolated (see `isolation`), unless you `trust` it,
    `seconds` for each check, `memory_mb` in all, and `threads` CPU threads, and what it wrote is
    read in another process. A package that cannot even be imported is a finding; a folder that
    lacks a file, or has one that is not Python, is an error.
    """
    # Every command loads this file, and few need torch.
    from wherefrom.course.doctor import checks
    from wherefrom.course.doctor.judging.claims import Files
    from wherefrom.course.doctor.judging.predictions import is_written
    from wherefrom.data.fetching import registry

    if data is not None and not Path(data).is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    known = Path(data) if data is not None else registry.find_unchanged(_DATA)
    year, kind = year_name(year), isolation.choose(trust)
    limits = Limits(seconds, memory_mb, threads=threads)
    with taken(Path(folder)) as copy:
        place = locate(copy.folder)
        check_files(place)
        files, rules = Files(place, known), YEARS[year]
        wanted = {name: each for name, each in checks.KINDS.items() if name not in _OTHERS
                  and (each.reads is None or is_written(files, rules, *each.reads))}  # fmt: skip
        results, _ = checks.look_at(wanted, files, year, limits=limits, isolation=kind)
    rows = tuple(CheckResult(name, r.state, r.text, r.mistake, checks.HINTS.get(r.mistake, ""))
                 for name, r in results.items())  # fmt: skip
    origin = Path(folder, place.relative_to(copy.folder))
    return Examination(str(origin), rows, year, SAID[kind])
