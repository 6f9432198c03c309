"""How far to trust an answer: thresholds by hand, and nothing learnt on held-out people."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wherefrom.answering.abstention import REFUSE_ALL, Threshold
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.features import FEATURES
from wherefrom.answering.policy import Doubt
from wherefrom.answering.risk_bound import learn_bound, split_people
from wherefrom.auditing import confidence_sections as trust
from wherefrom.auditing.audit import Risk
from wherefrom.auditing.inspector import Examined, Witness, open_witness
from wherefrom.core.contracts import Answer, Question
from wherefrom.runs.run import open_run

WIDTH = len(FEATURES)
# The probability is the logistic curve of the first feature, whatever the others are.
CURVE = LogisticCalibration(
    FEATURES, (0.0,) * WIDTH, (1.0,) * WIDTH, (1.0, *(0.0,) * (WIDTH - 1)), 0.0
)


def doubting(value: float) -> Doubt:
    return Doubt(CURVE, Threshold(value, 0.9, 0.5, 0.9, 10))


def examine(rows: list[tuple[str, float, float, bool]]) -> Examined:
    """(split, probability by the curve, the model's own, right) of each person."""
    questions = tuple(
        Question(f"Where was A{i} born?", f"A{i}", "r", "Oslo", row[0])
        for i, row in enumerate(rows)
    )
    features = np.zeros((len(rows), WIDTH))
    features[:, 0] = [np.log(p / (1 - p)) for _, p, _, _ in rows]
    answers = tuple(Answer("Oslo" if good else "Rome", raw) for _, _, raw, good in rows)
    return Examined(questions, answers, features, features, np.array([row[3] for row in rows]))


CALIBRATION = [
    ("calibration", 0.9, 0.2, True), ("calibration", 0.8, 0.9, True),
    ("calibration", 0.6, 0.8, False), ("calibration", 0.3, 0.7, False),
]  # fmt: skip
HELD_OUT = [
    ("held-out", 0.95, 0.5, True), ("held-out", 0.85, 0.95, False),
    ("held-out", 0.7, 0.99, True), ("held-out", 0.1, 0.1, False),
]  # fmt: skip
EXAMINED = examine(CALIBRATION + HELD_OUT)


def case(examined: Examined, doubt: Doubt | None, risk: Risk | None = None) -> Any:
    witness = SimpleNamespace(doubt=doubt, asker=None, namesakes=None)
    return SimpleNamespace(witness=witness, examined=examined, risk=risk or Risk(), notes=[])


def many(n: int = 400, wrong: bool = False) -> Examined:
    """Half calibration, half held-out; right just where the curve is sure, or nowhere."""
    rows = [("calibration" if i % 2 else "held-out", 0.9 if i % 4 < 2 else 0.2, 0.5,
             i % 4 < 2 and not wrong) for i in range(n)]  # fmt: skip
    return examine(rows)


# --- confidence ------------------------------------------------------------------------------


def test_confidence_is_scored_on_held_out_people():
    found = trust.report_confidence(EXAMINED, doubting(0.5))
    sure, raw = np.array([0.95, 0.85, 0.7, 0.1]), np.array([0.5, 0.95, 0.99, 0.1])
    right = np.array([1.0, 0.0, 1.0, 0.0])
    assert found["calibrated"]["brier"]["score"] == pytest.approx(((sure - right) ** 2).mean())
    assert found["raw"]["brier"]["score"] == pytest.approx(((raw - right) ** 2).mean())
    assert found["calibrated"]["brier"]["n"] == 4
    assert found["risk_coverage"]["risk"] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found["risk_coverage_raw"]["risk"] == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert found["area_difference"]["difference"] == pytest.approx(0)


def test_a_probability_past_one_by_rounding_is_one():
    past = replace(EXAMINED, answers=tuple(Answer(a.text, 1.0 + 1e-9) for a in EXAMINED.answers))
    found = trust.report_confidence(past, doubting(0.5))
    assert found["raw"]["brier"]["score"] == pytest.approx(0.5)


# --- when to say nothing ---------------------------------------------------------------------


def test_thresholds_are_set_on_calibration_people_and_applied_to_others():
    found = trust.report_abstention(EXAMINED, doubting(0.5), None)
    own = found["in_use"]
    assert own["threshold"] == 0.5
    assert own["answered_share"]["answered_share"] == 3 / 4
    row = found["thresholds"]["0.9"]
    assert row["threshold"] == pytest.approx(0.8)
    assert row["answered_share"]["answered_share"] == 2 / 4
    assert row["precision"]["precision"] == 1 / 2
    raw = found["raw_probability"]["0.95"]  # on calibration people 0.9 alone is always right
    assert raw["answered_share"]["answered_share"] == 2 / 4
    assert raw["precision"]["precision"] == 1 / 2
    assert [found[k] for k in ("certificate", "uncertified", "held_out", "advice")] == [None] * 4


def test_held_out_answers_change_no_threshold_and_no_certificate():
    people = many()
    held = people.select("held-out")
    other = replace(people, right=np.where(held, ~people.right, people.right))
    found = []
    for examined in (people, other):
        bound = trust.learn_case_bound(case(examined, doubting(0.5)))
        told = trust.report_abstention(examined, doubting(0.5), bound)
        values = {target: row["threshold"] for target, row in told["thresholds"].items()}
        found.append((values, told["certificate"], told["advice"]))
        precision = told["held_out"]["precision"]["precision"]
        assert precision == (1.0 if examined is people else 0.0)
    assert found[0] == found[1]
    assert found[0][1]["certified"]


def test_the_bound_is_learnt_on_calibration_people():
    people = many()
    told = people.select("calibration")
    names = [q.subject for q in people.questions if q.split == "calibration"]
    expected = learn_bound(
        people.features[told], people.right[told], FEATURES, split_people(names), 0.2, 0.05
    )
    assert trust.learn_case_bound(case(people, None, Risk(0.2, 0.05))) == expected
    assert (expected.certificate.alpha, expected.certificate.delta) == (0.2, 0.05)


def test_where_nothing_is_certified_nothing_is_answered_and_the_advice_says_what_would_do():
    people = many(wrong=True)
    bound = trust.learn_case_bound(case(people, None))
    told = trust.report_abstention(people, doubting(0.5), bound)
    assert told["certificate"]["threshold"] == REFUSE_ALL
    assert told["held_out"]["answered_share"]["answered_share"] == 0
    assert "precision" not in told["held_out"]
    assert "risk at most 0.1 with probability 0.9" in told["advice"]


# --- all of it -------------------------------------------------------------------------------


def test_without_calibration_people_there_is_a_note_and_nothing_else():
    one = case(examine(HELD_OUT), None)
    assert trust.report_trust(one) == {"confidence": None, "abstention": None, "nonexistent": None}
    assert one.notes == [trust.NO_CALIBRATION]


def test_too_few_for_a_bound_still_have_confidence(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trust, "report_strangers", lambda *_: {})
    one = case(examine(CALIBRATION[:1] + HELD_OUT), doubting(0.5))
    found = trust.report_trust(one)
    assert found["confidence"] is not None
    assert found["abstention"]["certificate"] is None
    assert len(one.notes) == 1
    assert "expected some to fit on and some to certify with" in one.notes[0]


# --- names of nobody -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def witness(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Witness:
    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("trust") / "people-0")
    return open_witness(open_run(path))


