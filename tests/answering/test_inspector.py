"""The inspector: what it knows of a run, what it keeps beside it, and what it replies."""

from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.following import follow
from wherefrom.answering.inspector import Inspector, OpenedRun, open_inspector
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.core.replies import Reply, Source
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run

FORM = Form("Where was ", " born?")


@pytest.fixture
def path(inspector: Inspector) -> Path:
    return inspector.run.path


def ask(inspector: Inspector, *texts: str) -> list[Reply]:
    return inspector.reply([inspector.parse(text) for text in texts])


# --- replies ---------------------------------------------------------------------------------


def test_a_reply_has_the_answer_and_the_evidence(inspector: Inspector):
    people = inspector.run.dataset.select("held-out")[:3]
    answered = inspector.model.answer([inspector.parse(q.text) for q in people])
    policy = inspector.policy
    asked = ["birthplace"] * len(people)
    confidence = policy.confidence(answered.features, asked)
    given = policy.answers(answered.features, asked)
    known = policy.knows_name(answered.features)
    found = ask(inspector, *(q.text for q in people))
    for i, (question, answer, reply) in enumerate(
        zip(people, answered.answers, found, strict=True)
    ):
        assert (reply.question, reply.subject) == (question.text, question.subject)
        assert (reply.relation, reply.answer) == (question.relation, answer.text)
        assert [c.text for c in reply.candidates] == [answer.text, *(o.text for o in answer.others)]
        assert reply.candidates[0].model_probability == pytest.approx(answer.probability)
        assert (reply.answered, reply.name_known) == (given[i], known[i])
        assert reply.confidence == (pytest.approx(confidence[i]) if known[i] else None)
        assert reply.evidence.quote is not None
        assert question.subject in reply.evidence.quote
        assert reply.evidence.span.of(reply.evidence.quote) == reply.evidence.stated
        assert reply.source is None, "no model was retrained"
        assert (reply.took_notes, reply.note, reply.evidence.as_read) == (False, None, False)
    assert inspector.reply([]) == []
    asked = inspector.run.dataset.asked[0].text
    assert [r.trained_on for r in (*ask(inspector, asked), *found)] == [True, False, False, False]


def test_a_reply_names_the_note_and_its_sentence(relations_run: Path):
    inspector = open_inspector(open_run(relations_run))
    person = inspector.run.dataset.select("held-out")[0]
    (reply,) = ask(inspector, person.text)
    note = reply.note
    assert reply.took_notes
    text = inspector.run.dataset.documents[note.document].text
    assert person.subject in text
    assert (note.value, note.span.of(text), note.sentence) == (person.answer, person.answer, text)
    assert note.agrees == (reply.answer == person.answer)
    (unknown,) = ask(inspector, FORM.fill("Ada Rothfalk"))
    assert (unknown.took_notes, unknown.note) == (True, None)
    assert not ask(inspector, person.text)[0].trained_on


def test_without_a_fact_checker_there_is_no_evidence(path: Path):
    inspector = open_inspector(open_run(path))
    unknown = ParsedQuestion("Where did Ada Lund die?", FORM, "Ada Lund", "deathplace")
    assert inspector.judge_answer(unknown, "Oslo") is None, "that relation was not learnt"
    inspector.opened.__dict__["fact_checker"] = None  # as if the text had too few answers
    question = inspector.run.dataset.select("held-out", ("none",))[0].text
    (reply,) = ask(inspector, question)
    assert reply.evidence is None


def test_without_text_there_is_nothing_to_recall(inspector: Inspector):
    """However sure the predictor is: training without a text that is not there changes nothing."""
    sure: Any = SimpleNamespace(predict=lambda *_: [Source("recalled", 0.99)])
    inspector = inspector.with_predictor(sure)
    stated, without = (
        inspector.run.dataset.select("held-out", (support,))[0] for support in ("stated", "none")
    )
    assert ask(inspector, stated.text)[0].source == Source("recalled", 0.99)
    (reply,) = ask(inspector, without.text)
    assert reply.source == Source("guessed", 0.0)
    assert (reply.evidence.label, reply.evidence.quote) == ("no text", None)


# --- the policy ------------------------------------------------------------------------------


def test_a_policy_that_was_not_written_is_fitted_on_calibration_people(own_run: Path):
    written = OpenedRun(open_run(own_run)).policy
    RunFolder(own_run).remove("audit/confidence.json")
    fitted_now = OpenedRun(open_run(own_run)).policy
    assert fitted_now.calibration.weights == pytest.approx(written.calibration.weights)
    assert fitted_now.threshold.n == written.threshold.n == 8 + 2 + 4
    assert not (own_run / "audit" / "confidence.json").exists()


def test_evidence_names_a_document_as_the_users_file_does(path: Path, monkeypatch):
    run = open_run(path)
    inspector = open_inspector(run)
    asked = next(q for q in run.dataset.asked if q.support == "stated")
    question = inspector.parse(asked.text)
    verdict = inspector.judge_answer(question, asked.answer or "")
    assert verdict.document is not None
    assert verdict.document_id is None
    documents = tuple(replace(d, id=f"line {i}") for i, d in enumerate(run.dataset.documents))
    named = replace(run.dataset, documents=documents)
    monkeypatch.setattr(Run, "dataset", property(lambda self: named))
    again = inspector.judge_answer(question, asked.answer or "")
    assert again == replace(verdict, document_id=f"line {verdict.document}")


# --- the way of a question -------------------------------------------------------------------

PATH = {"inspector", "question_parser", "closed_book", "features", "policy"}
MODULES = 55  # of the whole package, the decoder, the model and the extractor among them


def test_a_question_passes_five_modules_of_the_room(inspector: Inspector):
    """Downwards only: nothing below calls them back, nor do they call each other in a circle."""
    first, second = (q.text for q in inspector.run.dataset.select("held-out")[:2])
    ask(inspector, first)  # opens the parts of the run
    calls = follow(lambda: ask(inspector, second))
    modules = {callee for _, callee in calls}
    assert {m.split(".")[1] for m in modules if m.startswith("answering.")} == PATH
    assert len(modules) <= MODULES
    above = {"memorisation", "recipes", "experiments", "auditing", "show", "course", "api", "cli"}
    assert not {m.split(".")[0] for m in modules} & above
    inside = {(a, b) for a, b in calls if b.startswith("answering.") and a not in ("", b)}
    assert [a for a, _ in inside if not a.startswith("answering.")] == []
    callees: dict[str, set[str]] = {}
    for caller, callee in inside:
        callees.setdefault(caller, set()).add(callee)
    TopologicalSorter(callees).prepare()  # raises if there is a circle
