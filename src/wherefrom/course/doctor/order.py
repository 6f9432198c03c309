"""What the child process is asked to do: `sandbox` writes it as JSON, `child` reads it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """The checks to run, on what, and within which limits.

    `checks` is `module:NAME` of a dict of checks, `names` are those of them to run, and `paths`
    are the folders in which the module is found. `folder` is a copy of the submission's folder if
    its `code` may run, else the folder itself: then nothing of the submission is imported, and
    only then does the order name the `answers`. `broken` says why the submission cannot be
    imported, if an earlier child died of it. `note` is for the checks. The results are written to
    the file descriptor `pipe`, each with the `token` in front, which the submission's code does
    not know.
    """

    checks: str
    names: tuple[str, ...]
    folder: str
    data: str | None
    answers: str | None
    paths: tuple[str, ...]
    year: str
    seconds: float
    memory_mb: int
    threads: int = 1
    broken: str = ""
    code: bool = True
    note: str = ""
    pipe: int = -1
    token: str = ""
