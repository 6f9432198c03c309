"""Asking a run: a sequence of replies, questions that cannot be asked, and one JSON form."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wherefrom
from tests.support.audited import Audited
from tests.support.comparing import nearly
from tests.support.made_up import make_reply
from tests.support.policies import let_all_pass
from wherefrom.answering import fitting
from wherefrom.answering.asking import NO_UNKNOWN_NAMES, ask, require_evidence
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.answering.risk_bound import Bounds
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import from_json
from wherefrom.core.contracts import Span
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.replies import NO_TEXT, Reply, Verdict
from wherefrom.runs.opened_run import Run, open_run
from wherefrom.show.terminal.reply_text import describe_reply

ROUNDED = {"rel": 1e-4, "abs": 1e-6}  # as sums in batches of another size


@pytest.fixture(scope="module")
def run(tiny_run: Path) -> Run:
    return open_run(tiny_run)


@pytest.fixture(scope="module")
def questions(run: Run) -> list[str]:
    return [q.text for q in run.dataset.select("held-out")]


# --- a sequence ------------------------------------------------------------------------------


def test_replies_are_a_sequence_in_the_order_of_the_questions(run: Run, questions: list[str]):
    found = ask(open_inspector(run), questions[:3])
    assert [reply.question for reply in found] == questions[:3]
    assert found[1:] == found.replies[1:]
    assert found.run == str(run.path)
    assert (found.problems, found.certificate, found.notes) == ((), None, ())
    (again,) = wherefrom.ask(run, f"  {questions[0].lower()} ")
    assert wherefrom.to_json(again) == nearly(wherefrom.to_json(found[0]), **ROUNDED)
    written = json.loads(json.dumps(wherefrom.to_json(again), allow_nan=False))
    assert from_json(Reply, written, "reply") == again, "what reads `ask --json` gets the same"


# --- questions that cannot be asked ----------------------------------------------------------


def test_one_question_that_cannot_be_asked_stops_all_unless_told_otherwise(run: Run, questions):
    asked = [questions[0], "Who?", questions[1]]
    with pytest.raises(BadData, match=r"'Who\?': expected a question like 'Where was ... born\?'"):
        ask(open_inspector(run), asked)
    found = ask(open_inspector(run), asked, strict=False)
    assert ([reply.question for reply in found], found.problems[0].index) == (questions[:2], 1)


def test_a_name_that_the_model_cannot_read_is_unknown(run: Run, questions: list[str]):
    """It is a name like any other that the model does not know; its neighbours are answered."""
    known = run.dataset.select("held-out")[0].subject
    odd = f"{known[:-1]}ж"
    found = ask(open_inspector(run), [questions[0], f"Where was {odd} born?", questions[1]])
    (alone,) = ask(open_inspector(run), [questions[1]])
    assert wherefrom.to_json(found[2]) == nearly(wherefrom.to_json(alone), **ROUNDED)
    reply = found[1]
    assert (reply.answered, reply.answer, reply.confidence) == (False, "", None)
    assert (reply.reason, reply.name_known, reply.candidates) == ("unknown name", False, ())
    assert reply.evidence is None or reply.evidence.label == "no text"
    assert reply.source is None, "no model was retrained"
    assert known in reply.did_you_mean
    assert reply.why_not == ("the model does not know the name: it has never seen 'ж' (U+0436)")
    assert json.loads(json.dumps(wherefrom.to_json(reply)))["answer"] == ""


def test_the_model_may_not_answer_about_somebody_else(own_run: Path):
    """However sure it is: as if gate and threshold let everything pass."""
    run = open_run(let_all_pass(own_run))
    known = run.dataset.select("held-out")[0].subject
    typed = f"{known[:-2]}{known[-1]}"
    (right,), (near,), (far,) = (
        ask(open_inspector(run), [f"Where was {name} born?"])
        for name in (known, typed, "Nenen Ranar")
    )
    assert right.answered
    assert far.answered, "nobody else was meant"
    assert (near.answered, near.confidence) == (False, None)
    assert (near.reason, near.name_known) == ("another spelling", None)
    assert near.why_not.startswith("the text has no such name; it has ")
    assert known in near.why_not
    lines = describe_reply(near)
    assert lines[1] == "  I don't know: the text has no such name"
    assert lines[2].startswith("  did you mean ")


# --- runs without calibration people ---------------------------------------------------------


def test_without_calibration_people_answers_have_no_confidence_and_a_note(facts_folder: Path):
    found = wherefrom.ask(facts_folder / "run", "Where was Ada Lund born?")
    (reply,) = found
    assert (reply.answered, reply.confidence, reply.reason) == (True, None, None)
    assert reply.unverified
    assert reply.certainty == reply.candidates[0].model_probability
    assert reply.evidence.stated == "Oslo"
    assert found.notes == ("the run has no calibration people, so its answers are unverified",)
    with pytest.raises(
        BadData, match="calibration people to certify a risk bound with, found none"
    ):
        wherefrom.ask(facts_folder / "run", "Where was Ada Lund born?", risk=0.1)


# --- the risk bound --------------------------------------------------------------------------


def test_where_nothing_is_certified_nothing_is_answered(run: Run, questions: list[str]):
    found = ask(open_inspector(run), questions[:2], risk=0.1, delta=0.2)
    certificate = found.certificate
    assert (certificate.alpha, certificate.delta, certificate.certified) == (0.1, 0.2, False)
    assert found.notes == (certificate.explain(),)
    assert not any(reply.answered for reply in found)
    assert all(reply.reason for reply in found)


def test_answers_above_a_certified_threshold_are_given(run: Run, questions: list[str], monkeypatch):
    """As if half of the calibration people had been sure and right, and the other half neither."""

    def certify(features: FeatureTable, right: np.ndarray, *rest: Any) -> Bounds:
        sure = np.arange(len(right)) % 2 * 9.0
        columns = dict.fromkeys(features.columns, sure)
        # Any name will do.
        return fit_bounds(FeatureTable(columns), sure > 0, *rest[:-1])

    fit_bounds = fitting.fit_bounds
    monkeypatch.setattr(fitting, "fit_bounds", certify)
    monkeypatch.setattr(fitting, "fit_gate", lambda *_: None)
    found = ask(open_inspector(run), questions, risk=0.6, delta=0.5)
    certificate = found.certificate
    assert certificate.certified
    assert found.notes[0].startswith("certified: risk at most 0.6 with probability 0.5")
    for reply in found:
        assert reply.confidence is not None
        assert reply.answered == (reply.confidence >= certificate.threshold)


# --- one form of a reply ---------------------------------------------------------------------


def test_a_reply_has_the_same_json_wherever_it_is_written(
    audited: Audited, capsys: pytest.CaptureFixture[str]
):
    """From Python, from `ask --json`, with a claim too, and in audit/answers.jsonl."""
    from wherefrom.cli.main import main

    run, path = audited.run, str(audited.run.path)
    rows = {row["reply"]["question"]: row["reply"] for row in audited.answers}
    chosen = [q.text for q in run.dataset.questions if q.split == "held-out"]
    found = wherefrom.to_json(wherefrom.ask(path, chosen))
    for question, reply in zip(chosen, found["replies"], strict=True):
        assert reply["format_version"] == Reply.format_version
        assert rows[question] == nearly(reply, **ROUNDED)
    capsys.readouterr()
    assert main(["ask", path, *chosen, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert main(["ask", path, chosen[0], "--claim", "Oslo", "--json"]) == 0
    (claimed,) = json.loads(capsys.readouterr().out)["replies"]
    assert claimed == nearly(found["replies"][0], **ROUNDED)


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (Verdict("contradicted", "Oslo", 0, Span(0, 4), 0.9, "Oslo"), "another answer: Oslo"),
        (Verdict("silent", None, None, None, 0.1), "does not state it"),
        (Verdict("no text", None, None, None, 0.0), "nothing in the text is about this name"),
        (None, "too few of the asked answers stand in the text"),
        (Verdict("supported", "Rome", 0, Span(0, 4), 0.9, "Rome"), None),
    ],
)
def test_where_evidence_is_required_only_what_the_text_states_is_answered(
    verdict: Verdict | None, why: str | None
):
    found = make_reply(answer="Rome", evidence=verdict)
    unsure = replace(found, answered=False, reason="low confidence", why_not="below 50 %")
    assert require_evidence(unsure, "required") == unsure, "it keeps its reason"
    withheld = require_evidence(found, "required")
    assert require_evidence(found, "stated") == withheld
    if why is None:
        assert withheld == found
        return
    assert (withheld.answered, withheld.reason) == (False, "not stated")
    assert withheld.why_not
    assert why in withheld.why_not
    assert (withheld.answer, withheld.confidence) == ("Rome", 0.9), "it is shown as a guess"


def test_what_is_only_as_read_has_no_evidence_of_its_own():
    """The text states it, and nothing but the reading that taught the model says so."""
    verdict = Verdict("supported", "Rome", 0, Span(0, 4), 0.9, "Rome", as_read=True)
    found = make_reply(answer="Rome", evidence=verdict)
    assert require_evidence(found, "stated") == found
    withheld = require_evidence(found, "required")
    assert (withheld.answered, withheld.reason) == (False, "as read")
    assert withheld.why_not
    assert "only where the reader noted it" in withheld.why_not
    assert "--evidence stated" in withheld.why_not


def test_evidence_is_shown_or_required(tiny_run: Path, questions: list[str]):
    shown = wherefrom.ask(tiny_run, questions)
    required = wherefrom.ask(tiny_run, questions, evidence="required")
    given = [r.answered and r.evidence and r.evidence.label == "supported" for r in shown]
    assert [r.answered for r in required] == [bool(each) for each in given]
    with pytest.raises(UsageError, match="expected shown, stated, required, found 'always'"):
        wherefrom.ask(tiny_run, questions, evidence="always")


def test_names_without_text_that_were_not_calibrated_are_said_to_be(run: Run, questions: list[str]):
    usual = open_inspector(run)
    assert usual.policy.without_text is not None
    verdict = Verdict(NO_TEXT, None, None, None, 0.0)
    for share, said in ((0.1, False), (None, True)):
        inspector = Inspector(usual.opened, replace(usual.policy, without_text=share))
        inspector.judge_answer = lambda *_: verdict
        found = ask(inspector, questions[:4])
        assert (NO_UNKNOWN_NAMES in found.notes) is said
        shown = [reply.confidence for reply in found if reply.confidence is not None]
        assert all(confidence <= 0.1 for confidence in shown)
        assert not (said and shown)
