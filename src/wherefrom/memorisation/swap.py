"""The swap test: change some people's answers in the text, train again, count who follows.

A model that recalls answers from the text gives the new answer. A model that guesses from the name,
or gives a common answer, does not. `experiments/many_runs/retraining.py` trains the models.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import Interval
from wherefrom.generation.answerer import ModelAnswerer, Wordings
from wherefrom.runs.opened_run import Run

FLIPS, STAYS, OTHER = "flips", "stays", "other"
OUTCOMES = (FLIPS, STAYS, OTHER)


@dataclass(frozen=True)
class OutcomeShare:
    """How many people have an outcome, their share, and the share's interval."""

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
    """The outcomes for the `people` whose text was changed, by three models.

    swapped: trained on the changed text. churn: trained on the old text with another seed, which
    shows how many answers change by chance. before: the run's own model.
    """

    people: int
    swapped: SwapOutcomes
    churn: SwapOutcomes
    before: SwapOutcomes


def report_swap(run: Run, changed: Run, unchanged: Run, wordings: Wordings) -> SwapFindings:
    """Compare each model's answers with the old and with the new answer in the text.

    All are asked in the `wordings` in which the run's own model is asked.
    """
    pairs = [
        (old, new)
        for old, new in zip(run.dataset.questions, changed.dataset.questions, strict=True)
        if old.answer != new.answer
    ]
    if not pairs:
        raise BadData("swap: expected people whose text was changed, found none")
    return SwapFindings(
        people=len(pairs),
        swapped=_count_outcomes(changed, pairs, wordings),
        churn=_count_outcomes(unchanged, pairs, wordings),
        before=_count_outcomes(run, pairs, wordings),
    )


def _count_outcomes(
    run: Run, pairs: Sequence[tuple[Question, Question]], wordings: Wordings
) -> SwapOutcomes:
    answerer: ModelAnswerer = run.predictor()
    answers = answerer.asking(wordings).answer([old.text for old, _ in pairs])
    counts = Counter(
        FLIPS if answer.text == new.answer else STAYS if answer.text == old.answer else OTHER
        for answer, (old, new) in zip(answers, pairs, strict=True)
    )
    return SwapOutcomes(**{outcome: _share(counts[outcome], len(pairs)) for outcome in OUTCOMES})


def _share(count: int, n: int) -> OutcomeShare:
    score = Score.of_share("share", count, n)
    return OutcomeShare(count, score.value, score.interval)
