"""A language model as one that answers questions, besides scoring texts."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from wherefrom.core.contracts import SHORTEST_ROOM, Answer, Candidate
from wherefrom.core.vocabulary import MASK_ID, Alphabet
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.requests import Completion, Request
from wherefrom.generation.scoring import score
from wherefrom.generation.texts import TextScorer

BEAMS = 4  # of the search for an answer, unless a task says otherwise


class ModelAnswerer(TextScorer):
    """Prompt: the question and a mask; the answer is what stands before the next mask.

    `max_new` characters at most, that mask among them: a number, or what gives it when a
    question is asked. Nor is there more room than the prompt leaves of what the model reads.
    """

    def __init__(
        self,
        model: LanguageModel,
        vocabulary: Alphabet,
        beams: int = BEAMS,
        max_new: int | Callable[[], int] = SHORTEST_ROOM,
    ) -> None:
        super().__init__(model, vocabulary)
        self.beams, self.max_new = beams, max_new

    def searching(self, beams: int) -> "ModelAnswerer":
        """The same with another width of the search; 1 is greedy."""
        return ModelAnswerer(self.model, self.vocabulary, beams, self.max_new)

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        """The most probable closed answer the search finds, and the next best."""
        return self._answer(questions, self.beams)

    def answer_exact(self, questions: Sequence[str]) -> list[Answer]:
        """The greedy answer, as exact match is measured."""
        return self._answer(questions, 1)

    def prompts(self, questions: Sequence[str]) -> list[tuple[int, ...]]:
        """What the model reads before it answers each question."""
        return [(*self.vocabulary.encode(question), MASK_ID) for question in questions]

    def _answer(self, questions: Sequence[str], beams: int) -> list[Answer]:
        prompts = self.prompts(questions)
        most = self.max_new() if callable(self.max_new) else self.max_new
        requests = [Request(prompt, most, beams) for prompt in prompts]
        return [self._read(found) for found in Decoder(self.model).generate(requests)]

    def _read(self, found: Sequence[Completion]) -> Answer:
        """Unclosed answers are not among the others unless the best is unclosed too."""
        best, *others = (
            Candidate(self.vocabulary.decode(c.tokens), math.exp(c.log_probability))
            for c in found
            if c.finished == found[0].finished
        )
        return Answer(best.text, best.probability, tuple(others), found[0].finished)


def answer_probabilities(
    answerer: ModelAnswerer, questions: Sequence[str], answers: Sequence[str]
) -> np.ndarray:
    """P(answer | question) of each pair, teacher-forced; the mask that closes it is included.

    An answer that is too long for the model to read is scored as far as the model reads.
    """
    encode, prompts = answerer.vocabulary.encode, answerer.prompts(questions)
    longest = answerer.model.max_input + 1  # the last character is scored and never read
    rows = [(*p, *encode(a), MASK_ID)[:longest] for p, a in zip(prompts, answers, strict=True)]
    found = score(answerer.model, rows, [len(prompt) for prompt in prompts])
    # Summed in double precision: a long answer adds up dozens of small numbers.
    return np.exp([float(row.sum(dtype=np.float64)) for row in found])
