"""What the child process is asked to do: `sandbox` writes it as JSON, `child` reads it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """The checks to run, on what, and within which limits.

    `checks` is `module:NAME` of a dict of checks, `names` are those of them to run, and `paths`
    are the folders in which the module is found. `broken` says why the submission cannot be
    imported, if an earlier child died of it. The results are written to the file descriptor
    `pipe`.
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
    pipe: int = -1
