"""The swap test on answers that are known by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.made_up import Scripted
from wherefrom.core.contracts import Answer, Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import wilson
from wherefrom.generation.answerer import Wordings
from wherefrom.memorisation.swap import OutcomeShare, SwapFindings, SwappedPerson, report_swap

OLD = [Question(f"Where was {n} born?", n, "r", "Oslo", "held-out") for n in "ABCDE"]
NEW = [replace(q, answer="Rome") for q in OLD[:4]] + OLD[4:]


def said(questions: list[Question], answers: str) -> SimpleNamespace:
    """Stands for a run whose model has a list of answers."""
    script = {q.text: Answer(text, 0.5) for q, text in zip(questions, answers.split(), strict=True)}
    predictor = Scripted(script)
    return SimpleNamespace(
        dataset=Dataset((), (), tuple(questions)), predictor=lambda: predictor, asked=predictor
    )


def report(old: Any, changed: Any, unchanged: Any) -> SwapFindings:
    wordings: Wordings = {OLD[0].text: [("A comes from ", ".")]}
    found = report_swap(old, changed, unchanged, wordings)
    assert all(run.asked.wordings is wordings for run in (old, changed, unchanged)), "asked alike"
    return found


def swapped_four() -> SwapFindings:
    return report(
        said(OLD, "Oslo Oslo Oslo Lima Rome"),
        said(NEW, "Rome Rome Oslo Lima Rome"),
        said(OLD, "Oslo Oslo Rome Lima Rome"),
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
    run = said(OLD, "Oslo Oslo Oslo Lima Rome")
    with pytest.raises(BadData, match="swap: expected people whose text was changed"):
        report(run, run, run)
