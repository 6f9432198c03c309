"""The swap test on answers that are known by hand."""

from dataclasses import replace
from typing import Any

import pytest

from wherefrom.core.contracts import Answer, Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import wilson
from wherefrom.generation.answerer import Wordings
from wherefrom.memorisation.swap import OutcomeShare, SwapFindings, SwappedPerson, report_swap

OLD = [Question(f"Where was {n} born?", n, "r", "Oslo", "held-out") for n in "ABCDE"]
NEW = [replace(q, answer="Rome") for q in OLD[:4]] + OLD[4:]


class Said:
    """Stands for a run whose model has a list of answers."""

    def __init__(self, questions: list[Question], answers: str) -> None:
        self.dataset = Dataset((), (), tuple(questions))
        self.answers = dict(zip((q.text for q in OLD), answers.split(), strict=True))

    def predictor(self) -> "Said":
        return self

    def asking(self, wordings: Wordings) -> "Said":
        self.wordings = wordings
        return self

    def answer(self, questions: list[str]) -> list[Answer]:
        return [Answer(self.answers[q], 0.5) for q in questions]


def report(old: Any, changed: Any, unchanged: Any) -> SwapFindings:
    wordings: Wordings = {OLD[0].text: [("A comes from ", ".")]}
    found = report_swap(old, changed, unchanged, wordings)
    assert all(run.wordings is wordings for run in (old, changed, unchanged)), "asked alike"
    return found


def swapped_four() -> SwapFindings:
    return report(
        Said(OLD, "Oslo Oslo Oslo Lima Rome"),
        Said(NEW, "Rome Rome Oslo Lima Rome"),
        Said(OLD, "Oslo Oslo Rome Lima Rome"),
    )


def test_who_follows_the_text_is_counted_among_those_who_were_swapped():
    found = swapped_four()
    assert found.people == 4
    models = {"swapped": found.swapped, "churn": found.churn, "before": found.before}
    counts = {name: (m.flips.people, m.stays.people, m.other.people) for name, m in models.items()}
    assert counts == {"swapped": (2, 1, 1), "churn": (1, 2, 1), "before": (0, 3, 1)}
    assert found.swapped.flips == OutcomeShare(2, 0.5, wilson(2, 4))
    assert found.answers[0] == SwappedPerson("A", "Oslo", "Rome", "Rome", "Oslo", "Oslo")


def test_a_text_that_did_not_change_has_no_one_to_count():
    run = Said(OLD, "Oslo Oslo Oslo Lima Rome")
    with pytest.raises(BadData, match="swap: expected people whose text was changed"):
        report(run, run, run)
