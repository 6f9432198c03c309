"""Examples in words: right ones, wrong ones, and what could tell them apart."""

from types import SimpleNamespace
from typing import Any

from wherefrom.core.replies import Verdict
from wherefrom.show.terminal.examples import describe_examples

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
