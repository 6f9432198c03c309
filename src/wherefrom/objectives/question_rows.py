"""Learning to answer: question MASK answer MASK, with the loss from the first mask on.

With a weight, the subject's name counts as well, and what stands behind it: so the model learns
which names there are, and the name gate can tell them from others.
"""

from array import array
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.bounds import check_choice, check_number, check_whole
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import EVERY_ROW, Batch, Question
from wherefrom.core.errors import BadData
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.encoder import Encoder
from wherefrom.objectives.row_order import build_order

_BATCH = 10_000  # questions that are encoded at once
_BEHIND = 2  # characters behind a name, which tell that it has ended


class AnswersConfig(TaggedConfig, frozen=True, tag="answers"):
    """Questions of the asked people with their answers.

    reads: asked, the questions that are trained on; or notes, what the reader noted (notes.py);
    wordings: how many kinds of wordings a note is taught in;
    names: the weight of the loss on the subject's name; nothing else of the question counts.
    """

    reads: str = "asked"
    wordings: int = 3
    names: float = 0.0

    def __post_init__(self) -> None:
        check_choice(self, "reads", ("asked", "notes"))
        check_whole(self, "wordings", 1, 3, "questions, behind the name, in its sentence")
        check_number(self, "names", 0.0, 1.0)


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
        reads: str = "asked",
        names: float = 0.0,
    ) -> None:
        if not questions:
            raise BadData("questions: expected at least one that is asked, found none")
        rendered, asked, lengths = _render(questions, vocabulary, block_size)
        self.reads, self.names = reads, names  # what the rows are: see AnswersConfig
        width = int(lengths.max())
        tokens = np.zeros((len(questions), width), rendered.dtype)
        tokens[np.arange(width) < lengths[:, None]] = rendered
        self.tokens = torch.from_numpy(tokens).to(device)
        self.asked = torch.from_numpy(asked).to(device)  # characters of each question
        self.lengths = torch.from_numpy(lengths).to(device)
        if names:
            self.named = torch.tensor([_find_name(q) for q in questions], device=device).T
        self.rows, self.width, self.items = rows, width - 1, len(questions)
        self._places = torch.arange(width, device=self.tokens.device)
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
        tokens, length = self.tokens[row].long(), self.lengths[row]
        counts = (self._places >= self.asked[row][..., None]) & (self._places < length[..., None])
        weights = (counts & there[..., None]).float()
        if self.names:
            start, end = self.named[:, row, None]
            named = (self._places >= start) & (self._places < end) & there[..., None]
            weights = weights + self.names * named
        lengths = (length - 1) * there
        return Batch(tokens[..., :-1], tokens[..., 1:], weights[..., 1:], lengths)


def _find_name(question: Question) -> tuple[int, int]:
    """Where the subject's name begins, and where what shows that it has ended is over."""
    start = question.text.find(question.subject)
    end = min(start + len(question.subject) + _BEHIND, len(question.text))
    return (start, end) if start >= 0 else (0, 0)


def _render(
    questions: Sequence[Question], vocabulary: Vocabulary, block_size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All rows one after the other; how long each question is, and each whole row."""
    tokens, asked, lengths = list[np.ndarray](), array("q"), array("q")
    encoder, mask = Encoder(vocabulary), vocabulary.mask
    kind = np.uint8 if len(vocabulary) <= 2**8 else np.int32  # there may be a million rows
    for some in in_batches(questions, _BATCH):
        for question in some:
            if question.answer is None:
                raise BadData(f"{question.text!r}: expected an answer to train on, found none")
            said = len(question.text) + len(question.answer)
            if said + 2 > block_size + 1:  # a mask follows the question, and another the answer
                raise BadData(
                    f"{question.text!r}: expected question and answer within {block_size - 1} "
                    f"characters, found {said}; raise model.block_size"
                )
            asked.append(len(question.text))
            lengths.append(said + 2)
        found = encoder.encode([f"{q.text}{mask}{q.answer}{mask}" for q in some])
        tokens.append(found.astype(kind))
    return np.concatenate(tokens), np.array(asked), np.array(lengths)
