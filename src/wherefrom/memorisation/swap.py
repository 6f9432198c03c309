"""The swap test: change what the text says of some people, train again, count who follows.

A model that recalls answers from the text gives the new answer; one that answers from the name
or from habit does not. `experiments/retraining.py` trains the models.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import Interval
from wherefrom.runs.run import Run

FLIPS, STAYS, OTHER = "flips", "stays", "other"
OUTCOMES = (FLIPS, STAYS, OTHER)


@dataclass(frozen=True)
class OutcomeShare:
    """How many people have an outcome, their share, and its interval."""

    people: int
    share: float
    interval: Interval


@dataclass(frozen=True)
class SwapOutcomes:
    """What one model answers. flips: the new answer; stays: the old one; other: neither."""

    flips: OutcomeShare
    stays: OutcomeShare
    other: OutcomeShare


@dataclass(frozen=True)
class SwapFindings:
    """The outcomes about `people` whose text was changed, for three models.

    swapped: trained on the changed text. churn: trained on the old text with another seed, which
    shows how many answers change by chance. before: the run's own model.
    """

    people: int
    swapped: SwapOutcomes
    churn: SwapOutcomes
    before: SwapOutcomes


def report_swap(run: Run, changed: Run, unchanged: Run) -> SwapFindings:
    """Compare answers with the old and the new answer of the text, not with what a model said."""
    pairs = [
        (old, new)
        for old, new in zip(run.dataset.questions, changed.dataset.questions, strict=True)
        if old.answer != new.answer
    ]
    if not pairs:
        raise BadData("swap: expected people whose text was changed, found none")
    return SwapFindings(
        people=len(pairs),
        swapped=_count_outcomes(changed, pairs),
        churn=_count_outcomes(unchanged, pairs),
        before=_count_outcomes(run, pairs),
    )


def _count_outcomes(run: Run, pairs: Sequence[tuple[Question, Question]]) -> SwapOutcomes:
    answers = run.predictor().answer([old.text for old, _ in pairs])
    counts = Counter(
        FLIPS if answer.text == new.answer else STAYS if answer.text == old.answer else OTHER
        for answer, (old, new) in zip(answers, pairs, strict=True)
    )
    return SwapOutcomes(**{outcome: _share(counts[outcome], len(pairs)) for outcome in OUTCOMES})


def _share(count: int, n: int) -> OutcomeShare:
    score = Score.of_share("share", count, n)
    return OutcomeShare(count, score.value, score.interval)
