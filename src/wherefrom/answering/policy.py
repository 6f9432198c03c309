"""The answering policy: when a run answers and when it says "I don't know".

A policy has a calibration and a threshold for each relation that the questions ask for, and a gate
that stops unknown names; `decide` applies it. `fitting.py` fits it, and the run folder keeps it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book
from wherefrom.answering.features import NO_FORMS, FamiliarityReference, StatementForms
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.replies import LOW_CONFIDENCE, OTHER_SPELLING, UNKNOWN_NAME
from wherefrom.evaluation.relations import group
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run

FILE = "audit/confidence.json"
EVEN_ODDS = 0.5  # with a lower confidence, an answer is likelier wrong than right
MOST_PASSING = 0.1  # the share of decoys that a gate may let through; beyond it, it leaks
DECLINE_ALL = 2.0  # above every probability; JSON has no infinity
NOT_CALIBRATED = "no calibration question asks for this"


@dataclass(frozen=True)
class LogisticCalibration:
    """A logistic curve over standardised features, fitted on calibration questions.

    A normal prior of its weights keeps the curve finite where a feature separates right from wrong
    perfectly, which a hundred answers or so do not justify (`calibration.EXPECTED`). The bias has
    Jeffreys' prior for a rate: one right and one wrong pseudo-answer at the average features, each
    with the weight of half an answer.

    `guess` is how often a guess is right by chance: the curve's lower end. Without it, the few
    guesses that are right by chance would flatten the whole curve (Birnbaum 1968). `lapse` is how
    often an answer may be wrong although every feature speaks for it: the upper end is 1 - lapse.
    """

    features: tuple[str, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    guess: float = 0.0
    lapse: float = 0.0

    def probability(self, features: FeatureTable) -> np.ndarray:
        """The calibrated probability of each answer; the curve's columns are found by name."""
        x_NK = features.finite(self.features)
        odds_N = (x_NK - self.mean) / self.scale @ np.array(self.weights) + self.bias
        knows_N = np.exp(-np.logaddexp(0, -odds_N))  # scipy's expit takes a command 0.3 s to load
        return self.guess + (1 - self.guess - self.lapse) * knows_N


@dataclass(frozen=True)
class Threshold:
    """Answer where the score is at least `value`; the other fields describe how it was chosen.

    It was chosen on `n` answers: `answered_share` of them were given, and `precision` of those were
    right. `precision` is None when all answers were withheld, and `why_not` says why no threshold
    reaches the target. `pooled`: on the questions of several relations together. `unverified` says
    in words why no threshold was shown to keep the risk, if so: the score is then the model's own
    probability, and answers are given as unverified (docs/TRUST.md).
    """

    value: float
    precision_target: float
    answered_share: float
    precision: float | None
    n: int
    why_not: str | None = None
    pooled: bool = False
    unverified: str | None = None

    def answers(self, score: np.ndarray) -> np.ndarray:
        """Whether each answer is given; one whose score is 0 or NaN never is."""
        p = np.asarray(score, dtype=np.float64)
        return (p >= self.value) & (p > 0)


@dataclass(frozen=True)
class Thresholds:
    """A threshold for each relation.

    `overall` describes what they did to all calibration questions; of one relation, it is its
    threshold. A relation that no calibration question asks for is never answered.
    """

    overall: Threshold
    by_relation: Mapping[str, Threshold]

    @classmethod
    def join(cls, each: Mapping[str, Threshold], over_all: Threshold) -> "Thresholds":
        """Those of relations; `over_all` describes them together if there are several."""
        return cls(over_all if len(each) > 1 else next(iter(each.values()), over_all), each)

    @property
    def several(self) -> bool:
        return len(self.by_relation) > 1

    def of(self, relation: str) -> Threshold:
        """The threshold for a relation; one that withholds everything for an unknown relation."""
        return self.by_relation.get(relation) or decline_all(
            self.overall.precision_target, 0, NOT_CALIBRATED
        )

    def answers(self, score: np.ndarray, relations: Sequence[str]) -> np.ndarray:
        """Whether each answer is given, by the threshold of its relation."""
        given = np.zeros(np.shape(score), dtype=bool)
        for relation, places in group(relations).items():
            given[places] = self.of(relation).answers(np.asarray(score)[places])
        return given


def decline_all(precision: float, n: int, why: str) -> Threshold:
    return Threshold(DECLINE_ALL, precision, 0.0, None, n, why)


