"""Replies, questions and models that are made up, which several tests share."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.replies import Reply
from wherefrom.generation.answerer import Wordings

_REPLY = Reply(
    question="Where was Ada Lund born?", subject="Ada Lund", relation="birthplace", answered=True,
    answer="Oslo", confidence=0.9, reason=None, name_known=True, candidates=(), evidence=None,
    source=None,
)  # fmt: skip


def make_reply(**changed: Any) -> Reply:
    """The answer Oslo about Ada Lund, given with a confidence of 0.9."""
    return replace(_REPLY, **changed)


def ask(name: str, answer: str | None = "Oslo", split: str = "asked", **more: Any) -> Question:
    """The question where somebody was born."""
    given: Any = {"relation": "birthplace"} | more
    return Question(f"Where was {name} born?", name, answer=answer, split=split, **given)


def tell_answers(*rows: tuple[str, str, str]) -> AnswerTable:
    """What was answered to questions: (subject, right answer, answer)."""
    asked = [Question(f"Where was {who} born?", who, "", gold, "") for who, gold, _ in rows]
    return AnswerTable.of(asked, [Answer(said, 0.5) for _, _, said in rows])


class Scripted:
    """An answerer that says what its script has, or Oslo; it keeps what it was asked, and how."""

    def __init__(self, script: Mapping[str, Answer] | None = None) -> None:
        self.script, self.wordings = script or {}, {}
        self.decoded: list[str] = []

    def asking(self, wordings: Wordings) -> "Scripted":
        self.wordings = wordings
        return self

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        self.decoded.extend(questions)
        return [self.script.get(q, Answer("Oslo", 0.5)) for q in questions]


class Unmoved(nn.Module):
    """The same logits after any text."""

    cacheable = False

    def __init__(self, logits: list[float], max_input: int) -> None:
        super().__init__()
        self.logits, self.max_input = nn.Parameter(torch.tensor(logits)), max_input

    def new_cache(self, rows: int, positions: int) -> None:
        raise AssertionError("it has none")

    def forward(self, tokens: torch.Tensor, cache: None = None) -> torch.Tensor:
        return self.logits.expand(*tokens.shape, -1)
