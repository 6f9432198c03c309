"""Examines solutions of the course's assignment: what is usual in them, and what is wrong.

A submission's code runs in a child process with limits. The same checks serve `wherefrom doctor`,
which gives hints, and the course's grader, which gives points.

    from wherefrom import doctor

    for check in doctor.examine_submission("my-solution").checks:
        print(check.state, check.check, check.found, check.hint)
"""

from wherefrom.course.doctor.examination import examine_submission
from wherefrom.course.doctor.findings import CheckResult, Examination

__all__ = ["CheckResult", "Examination", "examine_submission"]
