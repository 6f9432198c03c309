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
class SwappedPerson:
    """What the text said of somebody, what it says now, and what each of the models answers."""

    subject: str
    old: str
    new: str
    swapped: str
    churn: str
    before: str


@dataclass(frozen=True)
class SwapFindings:
    """The outcomes for the `people` whose text was changed, by three models.

    swapped: trained on the changed text. churn: trained on the old text with another seed, which
    shows how many answers change by chance. before: the run's own model. `answers` has what each of
    them says.
    """

    people: int
    swapped: SwapOutcomes
    churn: SwapOutcomes
    before: SwapOutcomes
    answers: tuple[SwappedPerson, ...] = ()


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
    models = {"swapped": changed, "churn": unchanged, "before": run}
    said = {name: _ask(each, pairs, wordings) for name, each in models.items()}
    answers = tuple(
        SwappedPerson(
            old.subject,
            old.answer or "",
            new.answer or "",
            **{name: said[name][i] for name in said},
        )
        for i, (old, new) in enumerate(pairs)
    )
    outcomes = {name: count_outcomes(answers, name) for name in models}
    return SwapFindings(people=len(pairs), **outcomes, answers=answers)


def _ask(run: Run, pairs: Sequence[tuple[Question, Question]], wordings: Wordings) -> list[str]:
    answerer: ModelAnswerer = run.predictor()
    return [a.text for a in answerer.asking(wordings).answer([old.text for old, _ in pairs])]


def count_outcomes(answers: Sequence[SwappedPerson], model: str) -> SwapOutcomes:
    """How many people's answers by one of the models are the new one, the old one, or neither."""
    counts: Counter[str] = Counter()
    for each in answers:
        said = getattr(each, model)
        counts[FLIPS if said == each.new else STAYS if said == each.old else OTHER] += 1
    return SwapOutcomes(**{outcome: _share(counts[outcome], len(answers)) for outcome in OUTCOMES})


def _share(count: int, n: int) -> OutcomeShare:
    score = Score.of_share("share", count, n)
    return OutcomeShare(count, score.value, score.interval)
