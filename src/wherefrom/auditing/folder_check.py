"""Checking run folders, and repairing them if that is asked for: what `wherefrom verify` calls."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from wherefrom.auditing.verification import Verification, find_runs, verify_run
from wherefrom.core.arguments import checked


@checked
def verify(
    runs: str | PathLike[str] | Iterable[str | PathLike[str]], *, repair: bool = False
) -> tuple[Verification, ...]:
    """Check run folders, or all runs in a folder; models that were retrained are checked too.

    With `repair`, what can be computed again is, and folders without a seal get one; the rest is
    still a fault. MissingInput if a folder has no run in it.
    """
    given = [runs] if isinstance(runs, str | PathLike) else list(runs)
    found = [path for each in given for path in find_runs(Path(each))]
    if not repair:
        return tuple(verify_run(path) for path in found)
    from wherefrom.auditing.repair import repair_run

    return tuple(repair_run(path) for path in found)