@dataclass(frozen=True)
class NameGate:
    """Open if the curve's probability that the model has read the name is at least `least`.

    `passing` is the share of the decoys, or of invented names if more of them pass, that it takes
    for known.
    """

    curve: LogisticCalibration
    least: float
    passing: float = 0.0

    @property
    def leaks(self) -> str | None:
        """Why the gate does not keep unknown names out, if so."""
        if self.passing <= MOST_PASSING:
            return None
        return (
            f"the model does not tell names that it has read from invented ones: "
            f"{100 * self.passing:.0f} % of the invented names pass for known"
        )

    def opens(self, features: FeatureTable) -> np.ndarray:
        return self.curve.probability(features) >= self.least


@dataclass(frozen=True)
class RelationPolicy:
    """The calibration and the threshold of a relation."""

    calibration: LogisticCalibration
    threshold: Threshold


@dataclass(frozen=True)
class AnswerPolicy:
    """A calibration and a threshold for each relation, and the gate that stops unknown names.

    `calibration` is that of a relation without calibration questions, and `threshold` describes
    what the thresholds together did to the calibration questions. The familiarity of names is
    measured relative to `reference`. `forms` are the wordings in which answers are scored.
    `without_text` is how often answers about names that the text does not have are right; None if
    no calibration question is about such a name.
    """

    format_version: Literal[9] = field(default=9, kw_only=True)

    calibration: LogisticCalibration
    threshold: Threshold
    relations: Mapping[str, RelationPolicy]
    names: NameGate | None = None
    reference: FamiliarityReference | None = None
    forms: StatementForms = NO_FORMS
    without_text: float | None = None

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(self.threshold, {r: p.threshold for r, p in self.relations.items()})

    def confidence(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """The calibrated probability that each answer is right, provided the name is known.

        `relations` has what each question asks for.
        """
        found = np.zeros(len(features))
        for relation, places in group(relations).items():
            own = self.relations.get(relation)
            curve = self.calibration if own is None else own.calibration
            found[places] = curve.probability(features.rows(places))
        return found

    def score(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """The score that the threshold is applied to: the confidence, or 0 for unknown names.

        Where answers are unverified, it is the model's own probability.
        """
        score, known = self.confidence(features, relations), self.knows_name(features)
        if (unverified := self.unverified(relations)).any():
            score = np.where(unverified, own_probability(features), score)
        return score if known is None else np.where(known, score, 0.0)

    def answers(self, features: FeatureTable, relations: Sequence[str]) -> np.ndarray:
        """Whether each answer is given."""
        return self.thresholds.answers(self.score(features, relations), relations)

    def unverified(self, relations: Sequence[str]) -> np.ndarray:
        """Whether each question asks for a relation without a threshold that was shown to hold."""
        thresholds = self.thresholds
        each = {name: thresholds.of(name).unverified is not None for name in set(relations)}
        return np.array([each[name] for name in relations], dtype=bool)

    def knows_name(self, features: FeatureTable) -> np.ndarray | None:
        """Whether the model knows each name; None if the policy has no name gate."""
        return None if self.names is None else self.names.opens(features)


def own_probability(features: FeatureTable, gate: NameGate | None = None) -> np.ndarray:
    """The model's own probability of each answer; with a gate, 0 for unknown names."""
    own = np.minimum(np.exp(features["log_probability"]), 1.0)
    return own if gate is None else np.where(gate.opens(features), own, 0.0)


# -- deciding ------------------------------------------------------------------------


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

    def without_text(self, share: float | None) -> "Decision":
        """The same decision, where the text has nothing about the name.

        The confidence is that of names that the model has read. So it is at most the `share` of
        such answers that is right, and the threshold is asked again. If no calibration question is
        about such a name, there is no share: an answer is unverified, a guess has no confidence.
        """
        if self.confidence is None or self.threshold is None:
            return self
        if share is None:
            return replace(self, confidence=None, unverified=self.given)
        lower = min(self.confidence, share)
        return replace(self, confidence=lower, given=self.given and lower >= self.threshold.value)

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
        return self.threshold.value if self.threshold.value < DECLINE_ALL else None

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


# -- the file beside a run -----------------------------------------------------------


def write_policy(folder: RunFolder, policy: AnswerPolicy) -> None:
    folder.write_json(FILE, to_json(policy))


def find_policy(run: Run) -> AnswerPolicy | None:
    """The policy in the run folder; None if none was fitted."""
    if not run.folder.has(FILE):
        return None
    try:
        return from_json(AnswerPolicy, run.folder.read_json(FILE), "policy")
    except BadData as error:
        raise Damaged(
            f"{run.path / FILE}: {error}; 'wherefrom evaluate {run.path}' writes it again"
        ) from error


def open_as_stored(run: Run, policy: AnswerPolicy | None) -> ClosedBookModel:
    """The run's model, asked as its stored policy says, if it has one."""
    if policy is None:
        return open_closed_book(run)
    return open_closed_book(run, policy.reference, policy.forms)
