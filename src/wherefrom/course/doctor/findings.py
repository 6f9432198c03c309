"""What the checks of a submission come to: all is well, something was found, or no telling.

A judgement raises `Finding` or `NoTelling`; outside there are only records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# What judging a claim may come to, since anything can be claimed.
UNJUDGED = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError,
            ValueError)  # fmt: skip


class Finding(Exception):
    """Something differs from the assignment; `mistake` names it, the text says what was seen."""

    def __init__(self, mistake: str, text: str) -> None:
        super().__init__(text)
        self.mistake = mistake


def expect(holds: Any, mistake: str, text: str) -> None:
    """State what must hold; what differs is a Finding of that name."""
    if not holds:
        raise Finding(mistake, text)


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


def attempt(check: Callable[[Any], str | None], claims: Any) -> Result:
    """The result of a judgement, whatever it is that was claimed."""
    try:
        return Result("ok", check(claims) or "")
    except Finding as finding:
        return Result("look", str(finding), finding.mistake)
    except NoTelling as reason:
        return Result("unknown", str(reason))
    except UNJUDGED as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return Result("look", f"what came back cannot be judged: {said}", "form")


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

    `year` is the hand-out that they are held against. `isolation` says how its code was kept apart.
    """

    folder: str
    checks: tuple[CheckResult, ...]
    year: str = ""
    isolation: str = ""
