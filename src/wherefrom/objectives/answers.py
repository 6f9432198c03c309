"""Learning to answer: question MASK answer MASK, with the loss from the first mask on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from wherefrom.core.contracts import EVERY_ROW, Batch, Question
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.objectives.order import build_order


@dataclass(frozen=True)
class AnswersConfig:
    """Questions of the asked people with their answers; what the question says costs nothing."""

    kind: ClassVar[str] = "answers"


class Answers:
    """The objective over questions: a plan is the question's index, (count, rows)."""

    def __init__(
        self,
        questions: Sequence[Question],
        vocabulary: Vocabulary,
        *,
        block_size: int,
        rows: int,
        seed: int,
        stage: int,
        order: str = "shuffled",
        device: torch.device | str = "cpu",
    ) -> None:
        if not questions:
            raise BadData("questions: expected at least one that is asked, found none")
        rendered = [_render(q, vocabulary, block_size) for q in questions]
        width = max(len(tokens) for tokens, _ in rendered)
        self.tokens = torch.zeros(len(rendered), width, dtype=torch.long)
        self.weights = torch.zeros(len(rendered), width)
        for i, (tokens, asked) in enumerate(rendered):
            self.tokens[i, : len(tokens)] = torch.tensor(tokens)
            self.weights[i, asked : len(tokens)] = 1.0
        self.lengths = torch.tensor([len(tokens) for tokens, _ in rendered])
        self.tokens, self.weights = self.tokens.to(device), self.weights.to(device)
        self.lengths = self.lengths.to(device)
        self.rows, self.width, self.items = rows, width - 1, len(questions)
        self.order = build_order(
            order, len(questions), rows=rows, seed=seed, stage=stage, device=self.tokens.device
        )

    def plan(self, first_step: int, count: int) -> Tensor:
        return self.order.at(first_step * self.rows, count * self.rows).view(count, self.rows)

    def render(self, plan: Tensor, index: int, rows: slice = EVERY_ROW) -> Batch:
        return self._lay_out(plan[index, rows])

    def outline(self, plan: Tensor, index: int) -> tuple[Tensor, int]:
        there = plan[index] >= 0
        return (self.lengths[plan[index].clamp(min=0)] - 1) * there, self.width

    def render_all(self, plan: Tensor, rows: slice = EVERY_ROW) -> Batch:
        return self._lay_out(plan[:, rows])

    def _lay_out(self, question: Tensor) -> Batch:
        there = question >= 0  # a short last batch has rows without a question
        row = question.clamp(min=0)
        tokens, weights = self.tokens[row], self.weights[row] * there[..., None]
        lengths = (self.lengths[row] - 1) * there
        return Batch(tokens[..., :-1], tokens[..., 1:], weights[..., 1:], lengths)


def _render(question: Question, vocabulary: Vocabulary, block_size: int) -> tuple[list[int], int]:
    """The row's characters, and how many of them are the question."""
    if question.answer is None:
        raise BadData(f"{question.text!r}: expected an answer to train on, found none")
    asked, answer = vocabulary.encode(question.text), vocabulary.encode(question.answer)
    tokens = [*asked, MASK_ID, *answer, MASK_ID]
    if len(tokens) > block_size + 1:
        raise BadData(
            f"{question.text!r}: expected question and answer within {block_size - 1} characters, "
            f"found {len(asked) + len(answer)}; raise model.block_size"
        )
    return tokens, len(asked)
