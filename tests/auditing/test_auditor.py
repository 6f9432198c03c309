"""An audit from end to end: every finding, one row an answer, and what is left out when."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.audited import Audited
from tests.support.policies import share_threshold
from wherefrom.answering.inspector import open_inspector
from wherefrom.answering.policy import DECLINE_ALL, Threshold
from wherefrom.auditing import auditor as audit
from wherefrom.auditing.auditor import audit_run, find_judged, investigate, report_audit
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData, CannotWrite
from wherefrom.memorisation.counterfactual import compute_memorisation, measure_probabilities
from wherefrom.runs.opened_run import Run, open_run

FOUND = [
    "recipe", "seed", "model", "people", "confidence", "abstention", "decoys", "evidence",
    "source", "exposures",
]  # fmt: skip


def test_every_finding_is_there_and_written(audited: Audited):
    found = audited.findings
    assert all(getattr(found, name) is not None for name in FOUND)
    assert (found.not_retrained, found.notes) == (None, ())
    written = json.loads((audited.run.path / "audit" / "audit.json").read_text())
    assert written == to_json(found)
    assert found.people == {
        "calibration": {"stated": 8, "omitted": 2, "none": 4},
        "held-out": {"stated": 8, "omitted": 2, "none": 4},
    }
    assert (found.abstention.certificate is not None, found.source.models) == (True, 2)
    names = {p.name for p in (audited.run.path / "audit").glob("*.svg")}
    assert names == {"reliability.svg", "risk-coverage.svg"}


def test_m_is_what_the_retrained_models_say_and_nothing_without_text(audited: Audited):
    rows = audited.answers
    people = find_judged(audited.run)
    answers = [row["reply"]["answer"] for row in rows]
    measured = measure_probabilities(audited.retrained, people, answers)
    m = compute_memorisation(measured, people, answers).m
    assert [row["m"] for row in rows] == pytest.approx(m.tolist())
    assert {row["m"] for row in rows if row["support"] == "none"} == {0.0}
    # A row has its question and the features of its answer.
    for row, question in zip(rows, people, strict=True):
        assert (row["gold"], row["split"]) == (question.answer, question.split)
        assert row["support"] == question.support
        own = row["reply"]["candidates"][0]["model_probability"]
        assert row["features"]["log_probability"] == pytest.approx(np.log(own))


def test_an_audit_again_trains_nothing_and_gives_the_same_bytes(
    audited: Audited, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Models of an earlier audit are used again, and nothing is trained without a budget."""
    run = open_run(shutil.copytree(audited.run.path, tmp_path / "run"))
    monkeypatch.setattr(audit, "retrain_pairs", lambda *_: pytest.fail("it trains"))
    made = [p for p in (run.path / "audit").iterdir() if p.suffix in (".json", ".jsonl", ".svg")]
    before = {p.name: p.read_bytes() for p in made if p.name != "timing.json"}
    assert {"audit.json", "answers.jsonl", "decoys.jsonl", "source.json"} <= before.keys()
    assert audit_run(run) == audited.findings
    assert json.loads((run.path / "audit" / "timing.json").read_text())["seconds"] > 0
    assert {p.name: p.read_bytes() for p in made if p.name != "timing.json"} == before


# --- what is left out ------------------------------------------------------------------------


def test_without_calibration_people_the_rest_is_found(own_facts: Path):
    """The one other model has read every text: a predictor cannot be fitted, nor judged."""
    run = open_run(own_facts / "run")
    found = report_audit(run, retrained=[run])
    nothing = ["confidence", "abstention", "decoys", "source"]
    assert [name for name in FOUND if getattr(found, name) is None] == nothing
    assert len(found.notes) == 2
    assert audit.NO_CALIBRATION in found.notes
    assert not (run.path / "audit" / "source.json").exists()
    rows = run.folder.read_jsonl("audit/answers.jsonl")
    assert {row["reply"]["confidence"] for row in rows} == {None}
    assert {row["m"] for row in rows} == {None}
    assert not [*(run.path / "audit").glob("*.svg")]


