"""Keeping to the minutes: while a stage trains, how many steps it shall have is decided anew.

A machine slows down when others use it, and a few steps that were timed before are no promise. So
the rest of the schedule is shortened, or lengthened where that is possible, and run.json has what
was decided at which step: whoever trains the stage again takes the same steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from wherefrom.core.recipe import Stage

_LOOKS = 20  # times that it is looked how long the steps take
_SAME = 0.05  # share of the steps that are left by which they must change to be worth a decision
_LEAST = 20  # steps that are left at least


@dataclass(frozen=True)
class Deadline:
    """When a run shall be finished, and what comes behind its training.

    `ends` is a time of `monotonic`. `later` are seconds for all that follows, on a machine where a
    step takes as long as `step`; None: that was a guess, and says nothing about what follows.
    `longer`: whether there may be more steps than planned.
    """

    ends: float
    step: float | None
    later: float
    longer: bool


class Pacing:
    """Decides for one stage; `decided` is told of the stage with its new steps."""

    def __init__(self, stage: Stage, deadline: Deadline, decided: Callable[[Stage], None]) -> None:
        self.stage, self.deadline, self.decided = stage, deadline, decided
        self.looked = max((step for step, _ in stage.revised), default=0)
        self.seen: tuple[int, float] | None = None  # the steps and the time of the last look

    def begin(self, step: int) -> None:
        """The first chunk counts, too: it is not slower than the others."""
        self.seen = step, monotonic()

    def revise(self, step: int) -> int:
        """The steps of the stage in all, at the end of a chunk of them."""
        steps, now = self.stage.steps, monotonic()
        if self.seen is None:  # the first chunk of a compiled stage is slower than the others
            self.seen = step, now
        due = step * _LOOKS // steps > self.looked * _LOOKS // steps
        if not due or step == self.seen[0] or now == self.seen[1]:
            return steps
        pace = (now - self.seen[1]) / (step - self.seen[0])
        self.looked, self.seen = step, (step, now)
        wanted = self._fit(step, pace, now)
        if abs(wanted - steps) > max(_SAME * (steps - step), 1):
            revised = (*self.stage.revised, (step, steps))
            self.stage = replace(self.stage, steps=wanted, revised=revised)
            self.decided(self.stage)
        return self.stage.steps

    def _fit(self, step: int, pace: float, now: float) -> int:
        """The steps that there is time for, at this pace of steps and all that follows."""
        limit = self.deadline
        slower = max(1.0, pace / limit.step) if limit.step else 1.0
        left = limit.ends - now - limit.later * slower
        fitting = step + max(_LEAST, int(left / pace))
        return fitting if limit.longer else min(fitting, self.stage.steps)
