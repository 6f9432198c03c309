"""The sections about sources: figures by hand, and over whom each of them is."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wherefrom.answering.fitting import judge
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.source import SOURCE_FEATURES
from wherefrom.auditing import source_sections as sections
from wherefrom.auditing.audit_findings import LabelCount, NoteFindings
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.contracts import Answer, Note, Question, Span
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.core.replies import Source, Verdict
from wherefrom.memorisation.exposures import KINDS, count_exposures

FORM = Form("Where was ", " born?")
SUPPORTED, CONTRADICTED = (
    Verdict(label, "Oslo", 0, None, 0.9) for label in ("supported", "contradicted")
)
# Stands for a fact checker of one relation: of what was noted, it finds everything but A4's again.
CHECKER: Any = SimpleNamespace(
    extractors={"r": None},
    judge=lambda subject, *_: CONTRADICTED if subject == "A4" else SUPPORTED,
)


def person(i: int, split: str, support: str = "stated", relation: str = "r") -> Question:
    return Question(FORM.fill(f"A{i}"), f"A{i}", relation, "Oslo", split, support)


def examined(questions: list[Question], right: list[bool]) -> AnswerTable:
    answers = tuple(Answer("Oslo" if good else "Rome", 0.5) for good in right)
    values = np.random.default_rng(0).normal(size=(len(right), len(SOURCE_FEATURES)))
    features = FeatureTable.from_matrix(values, SOURCE_FEATURES)
    parsed = tuple(ParsedQuestion(q.text, FORM, q.subject, q.relation) for q in questions)
    return AnswerTable(parsed, answers, features, tuple(questions))


# --- evidence --------------------------------------------------------------------------------


def test_evidence_is_counted_over_held_out_answers_alone():
    people = [person(0, "calibration"), *(person(i, "held-out") for i in range(1, 5))]
    answers = examined(people, [True, True, False, False, True])
    verdicts = [SUPPORTED, SUPPORTED, CONTRADICTED, CONTRADICTED, SUPPORTED]
    found = sections.report_evidence(CHECKER, answers, verdicts)
    counts = {"supported": (2, 2), "contradicted": (2, 0), "silent": (0, 0), "no text": (0, 0)}
    assert found.held_out_answers == {label: LabelCount(*n) for label, n in counts.items()}
    assert sections.report_evidence(None, answers, [None] * 5) is None


def test_notes_are_counted_by_whether_they_are_right_and_called_supported():
    people = [person(0, "calibration"), *(person(i, "held-out") for i in range(1, 7))]
    values = {"A0": "Rome", "A1": "Oslo", "A2": "Rome", "A3": "Rome", "A4": "Rome", "A5": "Oslo"}

    def find_note(subject: str, relation: str) -> Note | None:
        value = values.get(subject)  # nothing is noted of A6
        return value and Note(subject, relation, value, 0, Span(0, 4), 0.9)

    verdicts = [replace(SUPPORTED, as_read=i in (0, 1, 5)) for i in range(6)]
    answers = examined(people, [True, True, True, False, True, False, True])
    found = sections.report_evidence(CHECKER, answers, [*verdicts, CONTRADICTED], find_note)
    assert found.notes == NoteFindings(right=2, right_supported=2, wrong=3, wrong_supported=2)
    assert found.held_out_answers["supported"] == LabelCount(answers=5, right=3)
    assert found.as_read == LabelCount(answers=2, right=1)
    without = sections.report_evidence(CHECKER, answers, [*verdicts, CONTRADICTED])
    assert (without.notes, without.as_read) == (None, None)


# --- source ----------------------------------------------------------------------------------


def test_sources_are_counted_over_held_out_answers_where_models_were_retrained():
    people = [person(0, "calibration"), *(person(i, "held-out") for i in range(1, 5))]
    answers = examined(people, [True, True, False, True, False])

    chances = (0.9, 0.9, 0.7, 0.6, 0.2)
    said = [Source("recalled" if p > 0.5 else "guessed", p) for p in chances]
    predictor: Any = SimpleNamespace(models=6, predict=lambda *_: said)
    labelled: Any = SimpleNamespace(
        table=answers,
        select=lambda split: np.array([q.split == split for q in people]),
        measure=lambda own, which: own is predictor and which.tolist(),
    )
    found = sections.report_source(labelled, predictor)
    assert found.held_out_answers == {
        "recalled": LabelCount(answers=3, right=2),
        "guessed": LabelCount(answers=1, right=0),
    }
    assert (found.models, found.measured) == (6, [False, True, True, True, True])
    assert sections.report_source(None, predictor) is None
    assert sections.report_source(labelled, None) is None


# --- exposures -------------------------------------------------------------------------------


def test_exposures_are_those_of_held_out_people(inspector: Inspector):
    dataset = inspector.run.dataset
    every = ("stated", "omitted", "none")
    held = dataset.select("held-out", every)
    people = [*dataset.select("calibration", every), *held]
    answers = judge(inspector.model, people)
    found = sections.report_exposures(inspector.run, answers)
    counted = count_exposures(inspector.run)
    stated = dataset.select("held-out")
    assert found.examples == counted.examples
    assert found.mean.keys() == set(KINDS)
    assert found.mean["read"] == pytest.approx(counted.about(stated, "read").mean())
    assert found.mean["asked"] == 0
