"""The certificate of a risk bound: what was tested, what passed, and what it means in words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wherefrom.answering.policy import DECLINE_ALL, Threshold
from wherefrom.core.plurals import plural
from wherefrom.core.replies import SHOWN
from wherefrom.core.sample_size import least_answers

FITTING = 0.3  # the share of the calibration people who fit the curve; the others certify


def least_people(alpha: float, delta: float) -> int:
    """The fewest calibration people with whom anything can be certified."""
    return math.ceil(least_answers(alpha, delta) / (1 - FITTING))


def say_more(likely: int, fewest: int | None) -> str:
    """How many more calibration questions it takes: it depends on the errors to come."""
    several = fewest is not None and fewest < likely
    number = f"{fewest} to {likely}" if several else f"about {likely}"
    return f"{number} more calibration {plural('question', likely)} would probably suffice"


@dataclass(frozen=True)
class Trial:
    """One threshold that was tested on the certifying people."""

    threshold: float
    n_answered: int
    wrong: int
    p_value: float


@dataclass(frozen=True)
class Certificate:
    """The loosest threshold that passed, what it did to the `n` certifying people, and all tests.

    If nothing is `certified`, every answer is withheld, and `more_people` says how many more
    calibration people would probably be enough if answers are as often wrong as so far, and
    `fewest_more` how many if no further one is. They are None if more would not help, or if there
    are too few people to tell, which `enough_to_tell` says. `refused` says why nothing can be
    certified whatever the tests find. With several relations, each has a
    certificate in `by_relation`; the certificate of all relations has no threshold and no tests.
    """

    threshold: float | None
    alpha: float
    delta: float
    certified: bool
    n_answered: int
    wrong: int
    coverage: float
    n: int
    sequence: tuple[Trial, ...]
    more_people: int | None
    by_relation: Mapping[str, "Certificate"] = field(default_factory=dict[str, "Certificate"])
    enough_to_tell: bool = True
    fewest_more: int | None = None
    refused: str | None = None

    def refuse(self, why: str) -> "Certificate":
        """The same tests, with nothing certified."""
        parts = {name: part.refuse(why) for name, part in self.by_relation.items()}
        return replace(
            self,
            threshold=None if parts else DECLINE_ALL,
            certified=False,
            n_answered=0,
            wrong=0,
            coverage=0.0,
            by_relation=parts,
            more_people=None,
            fewest_more=None,
            refused=why,
        )

    def as_threshold(self) -> Threshold:
        """The same as a `Threshold`, with what it did to the certifying people."""
        value = DECLINE_ALL if self.threshold is None else self.threshold
        right = 1 - self.wrong / self.n_answered if self.n_answered else None
        why = None if self.certified else self.why_not
        return Threshold(value, 1 - self.alpha, self.coverage, right, self.n, why)

    def explain(self, evidence: str = SHOWN) -> str:
        """One line for a user.

        Where `evidence` is stated or required, answers are withheld by what the text says, after
        the threshold. The tests did not have that rule: with it, no more answers are wrong, but
        fewer are given.
        """
        asked = f"risk at most {self.alpha:g} with probability {1 - self.delta:g}"
        if self.refused:
            return self.why_not
        if self.by_relation:
            each = "; ".join(f"{name} {c._in_short()}" for name, c in self.by_relation.items())
            said = f"{asked}, in each of {len(self.by_relation)} relations and over all: {each}"
        elif self.certified:
            said = f"certified: {asked}, for people like the calibration people; it {self._done}"
        else:
            return self.why_not
        if evidence == SHOWN or not self.certified:
            return said
        return (
            f"{said}; the bound counts answers before --evidence {evidence} withholds some of "
            "them: what share of those left is wrong is not certified"
        )

    def _in_short(self) -> str:
        if self.certified:
            return f"is certified and {self._done}"
        return f"is not certified and not answered ({self._found}; {self.advice})"

    @property
    def why_not(self) -> str:
        """Why nothing is certified."""
        least = least_answers(self.alpha, self.delta)
        asked = f"risk at most {self.alpha:g} with probability {1 - self.delta:g}"
        if self.refused:
            return f"{asked}: nothing is certified, since {self.refused}"
        wanted = f"expected at least {least} answers without an error, or more with a few errors"
        return f"{asked}: {wanted}; {self._found}; {self.advice}"

    @property
    def _done(self) -> str:
        return (
            f"answers {100 * self.coverage:.0f} % of such people "
            f"({self.wrong} of {self.n_answered} answers were wrong)"
        )

    @property
    def _found(self) -> str:
        if self.n < least_answers(self.alpha, self.delta):
            return f"found only {self.n} people to test thresholds on"
        if not self.sequence:
            return f"found no answer about a known name among the {self.n} people"
        first = self.sequence[0]
        return (
            f"found {first.wrong} wrong among {first.n_answered} answers at the most promising "
            "threshold"
        )

    @property
    def advice(self) -> str:
        """What to do if nothing was certified."""
        least = least_people(self.alpha, self.delta)
        if self.more_people is not None:
            return (
                f"{say_more(self.more_people, self.fewest_more)}: the fewer, the fewer of the sure "
                f"answers are wrong (it takes at least {least} in all)"
            )
        if not self.enough_to_tell:
            return (
                f"there are too few calibration questions to tell: it takes at least {least}, "
                "whose sure answers are all right"
            )
        return (
            "more calibration questions would not help: "
            "the model is wrong too often at every threshold"
        )