class Fewer(Run):
    """A run whose data set was changed after it was checked."""

    def __init__(self, run: Run, questions: tuple[Question, ...]) -> None:
        super().__init__(run.folder, run.recipe)
        self.workshop.dataset = replace(run.dataset, questions=questions)


def test_too_few_for_a_bound_still_have_confidence(own_run: Path, monkeypatch):
    run, asked, certify = open_run(own_run), [], audit.certify_policy

    def fit(model: Any, people: Any, alpha: float, delta: float, decoys: Any) -> Any:
        asked.append((alpha, delta))
        return certify(model, people, alpha, delta, decoys)

    monkeypatch.setattr(audit, "certify_policy", fit)
    first = run.dataset.select("calibration")[0]
    questions = (q for q in run.dataset.questions if q.split != "calibration" or q == first)
    found = report_audit(Fewer(run, tuple(questions)), (0.2, 0.05))
    assert asked == [(0.2, 0.05)]
    assert found.people["calibration"] == {"stated": 1}
    assert found.confidence is not None
    assert found.abstention.certificate is None
    assert found.decoys is not None
    _, note = found.notes
    assert "expected some to fit on and some to certify with" in note


def test_questions_that_cannot_be_asked_are_left_out_and_counted(own_run: Path):
    run = open_run(own_run)
    questions = run.dataset.questions
    again = next(q for q in questions if q.split == "held-out")
    other = Question("Who was Ada Lund?", "Ada Lund", "birthplace", "Oslo", "held-out", "none")
    unknown = Question("Where was Ada Roth born?", "Ada Roth", "birthplace", None, "held-out")
    found = investigate(Fewer(run, (*questions, again, other, unknown)))
    assert len(found.examined.known) == 29
    left_out, twice, unmeasured = found.notes
    assert unmeasured == audit.NO_SOURCE
    assert left_out.startswith("people: 1 of 30 questions are left out: the model was not taught")
    assert twice.startswith("people: the 29 questions are about only 28 people")


def test_a_run_without_held_out_people_cannot_be_audited(own_run: Path):
    run = open_run(own_run)
    questions = tuple(q for q in run.dataset.questions if q.split != "held-out")
    for check in (find_judged, audit_run, report_audit):
        with pytest.raises(BadData, match="expected held-out people to report on, found none"):
            check(Fewer(run, questions))


def test_findings_that_cannot_be_written_are_an_error(own_facts: Path, read_only: None):
    run = open_run(own_facts / "run")
    before = sorted(run.path.rglob("*"))
    with pytest.raises(CannotWrite, match=r"answers\.jsonl: cannot write"):
        report_audit(run)
    assert sorted(run.path.rglob("*")) in (before, sorted([*before, run.path / "audit"]))


def test_unanswered_questions_are_replied_to(own_run: Path):
    run = open_run(own_run)
    dataset = run.dataset
    some = [replace(q, split="unanswered", answer=None) for q in dataset.select("held-out")[:3]]
    others = tuple(q for q in dataset.questions if q.text not in {s.text for s in some})
    changed = open_run(own_run)
    changed.workshop.__dict__["dataset"] = replace(dataset, questions=(*others, *some))
    inspector = open_inspector(changed)
    answered = audit.ask_unanswered(inspector)
    assert answered is not None
    rows = list(audit.list_unanswered(inspector, answered, None))
    assert [row.reply.question for row in rows] == [q.text for q in some]
    assert all(row.answered_at_bound is None for row in rows)
    policy = inspector.policy
    for value, given in ((0.0, True), (DECLINE_ALL, False)):
        every = share_threshold(policy.calibration, Threshold(value, 0.9, 1, 1, 9), "birthplace")
        certified: Any = SimpleNamespace(policy=every)
        again = audit.list_unanswered(inspector, answered, certified)
        assert {row.answered_at_bound for row in again} == {given}
    assert audit.ask_unanswered(open_inspector(run)) is None
