"""What the checks of a submission come to: all is well, something was found, or no telling.

Inside the child process a check raises `Finding` or `NoTelling`; outside there are only records.
"""

from dataclasses import dataclass

from wherefrom.core.config import check

STATES = ("ok", "look", "unknown")


class Finding(Exception):
    """Something differs from the assignment; `mistake` names it, the text says what was seen."""

    def __init__(self, mistake: str, text: str) -> None:
        super().__init__(text)
        self.mistake = mistake


class NoTelling(Exception):
    """A check lacks what it needs: a file, the data, a name."""


@dataclass(frozen=True)
class Result:
    """The end of one check.

    `state` is ok, look (something was found) or unknown. `text` is for people; `mistake` is the
    mistake's short name, for programs.
    """

    state: str
    text: str = ""
    mistake: str = ""

    def __post_init__(self) -> None:
        # Results come through a pipe that a submission's code could write to as well.
        check(self.state in STATES, "Result", "state", self.state, f"one of {', '.join(STATES)}")


@dataclass(frozen=True)
class CheckResult:
    """A result with the name of its check, and a hint that says where to look."""

    check: str
    state: str
    found: str
    mistake: str
    hint: str


@dataclass(frozen=True)
class Examination:
    """All checks of a submission, in their order; `folder` holds the course's files.

    `year` is the hand-out that they were made by, and `year_said` why it was taken for that one.
    `isolation` says how its code was kept apart.
    """

    folder: str
    checks: tuple[CheckResult, ...]
    year: str = ""
    year_said: str = ""
    isolation: str = ""
