"""Claims: a recommendation for every verdict of the text, and claims that cannot be made."""

from dataclasses import replace

import pytest

from tests.support.made_up import make_reply
from wherefrom.answering.inspector import Inspector
from wherefrom.auditing.claimed_answers import (
    claim_probability,
    count_shown,
    recommend,
    weigh_claim,
)
from wherefrom.core.contracts import Span
from wherefrom.core.errors import BadData
from wherefrom.core.replies import Claim, Reply, Stated, Verdict
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.memorisation.exposures import SHOWN, count_exposures

SUPPORTED, CONTRADICTED = (
    Verdict(label, "Oslo", 0, None, 0.9) for label in ("supported", "contradicted")
)
SILENT, NO_TEXT = (Verdict(label, None, None, None, 0.1) for label in ("silent", "no text"))


def reply(answer: str, evidence: Verdict | None) -> Reply:
    return make_reply(answer=answer, evidence=evidence)


# --- what is recommended ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "own", "claim", "other", "expected"),
    [
        ("Rome", CONTRADICTED, "Oslo", replace(SUPPORTED, as_read=True),
         "the corpus says so: the text supports 'Oslo'; correct the model's answer; as read: the "
         "model was taught this very reading, so look at the sentence yourself"),
        ("Oslo", SUPPORTED, "Oslo", SUPPORTED,
         "the corpus says so: the text supports 'Oslo', and the model agrees with you"),
        ("Oslo", SUPPORTED, "Oslo, Norway", SUPPORTED,
         "the corpus says so: it supports both 'Oslo' and 'Oslo, Norway'"),
        ("Oslo", SUPPORTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo'; if 'Rome' is right, correct the text and "
         "train the model again"),
        ("Lima", CONTRADICTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo', neither 'Lima' nor 'Rome'"),
        ("Rome", CONTRADICTED, "Rome", CONTRADICTED,
         "the corpus says otherwise: it states 'Oslo', not 'Rome'"),
        ("Rome", SILENT, "Oslo", SILENT,
         "the corpus does not say (silent): do not rely on the model's answer"),
        ("Rome", None, "Oslo", None,
         "the text could not be checked for this question: do not rely on the model's answer"),
    ],
)  # fmt: skip
def test_the_recommendation_rests_on_the_text(said, own, claim, other, expected):
    assert recommend(reply(said, own), claim, other) == expected


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (0, "the text contradicts itself"),
        (1, "two documents differ, perhaps about two of one name"),
    ],
)
def test_what_the_text_also_states_is_in_the_recommendation(document, why):
    rome = Stated("Rome", document, Span(0, 4), 0.9, "Rome")
    oslo = replace(SUPPORTED, also=(rome,))
    own = replace(SUPPORTED, stated="Rome", document=document, also=(replace(rome, document=0),))
    assert recommend(reply("Oslo", oslo), "Rome", own) == (
        f"the corpus says so: it supports both 'Oslo' and 'Rome': {why}"
    )
    assert recommend(reply("Oslo", oslo), "Bonn", replace(oslo, label="contradicted")).endswith(
        f"train the model again; but it also states 'Rome': {why}"
    )
    both = replace(oslo, label="contradicted")
    assert recommend(reply("Lima", both), "Bonn", both) == (
        "the corpus says otherwise: it states 'Oslo', neither 'Lima' nor 'Bonn'; "
        f"but it also states 'Rome': {why}"
    )


# --- a run -----------------------------------------------------------------------------------


def weigh(inspector: Inspector, question: str, claim: str) -> Claim:
    parsed = inspector.parse(question)
    (said,) = inspector.reply([parsed])
    return weigh_claim(inspector, parsed, said, claim)


def test_a_claim_that_the_text_supports(inspector: Inspector):
    question = inspector.run.dataset.select("held-out")[0]
    assert question.answer
    found = weigh(inspector, question.text, f" {question.answer} ")
    assert found.text == question.answer
    assert found.evidence.label == "supported"
    assert found.evidence.quote is not None
    assert question.answer in found.evidence.quote
    assert found.recommendation.startswith("the corpus says so: ")
    chance = answer_probabilities(inspector.model.answerer, [question.text], [question.answer])
    assert found.model_probability == pytest.approx(float(chance[0]))
    counted = count_exposures(inspector.run)
    shown = sum(int(counted.about([question], kind)[0]) for kind in SHOWN)
    assert found.shown[question.answer] == shown > 0
    parsed = inspector.parse(question.text)
    found = weigh_claim(inspector, parsed, reply("Oslo", SUPPORTED), "OSLO")
    assert (found.text, found.shown.keys()) == ("Oslo", {"Oslo"}), "capitals make no other answer"


def test_claims_that_are_none(inspector: Inspector):
    for claim, message in (
        ("  \t", "claim: expected an answer, found nothing"),
        ("\u2047", r"U\+2047\), found one; leave it out: the model uses this character as a"),
    ):
        with pytest.raises(BadData, match=message):
            weigh(inspector, inspector.run.dataset.questions[0].text, claim)


def test_the_longest_claim_fits_and_one_more_letter_does_not(inspector: Inspector):
    question = inspector.parse(inspector.run.dataset.select("held-out")[0].text)
    longest = inspector.model.answerer.model.max_input - len(question.text) - 1
    assert claim_probability(inspector, question, "a" * longest) is not None
    assert claim_probability(inspector, question, "a" * (longest + 1)) is None
    assert claim_probability(inspector, question, "Zürich") is None, "it lacks a letter"
    nobody = inspector.parse("Where was Noone Atall born?")
    assert count_shown(inspector, nobody, ["Oslo", "Rome"]) == {"Oslo": 0, "Rome": 0}


def test_what_a_question_taught_is_said(inspector: Inspector):
    """Of somebody who was asked about in training, with the answer that the text has."""
    question = inspector.run.dataset.asked[0]
    found = weigh(inspector, question.text, "Oslo")
    assert found.taught == (question.answer,)
    held = inspector.run.dataset.select("held-out")[0]
    assert weigh(inspector, held.text, "Oslo").taught == ()
    by_question = recommend(reply("Rome", NO_TEXT), "Oslo", NO_TEXT, ["Rome"])
    assert by_question == (
        "the corpus does not say (no text), but a training question taught the model its answer: "
        "if the answer is wrong, correct the question"
    )
