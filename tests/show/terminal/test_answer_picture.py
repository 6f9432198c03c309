"""The picture of a reply: it can be parsed, says what the reply says, and repeats to the byte."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from wherefrom.core.contracts import Span
from wherefrom.core.replies import (
    LOW_CONFIDENCE,
    UNKNOWN_NAME,
    RankedAnswer,
    Reply,
    Source,
    Verdict,
)
from wherefrom.show.terminal.answer_picture import draw_reply, picture

SVG = "{http://www.w3.org/2000/svg}"
# What the recipe `people`, seed 0, replies.
AMOS = Reply(
    question="Where was Amos Karlsson born?",
    subject="Amos Karlsson",
    relation="birthplace",
    answered=True,
    answer="Havana",
    confidence=0.9664555390987346,
    reason=None,
    name_known=True,
    candidates=(
        RankedAnswer("Havana", 0.959433533422141),
        RankedAnswer("Rome", 0.022462447627473275),
        RankedAnswer("Nairobi", 0.003674719706763016),
        RankedAnswer("Hanoi", 0.002219247465528496),
    ),
    evidence=Verdict(
        "supported", "Havana", 1652, Span(26, 32), 0.996828265801192,
        "Amos Karlsson was born in Havana.",
    ),
    source=Source("recalled", None, borrowed=True),
)  # fmt: skip
CLARA = Reply(
    question="Where was Clara Whitfield born?",
    subject="Clara Whitfield",
    relation="birthplace",
    answered=False,
    answer="Boston",
    confidence=None,
    reason=UNKNOWN_NAME,
    name_known=False,
    candidates=(RankedAnswer("Boston", 0.298), RankedAnswer("Rome", 0.154)),
    evidence=Verdict("no text", None, None, None, 0.0),
    source=Source("guessed", 0.0, borrowed=True),
    did_you_mean=("Clara Whitford",),
)


def read(reply):
    """The lines of text in the order in which they are drawn."""
    root = ElementTree.fromstring(picture(reply))
    return ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]


def marked(reply, kind):
    root = ElementTree.fromstring(picture(reply))
    return [node.text for node in root.iter(f"{SVG}text") if node.get("class") == kind]


def test_an_answer_comes_with_confidence_evidence_source_and_ranking():
    lines = read(AMOS)
    assert lines[:4] == [
        "Where was Amos Karlsson born?", "Havana", "96.6 % sure", "calibrated on other questions",
    ]  # fmt: skip
    assert "supported" in lines
    assert "The text about Amos Karlsson states Havana." in lines
    assert "recalled" in lines
    assert "not measured on this text:" in lines
    assert not any("recalled" in line and "%" in line for line in lines)
    assert lines[-8:] == [
        "Havana", "95.9 %", "Rome", "2.2 %", "Nairobi", "0.4 %", "Hanoi", "0.2 %",
    ]  # fmt: skip


def test_the_right_characters_are_marked():
    assert marked(AMOS, "name") == ["Amos Karlsson"]
    assert marked(AMOS, "value") == ["Havana"]
    assert AMOS.evidence is not None
    twice = "Havana is where Amos Karlsson was born: Havana."
    reply = replace(AMOS, evidence=replace(AMOS.evidence, quote=twice, span=Span(40, 46)))
    root = ElementTree.fromstring(picture(reply))
    (value,) = (n for n in root.iter(f"{SVG}text") if n.get("class") == "value")
    (name,) = (n for n in root.iter(f"{SVG}text") if n.get("class") == "name")
    # 24 characters, 9 pixels each, lie between the starts of the two.
    assert float(value.attrib["x"]) - float(name.attrib["x"]) == 24 * 9


def test_an_unknown_name_is_declined_with_the_best_guess():
    lines = read(CLARA)
    assert lines[1:4] == [
        "I don’t know",
        "The model does not know this name; its best guess is Boston.",
        "Did you mean Clara Whitford?",
    ]
    assert "The corpus has no text about Clara Whitfield." in lines
    assert not [line for line in lines if "sure" in line]


def test_a_low_confidence_is_shown_as_that_of_the_best_guess():
    low = {"confidence": 0.412, "needs": 0.75, "reason": LOW_CONFIDENCE}
    assert read(replace(CLARA, **low, did_you_mean=()))[1:5] == [
        "I don’t know", "guess: 41.2 %", "needs 75.0 %; calibrated on other questions",
        "Its confidence is too low; its best guess is Boston.",
    ]  # fmt: skip


def test_what_was_not_judged_is_said():
    nothing = {"confidence": None, "evidence": None, "source": None, "candidates": ()}
    lines = read(replace(AMOS, **nothing, unverified=True))
    assert "Unverified: no threshold was shown to keep the risk." in lines
    assert "Not judged: no extractor was learnt for this relation." in lines
    assert "Not judged." in lines
    trained = read(replace(AMOS, trained_on=True))
    assert any("trained on this very question" in line for line in trained)


HOSTILE = "</text><script>alert('\"&')</script>\x00\x1b[31m\u202e\ud800]]>\n"


def test_hostile_text_stays_text():
    assert AMOS.evidence is not None
    evidence = replace(AMOS.evidence, quote=HOSTILE + "Havana", stated=HOSTILE)
    evidence = replace(evidence, span=Span(len(HOSTILE), len(HOSTILE) + 6))
    spoilt = dict.fromkeys(("question", "subject", "answer"), HOSTILE)
    ranked = (RankedAnswer(HOSTILE, 1.0),)
    for reply in (AMOS, replace(CLARA, did_you_mean=(HOSTILE,))):
        hostile = replace(reply, **spoilt, evidence=evidence, candidates=ranked)
        root = ElementTree.fromstring(picture(hostile).encode("utf-8"))
        assert not list(root.iter(f"{SVG}script"))
        assert any("<script>" in line for line in read(hostile))
        assert marked(hostile, "value") == ["Havana"]


def test_the_bars_are_as_long_as_the_probabilities():
    root = ElementTree.fromstring(picture(AMOS))
    bars = [float(n.attrib["width"]) for n in root.iter(f"{SVG}rect") if n.get("fill") == "#6b7f99"]
    room = 158
    assert bars == pytest.approx([room * 0.9594, room * 0.02246], rel=1e-3)  # the others: < 1 pixel


def test_the_file_is_the_same_every_time(tmp_path):
    for name in ("one.svg", "two.svg"):
        draw_reply(AMOS, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.svg").read_text("utf-8") == picture(AMOS)


def test_the_pictures_of_the_documents_are_of_today(request):
    """The README's picture, by `wherefrom ask runs/people-0 QUESTION --picture FILE`.

    Its figures and its ranking are those of the run that it was drawn from, so they may differ.
    """
    path = request.config.rootpath / "docs" / "pictures" / "answer.svg"
    assert without_figures(path.read_text("utf-8")) == without_figures(picture(AMOS))


def without_figures(svg):
    """The drawing up to its ranking, every number that has a decimal point left out."""
    return re.sub(r"[0-9]+\.[0-9]+", "#", svg.partition(">Ranking<")[0])
