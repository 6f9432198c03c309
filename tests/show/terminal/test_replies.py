"""Replies and disputes in words: every line, and no line where there is nothing to say."""

from dataclasses import dataclass, replace

import pytest

from wherefrom.core.contracts import Span
from wherefrom.core.replies import (
    LOW_CONFIDENCE,
    UNKNOWN_NAME,
    RankedAnswer,
    Reply,
    Source,
    Stated,
    Verdict,
)
from wherefrom.show.terminal.replies import describe_dispute, describe_reply

SUPPORTED = Verdict("supported", "Oslo", 3, Span(10, 14), 0.99, "Ada is from Oslo.")
CONTRADICTED = replace(SUPPORTED, label="contradicted")
SILENT, NO_TEXT = (Verdict(label, None, None, None, 0.0) for label in ("silent", "no text"))
REPLY = Reply(
    question="Where was Ada Lund born?",
    subject="Ada Lund",
    relation="birthplace",
    answered=True,
    answer="Oslo",
    confidence=0.136,
    reason=None,
    name_known=True,
    candidates=(RankedAnswer("Oslo", 0.4), RankedAnswer("Rome", 0.214), RankedAnswer("", 0.1)),
    evidence=SUPPORTED,
    source=Source("recalled", 0.9),
)


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
    found = describe_reply(replace(REPLY, answered=False, reason=LOW_CONFIDENCE, why_not=why))
    assert found[2] == f"  why not: {why}"
    unknown = replace(REPLY, answered=False, reason=UNKNOWN_NAME, why_not="the model does not ...")
    assert not any("why not" in line for line in describe_reply(unknown)), "the line above says it"


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"confidence": None}, "  Oslo"),
        (
            {"answered": False, "reason": LOW_CONFIDENCE},
            "  I don't know (the model's best guess is Oslo, 13.6 % sure)",
        ),
        (
            {"answered": False, "reason": UNKNOWN_NAME, "confidence": None},
            "  I don't know: the model does not know the name (its best guess is Oslo)",
        ),
        ({"answer": ""}, "  nothing (13.6 % sure)"),
    ],
)
def test_the_answer(changed, line):
    assert describe_reply(replace(REPLY, **changed))[1] == line


def test_the_confidence_and_the_models_own_probabilities_never_share_a_line():
    """They are different figures of one answer: side by side they would contradict each other."""
    for line in describe_reply(REPLY):
        assert not ("13.6 %" in line and ("40.0 %" in line or "21.4 %" in line))
        if "40.0 %" in line:
            assert line.startswith("  the model's own ranking: ")


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (CONTRADICTED, '  evidence: contradicted by "Ada is from Oslo."'),
        (SILENT, "  evidence: silent (the text about this name does not state it)"),
        (NO_TEXT, "  evidence: no text (nothing in the text is about this name)"),
    ],
)
def test_what_the_text_says(verdict, line):
    assert line in describe_reply(replace(REPLY, evidence=verdict))


def test_what_is_not_known_has_no_line():
    bare = replace(REPLY, evidence=None, source=None, candidates=REPLY.candidates[:1])
    assert describe_reply(bare) == ["Where was Ada Lund born?", "  Oslo (13.6 % sure)"]


def test_what_else_a_reader_must_know():
    lines = describe_reply(
        replace(
            REPLY,
            source=Source("guessed", 0.1, borrowed=True),
            trained_on=True,
            did_you_mean=("Ada Lind", "Ida Lund"),
        )
    )
    assert lines[2] == "  did you mean Ada Lind or Ida Lund?"
    assert lines[-2] == (
        "  source: guessed (probability of recall 10.0 %; the predictor is borrowed from another "
        "run)"
    )
    assert lines[-1].startswith("  the model was trained on this very question; ")


def test_terminal_escapes_are_shown_and_not_sent():
    spoilt = replace(REPLY, question="\x1b[2J?", answer="\x1b]0;x\x07", did_you_mean=("\u202eA",))
    assert not any(c in line for line in describe_reply(spoilt) for c in "\x1b\x07\u202e")


@dataclass(frozen=True)
class Claimed:
    text: str
    model_probability: float | None


@dataclass(frozen=True)
class Disputed:
    reply: Reply
    claim: Claimed
    verdicts: tuple[tuple[str, Verdict | None], ...]
    shown_in_words: str = "'Oslo' 7 times, 'Rome' 0 times"
    recommendation: str = "the corpus says so: ..."


def test_a_long_document_is_quoted_around_the_name_and_the_value():
    text = f"{'Long ago. ' * 40}Ada Lund came from Oslo. {'And so on. ' * 40}"
    start = text.index("Oslo")
    verdict = replace(SUPPORTED, span=Span(start, start + 4), quote=text)
    (line,) = (row for row in describe_reply(replace(REPLY, evidence=verdict)) if "evidence" in row)
    assert "Ada Lund came from Oslo." in line
    assert len(line) < 200


def test_a_dispute_line_by_line():
    verdicts = (("the model's answer", SUPPORTED), ("your answer", CONTRADICTED))
    assert describe_dispute(Disputed(REPLY, Claimed("Rome", 0.214), verdicts)) == [
        "Where was Ada Lund born?",
        "  the model says: Oslo (13.6 % sure)",
        "  source: recalled (probability of recall 90.0 %)",
        "  you say: Rome (the model's own probability of it is 21.4 %)",
        '  evidence on the model\'s answer: supported by "Ada is from Oslo."',
        '  evidence on your answer: contradicted by "Ada is from Oslo."',
        "  shown in training: 'Oslo' 7 times, 'Rome' 0 times",
        "  the corpus says so: ...",
    ]


def test_a_dispute_without_text():
    lines = describe_dispute(
        Disputed(replace(REPLY, source=None), Claimed("Zürich", None), (("your answer", NO_TEXT),))
    )
    assert lines[2] == "  you say: Zürich (the model cannot write it)"
    assert lines[3] == "  evidence on your answer: no text (nothing in the text is about this name)"
    assert lines[4].startswith("  shown in training: ")


def test_what_the_text_also_states_is_shown_with_its_reason():
    other = Stated("Rome", 3, Span(22, 26), 0.9, "Ada is from Oslo, or Rome.")
    elsewhere = replace(other, document=4)
    said = describe_reply(replace(REPLY, evidence=replace(SUPPORTED, also=(other, elsewhere))))
    assert said[4:6] == [
        '  also stated: Rome by "Ada is from Oslo, or Rome." (the text contradicts itself)',
        '  also stated: Rome by "Ada is from Oslo, or Rome." (another document: two of one name?)',
    ]
