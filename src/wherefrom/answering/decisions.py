"""What a policy decides about answers: whether each is given and, if not, why not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wherefrom.answering.abstention import REFUSE_ALL, Threshold
from wherefrom.answering.answer_table import FeatureTable
from wherefrom.answering.policy import AnswerPolicy
from wherefrom.core.replies import LOW_CONFIDENCE, OTHER_SPELLING, UNKNOWN_NAME


@dataclass(frozen=True)
class Decision:
    """What the policy decides about one answer; an unknown name has no confidence.

    `threshold` is that of the relation which the question asks for. `meant` are names of the text
    that are spelt almost like the one in the question, which the text does not have. `unverified`:
    no threshold was shown to keep the risk, so that there is no confidence but the model's own
    probability (docs/TRUST.md).
    """

    given: bool
    confidence: float | None
    name_known: bool | None
    threshold: Threshold | None = None
    meant: tuple[str, ...] = ()
    unverified: bool = False

    def unless_meant(self, names: tuple[str, ...]) -> "Decision":
        """The same decision, withheld if somebody else was probably meant.

        The confidence holds for names of the text, and this is none: the model may have taken it
        for the other name. Whether the model knows the name is still its own affair.
        """
        if not names or not self.given:
            return self
        return replace(self, given=False, confidence=None, meant=names, unverified=False)

    @property
    def reason(self) -> str | None:
        if self.given:
            return None
        if self.meant:
            return OTHER_SPELLING
        return UNKNOWN_NAME if self.name_known is False else LOW_CONFIDENCE

    @property
    def needs(self) -> float | None:
        """What the confidence would have to reach; None if another one would change nothing."""
        if self.reason != LOW_CONFIDENCE or self.threshold is None:
            return None
        return self.threshold.value if self.threshold.value < REFUSE_ALL else None

    @property
    def why_not(self) -> str | None:
        """The reason in words."""
        if self.given:
            return None
        if self.meant:
            return f"the text has no such name; it has {' and '.join(self.meant)}"
        if self.threshold is None:
            return None
        if self.name_known is False:
            return "the model does not know the name"
        return self._explain_low(self.threshold)

    def _explain_low(self, threshold: Threshold) -> str:
        if self.needs is None:
            return f"no such question is answered: {threshold.why_not}"
        least, target = f"{100 * self.needs:.1f} %", f"{100 * threshold.precision_target:g} %"
        if self.unverified:
            return f"its own probability is below {least}, the least for an unverified answer"
        return (
            f"its confidence is below {least}, the threshold that was set for {target} right among "
            "such answers"
        )


def decide(
    policy: AnswerPolicy | None, features: FeatureTable, relations: Sequence[str]
) -> list[Decision]:
    """For each answer, whether it is given; without a policy, every answer is, as unverified."""
    if policy is None:
        return [Decision(True, None, None, unverified=True)] * len(features)
    confidence, known = policy.confidence(features, relations), policy.knows_name(features)
    given, thresholds = policy.answers(features, relations), policy.thresholds
    unverified = policy.unverified(relations)
    names = [None if known is None else bool(known[i]) for i in range(len(features))]
    found: list[Decision] = []
    for i, (name, relation) in enumerate(zip(names, relations, strict=True)):
        own = name is not False and bool(unverified[i])
        sure = None if own or name is False else float(confidence[i])
        found.append(Decision(bool(given[i]), sure, name, thresholds.of(relation), unverified=own))
    return found
