"""Replies, questions and models that are made up, which several tests share."""

from dataclasses import replace
from typing import Any

import torch
from torch import nn

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.replies import Reply

_REPLY = Reply(
    question="Where was Ada Lund born?", subject="Ada Lund", relation="birthplace", answered=True,
    answer="Oslo", confidence=0.9, reason=None, name_known=True, candidates=(), evidence=None,
    source=None,
)  # fmt: skip


def make_reply(**changed: Any) -> Reply:
    """The answer Oslo about Ada Lund, given with a confidence of 0.9."""
    return replace(_REPLY, **changed)


def ask(name: str, answer: str | None, split: str = "asked", **more: Any) -> Question:
    """The question where somebody was born."""
    given: Any = {"relation": "birthplace"} | more
    return Question(f"Where was {name} born?", name, answer=answer, split=split, **given)


def tell_answers(*rows: tuple[str, str, str]) -> AnswerTable:
    """What was answered to questions: (subject, right answer, answer)."""
    asked = [Question(f"Where was {who} born?", who, "", gold, "") for who, gold, _ in rows]
    return AnswerTable.of(asked, [Answer(said, 0.5) for _, _, said in rows])


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
