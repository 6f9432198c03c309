"""What the child process is asked to do: `sandbox` pickles it, `child` reads it."""

from dataclasses import dataclass, field
from pathlib import Path

from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.years import DEFAULT_YEAR

ANSWERS = "answers"  # the file of the child's results


@dataclass(frozen=True)
class Order:
    """The checks to run, on what, and within which limits.

    `checks` is `module:NAME` of a dict of checks, `names` are those of them to run, and `paths`
    are the folders in which the module is found. They expect what the `year`'s hand-out says; an
    environment variable tells the submission's code which year that is. `note` is for the checks.

    With `code` false the checks read files only, and none of the submission's code is imported;
    only then may the `answers` be named. Code runs in a copy of the `folder`, of large files only
    those in `whole`, and finds the `given` files, if any, in its data folder.

    `isolation` is how code is kept apart, the best way by default, and `closed` the course whose
    solutions the library does not have for it; "" gives it the whole library.

    The sandbox fills in the rest: `broken` says why the submission cannot be imported, if an
    earlier child died of it. The results are written into the `place`, each with the `token` in
    front.
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
    isolation: str = ""
    closed: str = "a5"
    place: Path = Path()
    token: str = ""
