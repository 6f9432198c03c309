"""The sections about confidence: thresholds by hand, and nothing fitted on held-out people."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.policies import set_threshold
from wherefrom.answering.features import FEATURES, NO_FORMS
from wherefrom.answering.fitting import CertifiedPolicy, certify_policy
from wherefrom.auditing import confidence_sections as sections
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.contracts import WITH_TEXT, Answer, Question
from wherefrom.core.forms import Form, ParsedQuestion

FORM = Form("Where was ", " born?")


def examine(rows: list[tuple[str, float, float, bool]]) -> AnswerTable:
    """(split, confidence by the curve, the model's own probability, right) of each person."""
    questions = tuple(
        Question(FORM.fill(f"A{i}"), f"A{i}", "r", "Oslo", row[0]) for i, row in enumerate(rows)
    )
    values = np.zeros((len(rows), len(FEATURES)))
    values[:, 0] = [np.log(p / (1 - p)) for _, p, _, _ in rows]
    features = FeatureTable.from_matrix(values, FEATURES)
    answers = tuple(Answer("Oslo" if good else "Rome", raw) for _, _, raw, good in rows)
    parsed = tuple(ParsedQuestion(q.text, FORM, q.subject, "r") for q in questions)
    return AnswerTable(parsed, answers, features, questions)


CALIBRATION = [
    ("calibration", 0.9, 0.2, True), ("calibration", 0.8, 0.9, True),
    ("calibration", 0.6, 0.8, False), ("calibration", 0.3, 0.7, False),
]  # fmt: skip
HELD_OUT = [
    ("held-out", 0.95, 0.5, True), ("held-out", 0.85, 0.95, False),
    ("held-out", 0.7, 0.99, True), ("held-out", 0.1, 0.1, False),
]  # fmt: skip
EXAMINED = examine(CALIBRATION + HELD_OUT)


def fit(examined: AnswerTable, alpha: float = 0.1, delta: float = 0.1) -> CertifiedPolicy:
    """The bound of an audit whose run makes no decoys, so that no gate is fitted."""
    people = examined.rows(examined.select("calibration"))
    model: Any = SimpleNamespace(
        relations=frozenset({"r"}), reference=None, forms=NO_FORMS, known_supports=WITH_TEXT
    )
    return certify_policy(model, people, alpha, delta)


def many(n: int = 400) -> AnswerTable:
    """Half calibration, half held-out; right just where the curve is sure."""
    rows = [("calibration" if i % 2 else "held-out", 0.9 if i % 4 < 2 else 0.2, 0.5, i % 4 < 2)
            for i in range(n)]  # fmt: skip
    return examine(rows)


# --- confidence ------------------------------------------------------------------------------


def test_confidence_is_scored_on_held_out_people():
    found = sections.report_confidence(EXAMINED, set_threshold(0.5, "r"))
    sure, raw = np.array([0.95, 0.85, 0.7, 0.1]), np.array([0.5, 0.95, 0.99, 0.1])
    right = np.array([1.0, 0.0, 1.0, 0.0])
    assert found.calibrated.brier.score == pytest.approx(((sure - right) ** 2).mean())
    assert found.raw.brier.score == pytest.approx(((raw - right) ** 2).mean())
    assert found.calibrated.brier.n == 4
    assert found.risk_coverage.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.risk_coverage_raw.risk == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found.area_difference.difference == pytest.approx(0)
    # A probability past one by rounding is one.
    answers = tuple(Answer(a.text, 1.0 + 1e-9) for a in EXAMINED.answers)
    past = replace(EXAMINED, answers=answers)
    found = sections.report_confidence(past, set_threshold(0.5, "r"))
    assert found.raw.brier.score == pytest.approx(0.5)


# --- abstention ------------------------------------------------------------------------------


def test_thresholds_are_set_on_calibration_people_and_applied_to_others():
    examined = examine(CALIBRATION * 50 + HELD_OUT)  # a few right answers may be luck
    found = sections.report_abstention(examined, set_threshold(0.5, "r"), None)
    assert found.in_use.threshold == 0.5
    assert found.in_use.target == 0.9
    assert found.in_use.answered_share.value == 3 / 4
    assert list(found.thresholds) == ["0.9", "0.95"]
    row = found.thresholds["0.9"]
    assert row.threshold == pytest.approx(0.8)
    assert row.answered_share.value == 2 / 4
    assert row.precision.value == 1 / 2
    raw = found.raw_probability["0.95"]  # on calibration people 0.9 alone is always right
    assert raw.answered_share.value == 2 / 4
    assert raw.precision.value == 1 / 2
    assert (found.certificate, found.certified, found.uncertified, found.advice) == (None,) * 4


def test_risk_by_kind_of_support():
    """Held-out confidences 0.95 (right), 0.85 (wrong), 0.7 (right), 0.1 (wrong) at 0.5."""
    kinds = ("stated",) * 4 + ("stated", "omitted", "stated", "none")
    people = tuple(replace(q, support=kind) for q, kind in zip(EXAMINED.known, kinds, strict=True))
    found = sections.report_abstention(
        replace(EXAMINED, known=people), set_threshold(0.5, "r"), None
    )
    parts = found.in_use.by_support
    assert list(parts) == ["stated", "omitted", "none"]
    risks = {kind: part.risk and part.risk.value for kind, part in parts.items()}
    assert risks == {"stated": 0.0, "omitted": 1.0, "none": None}
    shares = {kind: part.answered_share.value for kind, part in parts.items()}
    assert shares == {"stated": 1.0, "omitted": 1.0, "none": 0.0}
    assert found.in_use.precision.value == pytest.approx(2 / 3), "everyone together"


def test_held_out_answers_change_no_threshold_and_no_certificate():
    people = many()
    held = people.select("held-out")
    turned = {"Oslo": "Rome", "Rome": "Oslo"}
    answers = tuple(
        replace(answer, text=turned[answer.text]) if here else answer
        for answer, here in zip(people.answers, held, strict=True)
    )
    other = replace(people, answers=answers)
    found = []
    for examined in (people, other):
        report = sections.report_abstention(
            examined, set_threshold(0.5, "r"), fit(examined, 0.2, 0.05)
        )
        values = {target: row.threshold for target, row in report.thresholds.items()}
        found.append((values, report.certificate, report.advice))
        assert report.certified.precision.value == (1.0 if examined is people else 0.0)
    assert found[0] == found[1]
    certificate = found[0][1]
    assert (certificate.certified, certificate.alpha, certificate.delta) == (True, 0.2, 0.05)
