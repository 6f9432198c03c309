"""Calibration people beside other people of a run, and questions nobody here can answer."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.policies import share_threshold
from wherefrom.answering import populations
from wherefrom.answering.asking import ask
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.answering.policy import DECLINE_ALL, Threshold
from wherefrom.auditing import population_sections as sections
from wherefrom.runs.opened_run import open_run


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny run has 14 calibration people and as many held-out ones."""
    monkeypatch.setattr(populations, "LEAST", 10)


def test_splits_are_compared(inspector: Inspector, few: None):
    dataset = inspector.run.dataset
    asked = [q for q in dataset.questions if q.split in ("calibration", "held-out")]
    examined = inspector.examine([(q, inspector.parse(q.text)) for q in asked])
    found = sections.compare_splits(inspector, examined)
    assert list(found) == ["held-out"]
    check = found["held-out"]
    calibration = [q for q in asked if q.split == "calibration"]
    assert (check.calibration, check.asked) == (len(calibration), len(asked) - len(calibration))
    stated = check.measures[populations.STATED]
    verdicts = [inspector.judge_answer(inspector.parse(q.text), "") for q in calibration]
    assert stated.calibration == pytest.approx(np.mean([bool(v and v.stated) for v in verdicts]))
    length = check.measures["length of the name"]
    assert length.calibration == pytest.approx(np.mean([len(q.subject) for q in calibration]))
    trained = {q.answer for q in dataset.asked}
    new = np.mean([q.answer not in trained for q in calibration])
    assert check.measures[populations.NEW_ANSWERS].calibration == pytest.approx(new)


def test_ask_warns_of_a_batch_of_other_people(own_run: Path, few: None):
    run = open_run(own_run)
    questions = [f"Where was Nenen Ranar Sonan Lonan{'na' * i} born?" for i in range(20)]
    found = ask(open_inspector(run), questions)
    assert found.population is not None
    assert found.population.warning in found.notes
    few = ask(open_inspector(run), questions[:3])
    assert few.population is None, "about three people nothing is said"


def test_unanswered_questions_are_replied_to(own_run: Path):
    run = open_run(own_run)
    dataset = run.dataset
    some = [replace(q, split="unanswered", answer=None) for q in dataset.select("held-out")[:3]]
    others = tuple(q for q in dataset.questions if q.text not in {s.text for s in some})
    changed = open_run(own_run)
    changed.workshop.__dict__["dataset"] = replace(dataset, questions=(*others, *some))
    inspector = open_inspector(changed)
    rows = list(sections.reply_to_unanswered(inspector, None))
    assert [row.reply.question for row in rows] == [q.text for q in some]
    assert all(row.answered_at_bound is None for row in rows)
    policy = inspector.policy
    assert policy is not None
    for value, given in ((0.0, True), (DECLINE_ALL, False)):
        every = share_threshold(policy.calibration, Threshold(value, 0.9, 1, 1, 9), "birthplace")
        certified: Any = SimpleNamespace(policy=every)
        again = sections.reply_to_unanswered(inspector, certified)
        assert {row.answered_at_bound for row in again} == {given}
    alone = ask(open_inspector(run), [some[0].text])[0]
    assert rows[0].reply.answer == alone.answer
    probabilities = (r.candidates[0].model_probability for r in (rows[0].reply, alone))
    assert next(probabilities) == pytest.approx(next(probabilities), rel=1e-3)
    assert list(sections.reply_to_unanswered(open_inspector(run), None)) == []
