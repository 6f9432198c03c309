"""What the child process is asked to do: `sandbox` pickles it, `child` reads it."""

from dataclasses import dataclass, field
from pathlib import Path

from wherefrom.course.doctor.years import DEFAULT_YEAR


@dataclass(frozen=True)
class Limits:
    """Seconds for a check and for all of them, megabytes on top of what torch takes, threads.

    `disk_mb` is for all that the submission's code writes in the folder it runs in.
    """

    seconds: float = 60.0
    memory_mb: int = 4096
    total: float = 600.0
    threads: int = 1
    disk_mb: int = 512


@dataclass(frozen=True)
class Order:
    """The checks to run, on what, and within which limits.

    `checks` is `module:NAME` of a dict of checks, `names` are those of them to run, and `paths`
    are the folders in which the module is found. They expect what the `year`'s hand-out says; an
    environment variable tells the submission's code which year that is. `note` is for the checks.

    With `code` false the checks read files only, and none of the submission's code is imported;
    only then may the `answers` be named. Code runs in a copy of the `folder`, of large files only
    those in `whole`, and finds the `given` files, if any, in its data folder.

    The sandbox fills in the rest: `broken` says why the submission cannot be imported, if an
    earlier child died of it. The results are written to the file descriptor `pipe`, each with the
    `token` in front, which the submission's code does not know.
    """

    checks: str
    names: tuple[str, ...]
    folder: Path
    data: Path | None = None
    limits: Limits = field(default_factory=Limits)
    paths: tuple[Path, ...] = ()
    answers: Path | None = None
    year: str = DEFAULT_YEAR
    code: bool = True
    note: str = ""
    whole: tuple[Path, ...] = ()
    given: tuple[Path, ...] = ()
    broken: str = ""
    pipe: int = -1
    token: str = ""
