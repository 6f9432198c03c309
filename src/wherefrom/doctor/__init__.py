"""Examines solutions of the course's assignment: what is usual in them, and what is wrong.

A submission's code runs in a child process with limits. The same checks serve `wherefrom doctor`,
which gives hints, and the course's grader, which gives points.

    from wherefrom import doctor

    for check in doctor.examine_submission("my-solution").checks:
        print(check.state, check.check, check.found, check.hint)
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wherefrom.doctor.examination import examine_submission
    from wherefrom.doctor.findings import CheckResult, Examination

__all__ = ["CheckResult", "Examination", "examine_submission"]


def __getattr__(name: str) -> Any:
    """Loaded when first used: every command reads the years' table, which is in this package."""
    if name not in __all__:
        raise AttributeError(f"module 'wherefrom.doctor' has no attribute '{name}'")
    from wherefrom.doctor import examination

    return getattr(examination, name)
