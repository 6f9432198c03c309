"""Replies and claims in words: every line, and no line where there is nothing to say."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.made_up import make_reply
from wherefrom.core.contracts import Span
from wherefrom.core.replies import (
    LOW_CONFIDENCE,
    UNKNOWN_NAME,
    Claim,
    NotedValue,
    RankedAnswer,
    Source,
    Stated,
    Verdict,
)
from wherefrom.show.terminal.reply_text import describe_claim, describe_examples, describe_reply

SUPPORTED = Verdict("supported", "Oslo", 3, Span(10, 14), 0.99, "Ada is from Oslo.")
NOTE = NotedValue("Oslo", 0.97, 3, Span(12, 16), "Ada is from Oslo.", True)
CONTRADICTED = replace(SUPPORTED, label="contradicted")
SILENT, NO_TEXT = (Verdict(label, None, None, None, 0.0) for label in ("silent", "no text"))
REPLY = make_reply(
    confidence=0.136,
    candidates=(RankedAnswer("Oslo", 0.4), RankedAnswer("Rome", 0.214), RankedAnswer("", 0.1)),
    evidence=SUPPORTED,
    source=Source("recalled", 0.9),
)
DECLINED = {"answered": False, "reason": LOW_CONFIDENCE}


def test_a_reply_line_by_line():
    assert describe_reply(REPLY) == [
        "Where was Ada Lund born?",
        "  Oslo (13.6 % sure)",
        "  the model's own ranking: Oslo 40.0 %, Rome 21.4 %, nothing 10.0 %",
        '  evidence: supported by "Ada is from Oslo."',
        "  source: recalled (probability of recall 90.0 %)",
    ]


def test_why_an_answer_is_not_given_has_a_line_of_its_own():
    why = "no such question is answered: no threshold reaches 90 %"
    found = describe_reply(replace(REPLY, **DECLINED, why_not=why))
    assert found[2] == f"  why not: {why}"
    unknown = replace(REPLY, answered=False, reason=UNKNOWN_NAME, why_not="the model does not ...")
    assert not any("why not" in line for line in describe_reply(unknown)), "the line above says it"


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"confidence": None}, "  Oslo"),
        (DECLINED, "  I don't know; best guess Oslo, 13.6 %"),
        (DECLINED | {"confidence": 0.7496, "needs": 0.75},
         "  I don't know; best guess Oslo, 74.9 %, needs 75.0 %"),
        ({"confidence": None, "unverified": True},
         "  Oslo (unverified: no threshold was shown to keep the risk; 40.0 % by the model's "
         "own probability)"),
        (DECLINED | {"confidence": None, "unverified": True, "needs": 0.75},
         "  I don't know; best guess Oslo, 40.0 % by the model's own probability, needs 75.0 %"),
        ({"answered": False, "reason": UNKNOWN_NAME, "confidence": None},
         "  I don't know: the model does not know the name (its best guess is Oslo)"),
        ({"answer": ""}, "  nothing (13.6 % sure)"),
    ],
)  # fmt: skip
def test_the_answer(changed, line):
    assert describe_reply(replace(REPLY, **changed))[1] == line


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"evidence": CONTRADICTED}, '  evidence: contradicted by "Ada is from Oslo."'),
        ({"evidence": SILENT}, "  evidence: silent (the text about this name does not state it)"),
        ({"evidence": replace(SUPPORTED, as_read=True)},
         '  evidence: as read in "Ada is from Oslo." (the reader reads the sentence of its own '
         "note again: this confirms nothing)"),
        ({"took_notes": True}, "  note: no note"),
        ({"took_notes": True, "note": NOTE},
         '  note: Oslo (score 97.0 %; as the model answers) from "Ada is from Oslo."'),
        ({"took_notes": True, "note": replace(NOTE, agrees=False, document_id="p7")},
         '  note: Oslo (score 97.0 %; the model answers otherwise) from "Ada is from Oslo." of p7'),
    ],
)  # fmt: skip
def test_what_the_text_says_and_what_the_reader_noted(changed, line):
    assert line in describe_reply(replace(REPLY, **changed))


def test_what_is_not_known_has_no_line():
    bare = replace(REPLY, evidence=None, source=None, candidates=REPLY.candidates[:1])
    assert describe_reply(bare) == ["Where was Ada Lund born?", "  Oslo (13.6 % sure)"]


def test_what_else_a_reader_must_know():
    source, names = Source("guessed", 0.04), ("Ada Lind", "Ida Lund")
    lines = describe_reply(replace(REPLY, source=source, trained_on=True, did_you_mean=names))
    assert lines[2] == "  did you mean Ada Lind or Ida Lund?"
    assert lines[-2] == "  source: guessed (probability of recall 4.0 %)"
    assert lines[-1].startswith("  the model was trained on this very question; ")


def test_terminal_escapes_are_shown_and_not_sent():
    spoilt = replace(REPLY, question="\x1b[2J?", answer="\x1b]0;x\x07", did_you_mean=("\u202eA",))
    assert not any(c in line for line in describe_reply(spoilt) for c in "\x1b\x07\u202e")


def test_a_claim_line_by_line():
    counts = {"Oslo": 7000, "Rome": 0}
    claim = Claim("Rome", 0.214, CONTRADICTED, counts, ("Oslo",), "the corpus says so: ...")
    assert describe_claim(REPLY, claim) == [
        "Where was Ada Lund born?",
        "  the model says: Oslo (13.6 % sure)",
        "  source: recalled (probability of recall 90.0 %)",
        "  you say: Rome (the model's own probability of it is 21.4 %)",
        '  evidence on the model\'s answer: supported by "Ada is from Oslo."',
        '  evidence on your answer: contradicted by "Ada is from Oslo."',
        "  shown in training: 'Oslo' 7,000 times, 'Rome' 0 times; a training "
        "question taught 'Oslo'",
        "  the corpus says so: ...",
    ]
    agreed = describe_claim(REPLY, replace(claim, text=REPLY.answer))
    evidence = [line.split(":")[0] for line in agreed if "evidence" in line]
    assert evidence == ["  evidence on the model's answer"]


def test_a_claim_without_text():
    claim = Claim("Zürich", None, NO_TEXT, {"Oslo": 0}, (), "...")
    lines = describe_claim(replace(REPLY, source=None, evidence=None), claim)
    assert lines[2] == "  you say: Zürich (the model cannot write it)"
    assert lines[3] == "  evidence on your answer: no text (nothing in the text is about this name)"
    assert lines[4] == "  shown in training: 'Oslo' 0 times"


def test_what_the_text_also_states_is_shown_with_its_reason():
    other = Stated("Rome", 3, Span(22, 26), 0.9, "Ada is from Oslo, or Rome.")
    elsewhere = replace(other, document=4)
    said = describe_reply(replace(REPLY, evidence=replace(SUPPORTED, also=(other, elsewhere))))
    assert said[4:6] == [
        '  also stated: Rome by "Ada is from Oslo, or Rome." (the text contradicts itself)',
        '  also stated: Rome by "Ada is from Oslo, or Rome." (another document: two of one name?)',
    ]


# --- examples ---------------------------------------------------------------------------------

RIGHT = SimpleNamespace(
    question="Where was Ada born?", subject="Ada", answer="Oslo", prediction="Oslo", right=True,
    model_probability=0.8, confidence=0.75, evidence=None,
)  # fmt: skip
WRONG = SimpleNamespace(
    question="Where was Bo born?", subject="Bo", answer="Rome", prediction="", right=False,
    model_probability=0.25, confidence=None, evidence=Verdict("silent", None, None, None, 0.0),
)  # fmt: skip


def examples(**changed: Any) -> Any:
    shown = {
        "of": "runs/a", "model": "gpt", "task": None, "relation": "place", "questions": 4,
        "right_questions": 3, "right": [RIGHT], "wrong": [WRONG], "seed": 7,
        "right_probability": 0.9, "wrong_probability": 0.2,
    }  # fmt: skip
    return SimpleNamespace(**shown | changed)


def test_examples_line_by_line():
    assert describe_examples(examples()) == [
        "runs/a, gpt, place: 3 of 4 right (75.0 %)",
        "",
        "right, 1 drawn by seed 7",
        "  Where was Ada born?",
        "    Oslo (75.0 % sure)",
        "",
        "wrong, 1 drawn by seed 7",
        "  Where was Bo born?",
        "    nothing (own probability 25.0 %); it is Rome",
        "    evidence: silent (the text about this name does not state it)",
        "",
        "the model's own probability, median of all: 90.0 % where it is right, "
        "20.0 % where it is wrong",
    ]


def test_where_nothing_is_wrong_nothing_is_compared():
    lines = describe_examples(examples(wrong=[], wrong_probability=None))
    assert lines[-1] == "none wrong"
