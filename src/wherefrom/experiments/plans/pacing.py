"""Keeping to the minutes: while a stage trains, how many steps it shall have is decided anew.

A machine slows down when others use it, and a few steps that were timed before are no promise. So
the rest of the schedule is shortened, or lengthened where that is possible, and run.json has what
was decided at which step: whoever trains the stage again takes the same steps.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic

from msgspec import structs

from wherefrom.core.contracts import NOT_TRAINED_ON, Dataset
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.experiments.plans.timing import Pace
from wherefrom.experiments.recipes.facts_recipe import QUESTIONS_ONLY, WITHOUT_NOTES

SPARE = 0.04  # share of the time that is kept back
_LOOKS = 20  # times that it is looked how long the steps take
_TIMED = 4  # parts of the steps: at the end of each but the last, answers are timed
_SAME = 0.05  # share of the steps that are left by which they must change to be worth a decision
_LEAST = 20  # steps that are left at least, if there are as many
_FIXED = 5.0  # seconds of the evaluation and the report that do not depend on the text
_REPORT = 2.0  # seconds of the report for each second of reading what the text states


@dataclass(frozen=True)
class Following:
    """What follows the training: so many answers, and `seconds` for all the rest."""

    answers: float = 0.0
    seconds: float = 0.0

    @classmethod
    def of(cls, recipe: Recipe, dataset: Dataset, pace: Pace) -> "Following":
        """Each model is asked every question; the report looks up what the text states."""
        asked = sum(question.split in NOT_TRAINED_ON for question in dataset.questions)
        return cls(len(recipe.models) * asked, _FIXED + _REPORT * pace.reading)

    def time(self, answer: float) -> float:
        """Seconds of all of it, if an answer takes so many."""
        return self.answers * answer + self.seconds


@dataclass(frozen=True)
class Deadline:
    """When a run shall be finished, and what comes behind its training.

    `ends` is a time of `monotonic`. What follows is known for a machine where a step takes as long
    as `step`, and an answer as long as `answer`; without a step, that was a guess, and says nothing
    about what follows. `longer`: whether there may be more steps than planned. `beside` are the
    seconds of the models that are trained before the primary one, by their stages.
    """

    ends: float
    step: float | None
    answer: float
    later: Following
    longer: bool
    beside: Mapping[str, float] = field(default_factory=dict[str, float])

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        lasting: tuple[float, float],
        later: Following,
        pace: Pace,
        device: str,
        longer: bool,
    ) -> "Deadline":
        """What training keeps to; `lasting` is when the run began, and its seconds.

        Steps that are captured for a GPU cannot become more, and what they take once they are
        compiled is a guess, the shortest: they become fewer. Only the primary model is paced there.
        """
        began, seconds = lasting
        ends = began + (1 - SPARE) * seconds
        if device == "cuda":
            return cls(ends, None, pace.answer, later, False)
        alone = pace.step if pace.alone is None else pace.alone
        beside = {s.name: s.steps * alone for s in recipe.stages if s.name == WITHOUT_NOTES}
        beside[QUESTIONS_ONLY] = pace.control
        return cls(ends, pace.step, pace.answer, later, longer and device == "cpu", beside)

    def for_stage(self, stage: Stage, primary: Stage) -> "Deadline | None":
        """The deadline of a stage that begins now; None if it takes the steps that it has.

        The primary model comes last and has what is left of the time.
        """
        if stage == primary:
            return self
        if stage.name not in self.beside:
            return None
        return Deadline(monotonic() + self.beside[stage.name], None, 0.0, Following(), False)


class Pacing:
    """Decides for one stage; `decided` is told of the stage with its new steps.

    `time_answer` gives the seconds of an answer by the model as it is. Before it has learnt
    anything it answers at greater length, so that is looked at again.
    """

    def __init__(self, stage: Stage, deadline: Deadline, decided: Callable[[Stage], None]) -> None:
        self.stage, self.deadline, self.decided = stage, deadline, decided
        self.looked = max((step for step, _ in stage.revised), default=0)
        self.seen: tuple[int, float] | None = None  # the steps and the time of the last look
        self.time_answer: Callable[[], float] | None = None

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
        answers = self.time_answer if self.deadline.later.answers else None
        if answers and step * _TIMED // steps > self.looked * _TIMED // steps:
            answer = answers() / self._slower(pace)
            self.deadline = replace(self.deadline, answer=answer)
        self.looked, self.seen = step, (step, now := monotonic())
        wanted = self._fit(step, pace, now)
        if abs(wanted - steps) > max(_SAME * (steps - step), 1):
            revised = (*self.stage.revised, (step, steps))
            self.stage = structs.replace(self.stage, steps=wanted, revised=revised)
            self.decided(self.stage)
        return self.stage.steps

    def _fit(self, step: int, pace: float, now: float) -> int:
        """The steps that there is time for, at this pace of steps and all that follows."""
        limit = self.deadline
        left = limit.ends - now - limit.later.time(limit.answer) * self._slower(pace)
        fitting = max(step + int(left / pace), min(step + _LEAST, self.stage.steps))
        return fitting if limit.longer else min(fitting, self.stage.steps)

    def _slower(self, pace: float) -> float:
        """How many times as long as planned everything takes now."""
        return max(1.0, pace / self.deadline.step) if self.deadline.step else 1.0
