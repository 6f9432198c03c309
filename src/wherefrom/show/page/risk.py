"""The slider of the page: the risk that a reader accepts, and what it does to held-out people.

Each stop of the slider is a share of wrong answers. Its threshold is chosen on calibration
questions, and the stop for the run's own precision has the run's own threshold, which may be
stricter than its precision asks: there the page decides as `wherefrom ask` does. A lower accepted
risk never gives more answers. A risk with the thresholds of its neighbour is no stop: it would
change nothing. What a threshold does is counted on held-out questions.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.answering.abstention import LEAST_SURE, choose_thresholds
from wherefrom.answering.policy import DECLINE_ALL, EVEN_ODDS, AnswerPolicy, Threshold, Thresholds
from wherefrom.core.contracts import EVERY_SUPPORT
from wherefrom.evaluation.intervals import wilson
from wherefrom.evaluation.relations import group
from wherefrom.show.page.judged_answers import JudgedAnswers, Scored

RISKS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True)
class Stop:
    """One position of the slider.

    `thresholds` by relation. A threshold above 1 answers nothing, and `why_not` says why. `groups`
    counts, by what the text says, how many
    held-out people there are, how many are answered, and how many of these answers are right.
    `unverified` answers are given although no threshold was shown to keep the risk.
    """

    risk: float
    thresholds: Mapping[str, float]
    groups: Mapping[str, Sequence[int]]
    answered: int
    right: int
    n: int
    interval: Sequence[float] | None
    why_not: str | None
    unverified: int = 0


@dataclass(frozen=True)
class AcceptedRisk:
    """All stops, and the number of the one that `wherefrom ask` uses."""

    stops: tuple[Stop, ...]
    usual: int


def offer_risks(answers: JudgedAnswers, policy: AnswerPolicy | None) -> AcceptedRisk | None:
    """The slider's stops; None for a run without a policy or without held-out answers."""
    held, known = Scored.of(answers.held_out), answers.calibration
    if policy is None or not held.score.size or not known.score.size:
        return None
    own = round(1 - _target(policy), 4)
    risks = sorted({*RISKS, own})
    chosen = {r: policy.thresholds if r == own else _choose(known, policy, r) for r in risks}
    chosen = _order(chosen, own)
    stops = tuple(_stop(risk, thresholds, held) for risk, thresholds in chosen.items())
    return AcceptedRisk(stops, list(chosen).index(own))


def _target(policy: AnswerPolicy) -> float:
    return policy.threshold.precision_target


def _choose(known: Scored, policy: AnswerPolicy, risk: float) -> Thresholds:
    """The lowest thresholds that keep another risk: no stricter than asked.

    With a higher risk than the run was set for, answers go down to even odds.
    """
    floor = LEAST_SURE if risk <= 1 - _target(policy) else EVEN_ODDS
    found = choose_thresholds(known.score, known.right, group(known.relations), 1 - risk, floor)
    each = {
        name: replace(threshold, unverified=policy.thresholds.of(name).unverified)
        for name, threshold in found.by_relation.items()
    }
    return Thresholds.join(each, found.overall)


def _order(chosen: Mapping[float, Thresholds], own: float) -> dict[float, Thresholds]:
    """Thresholds that fall with the risk, around the run's own, without those that change nothing.

    A threshold is a score of the calibration questions, or the floor if all scores above it reach
    the target. The floor is lower for a high risk, so its threshold may be a score that lies above
    the other floor.
    """
    found = {own: chosen[own]}
    lower, higher = sorted((r for r in chosen if r < own), reverse=True), sorted(chosen)
    for side, choose in ((lower, max), ([r for r in higher if r > own], min)):
        last = chosen[own]
        for risk in side:
            new = _combine(chosen[risk], last, choose)
            if _values(new) != _values(last):
                found[risk] = last = new
    return {risk: found[risk] for risk in sorted(found)}


def _values(thresholds: Thresholds) -> dict[str, float]:
    return {name: each.value for name, each in thresholds.by_relation.items()}


def _combine(one: Thresholds, other: Thresholds, choose: Callable[..., Threshold]) -> Thresholds:
    """The lower or the higher of two thresholds, for each relation."""
    each = {
        name: choose(one.of(name), other.of(name), key=lambda threshold: threshold.value)
        for name in {**one.by_relation, **other.by_relation}
    }
    return Thresholds.join(each, one.overall)


def _stop(risk: float, chosen: Thresholds, held: Scored) -> Stop:
    given, right = chosen.answers(held.score, held.relations), held.right
    groups: dict[str, list[int]] = {}
    for support in EVERY_SUPPORT:
        here = np.array([each == support for each in held.support])
        if here.any():
            groups[support] = [
                int(here.sum()), int((here & given).sum()), int((here & given & right).sum())
            ]  # fmt: skip
    answered, correct = int(given.sum()), int((given & right).sum())
    return Stop(
        risk=risk,
        thresholds=_values(chosen),
        groups=groups,
        answered=answered,
        right=correct,
        n=given.size,
        interval=wilson(correct, answered) if answered else None,
        why_not=_why_not(chosen.by_relation.values()),
        unverified=sum(
            chosen.of(relation).unverified is not None
            for relation, answered in zip(held.relations, given, strict=True)
            if answered
        ),
    )


def _why_not(chosen: Collection[Threshold]) -> str | None:
    """Why nothing is answered at all; a relation of several is told where it is asked for."""
    if any(each.value < DECLINE_ALL for each in chosen):
        return None
    return next((each.why_not for each in chosen), None)
