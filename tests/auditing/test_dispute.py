"""Disputes: a recommendation for every reading of the text, and claims that cannot be made."""

import json
import shutil
from pathlib import Path

import pytest

from wherefrom.answering.asking import Reply
from wherefrom.auditing.dispute import claim_probability, count_shown, recommend, settle
from wherefrom.auditing.inspector import Testimony as Told
from wherefrom.auditing.inspector import Witness, open_witness
from wherefrom.core.contracts import Answer
from wherefrom.core.errors import BadData
from wherefrom.core.replies import Verdict
from wherefrom.memorisation.counterfactual import probabilities
from wherefrom.memorisation.exposures import SHOWN, count_exposures
from wherefrom.memorisation.predictor import Source
from wherefrom.runs.run import open_run

SUPPORTED, CONTRADICTED = (Verdict(label, "Oslo", 0, None, 0.9) for label in
                           ("supported", "contradicted"))  # fmt: skip
SILENT, NO_TEXT = (Verdict(label, None, None, None, 0.1) for label in ("silent", "no text"))


def told(answer: str, evidence: Verdict | None, source: str = "recalled") -> Told:
    reply = Reply("Where was Ada born?", Answer(answer, 0.5), 0.9, True)
    return Told(reply, evidence, None, Source(source, 0.7))


# --- what is recommended ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "own", "claim", "other", "expected"),
    [
        ("Rome", CONTRADICTED, "Oslo", SUPPORTED,
         "the corpus says so: 'Oslo' stands in the text; correct the model's answer"),
        ("Oslo", SUPPORTED, "Oslo", SUPPORTED,
         "the corpus says so: 'Oslo' stands in the text, and the model agrees with you"),
        ("Oslo", SUPPORTED, "Oslo, Norway", SUPPORTED,
         "the corpus says so: it supports both 'Oslo' and 'Oslo, Norway'"),
        ("Oslo", SUPPORTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo'; if 'Rome' is right, the text is what must "
         "be corrected, and the model trained again"),
        ("Lima", CONTRADICTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo', neither 'Lima' nor 'Rome'"),
        ("Rome", CONTRADICTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo', not 'Rome'"),
        ("", CONTRADICTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo', not 'Rome'"),
        ("Rome", SILENT, "Oslo", SILENT,
         "the corpus does not say (silent), though the model answers as if it recalled it: do "
         "not rely on its answer"),
        ("Rome", None, "Oslo", None,
         "the text could not be read for this question, though the model answers as if it "
         "recalled it: do not rely on its answer"),
    ],
)  # fmt: skip
def test_the_recommendation_rests_on_the_text(said, own, claim, other, expected):
    assert recommend(told(said, own), claim, other) == expected


def test_without_text_a_guess_is_called_one():
    found = recommend(told("Rome", NO_TEXT, "guessed"), "Oslo", NO_TEXT)
    assert found == (
        "the model is guessing, and the corpus does not say (no text): do not rely on its answer"
    )


# --- a run -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def witness(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Witness:
    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("disputes") / "people-0")
    return open_witness(open_run(path))


def test_a_claim_that_the_text_supports(witness: Witness):
    question = witness.run.dataset.select("held-out")[0]
    assert question.answer
    found = settle(witness, question.text, f" {question.answer} ")
    assert found.claim == question.answer
    assert found.claim_evidence is not None
    assert found.claim_evidence.label == "supported"
    assert found.claim_quote is not None
    assert question.answer in found.claim_quote
    assert found.recommendation.startswith("the corpus says so: ")
    chance = answer_probabilities(witness.asker.answerer, [question.text], [question.answer])
    assert found.claim_probability == pytest.approx(float(chance[0]))
    counted = count_exposures(witness.run)
    shown = sum(int(counted.about([question], kind)[0]) for kind in SHOWN)
    assert found.shown[question.answer] == shown > 0
    assert json.loads(json.dumps(found.as_json()))["claim"]["text"] == question.answer


def test_a_claim_that_the_text_contradicts(witness: Witness):
    question = witness.run.dataset.select("held-out")[0]
    places = {q.answer for q in witness.run.dataset.questions if q.answer}
    text = "\n".join(d.text for d in witness.run.dataset.documents if question.subject in d.text)
    claim = min(place for place in places if place not in text)
    found = settle(witness, question.text, claim)
    assert found.claim_evidence is not None
    assert (found.claim_evidence.label, found.shown[claim]) == ("contradicted", 0)
    assert f"the corpus says otherwise: it states '{question.answer}'" in found.recommendation


def test_somebody_without_text(witness: Witness):
    question = witness.run.dataset.select("held-out", ("none",))[0]
    found = settle(witness, question.text, "Oslo")
    assert "the corpus does not say (no text)" in found.recommendation
    assert found.recommendation.endswith("do not rely on its answer")
    assert set(found.shown.values()) == {0}


def test_what_the_model_says_itself_is_read_once(witness: Witness):
    question = witness.run.dataset.select("held-out")[0]
    said = witness.testify([question.text])[0].reply.answer
    other = next(o.text for o in (said, *said.others) if o.text.strip())
    found = settle(witness, question.text, other)
    assert len(found.readings) == (1 if said.text == other else 2)
    same = told("Oslo", SUPPORTED)
    assert recommend(same, "Oslo", SUPPORTED).endswith("the model agrees with you")


def test_nothing_is_shown_of_an_answer_that_no_line_has(witness: Witness):
    assert count_shown(witness, "Nobody At All", "birthplace", ["Oslo", "Rome"]) == {
        "Oslo": 0, "Rome": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("", "expected a claimed answer, found nothing"),
        ("  \t", "expected a claimed answer, found nothing"),
        ("\u25a1", r"U\+25A1\), found one; the model needs it for itself"),
        ("\u2047", r"U\+2047\), found one; the model needs it for itself"),
    ],
)
def test_claims_that_are_none(witness: Witness, claim: str, message: str):
    with pytest.raises(BadData, match=message):
        settle(witness, witness.run.dataset.questions[0].text, claim)


def test_a_claim_that_the_model_cannot_write_is_weighed_by_the_text_alone(witness: Witness):
    question = witness.run.dataset.select("held-out")[0]
    for claim in ("Zürich", "a\nb", "a" * 200):
        found = settle(witness, question.text, claim)
        assert found.claim_probability is None
        assert found.as_json()["claim"]["model_probability"] is None
        assert f"the corpus says otherwise: it states '{question.answer}'" in found.recommendation


def test_the_longest_claim_fits_and_one_more_letter_does_not(witness: Witness):
    question = witness.run.dataset.select("held-out")[0].text
    longest = witness.asker.answerer.model.max_input - len(question) - 1
    assert claim_probability(witness, question, "a" * longest) is not None
    assert claim_probability(witness, question, "a" * (longest + 1)) is None


def test_what_a_question_taught_is_said(witness: Witness):
    """Of somebody who was asked about in training, with the answer that the text has."""
    question = witness.run.dataset.asked[0]
    found = settle(witness, question.text, "Oslo")
    assert found.taught == (question.answer,)
    assert found.shown_in_words.endswith(f"; asked, and taught to say '{question.answer}'")
    held = witness.run.dataset.select("held-out")[0]
    assert settle(witness, held.text, "Oslo").taught == ()
    by_question = recommend(told("Rome", NO_TEXT, "recalled"), "Oslo", NO_TEXT, ["Rome"])
    assert by_question == (
        "the corpus does not say (no text), but the model was taught so by a question: "
        "if that is wrong, correct it"
    )