def test_strangers_are_nobody_in_the_run(witness: Witness):
    tiers = trust.make_strangers(witness, 5)
    dataset = witness.run.dataset
    text = "\n".join(d.text for d in dataset.documents)
    assert list(tiers) == ["recombined", "absent", "invented", "gibberish", "shortened"]
    for tier, names in tiers.items():
        assert len(names) == 5
        assert not set(names) & {q.subject for q in dataset.questions}
        assert all(witness.asker.spells(name) for name in names)
        assert all((name in text) == (tier == "shortened") for name in names)


def test_strangers_are_refused_by_the_runs_threshold(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(trust, "TIER", 6)
    people = witness.examine(witness.run.dataset.select("held-out"))
    for value, expected in ((0.0, 0.0), (REFUSE_ALL, 1.0)):
        one: Any = SimpleNamespace(witness=witness, examined=people)
        found = trust.report_strangers(one, doubting(value), None)
        assert {row["refused"]["refused_share"] for row in found.values()} == {expected}
        assert {row["n"] for row in found.values()} == {6}
        assert all(0 <= row["auroc"]["auroc"] <= 1 for row in found.values())
        assert {row["refused_at_bound"] for row in found.values()} == {None}


def test_refusal_at_the_bound_is_told_where_something_is_certified(
    witness: Witness, monkeypatch: pytest.MonkeyPatch
):
    """Refusing all because nothing could be certified is no merit."""
    monkeypatch.setattr(trust, "TIER", 4)
    people = witness.examine(witness.run.dataset.select("held-out"))
    one: Any = SimpleNamespace(witness=witness, examined=people)
    good = trust.learn_case_bound(case(many(), None))
    bad = trust.learn_case_bound(case(many(wrong=True), None))
    assert (good.certificate.certified, bad.certificate.certified) == (True, False)
    found = trust.report_strangers(one, doubting(0.5), good)
    assert all(0 <= row["refused_at_bound"]["refused_share"] <= 1 for row in found.values())
    found = trust.report_strangers(one, doubting(0.5), bad)
    assert {row["refused_at_bound"] for row in found.values()} == {None}
