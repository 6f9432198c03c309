"""A judgement of the homework's grader, with what it asks of the code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wherefrom.course.doctor.checks import Look
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.judging.claims import Claims


@dataclass(frozen=True)
class Asked:
    """The claim's name, how it is judged, the probe that makes it, and what that is given.

    `mended` are functions of other files that are put right for a second call.
    """

    claim: str
    judge: Look
    probe: str = ""  # called as the claim is, if nothing else is said
    given: Mapping[str, Any] = field(default_factory=dict)
    mended: tuple[str, ...] = ()

    def __call__(self, claims: Claims) -> str | None:
        return self.judge(claims)

    def request(self, draw: int, mended: bool) -> Request:
        lent = list(self.mended) if mended else []
        given = {"draw": draw, "mended": lent, **self.given}
        return Request(self.claim, self.probe or self.claim, given)
