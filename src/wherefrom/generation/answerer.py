"""A language model as one that answers questions, besides scoring texts.

A question is one way to reach a fact, and other wordings may reach it too. An answerer that has
them searches in all: an answer's probability is then the mean of those that it has after each.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

import numpy as np

from wherefrom.core.contracts import SHORTEST_ROOM, Answer, Candidate
from wherefrom.core.vocabulary import MASK_ID, Alphabet
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.language_model import LanguageModel, divide
from wherefrom.generation.requests import Completion, Request
from wherefrom.generation.scoring import score
from wherefrom.generation.text_scorer import TextScorer

BEAMS = 4  # of the search for an answer, unless a task says otherwise
OTHER_BEAMS = 2  # of the search in another wording of the question, at most

Prompt = tuple[int, ...]
# Other wordings of a question, by its text: what stands before the answer's gap, and behind it.
Wordings = Mapping[str, Sequence[tuple[str, str]]]
NO_WORDINGS: Wordings = MappingProxyType({})


class ModelAnswerer(TextScorer):
    """Prompt: the question and a mask; the answer is what stands before the next mask.

    `max_new` characters at most, that mask among them: a number, or what gives it when a
    question is asked. Nor is there more room than the prompt leaves of what the model reads.
    Questions that have other `wordings` are asked in these, too.
    """

    def __init__(
        self,
        model: LanguageModel,
        vocabulary: Alphabet,
        beams: int = BEAMS,
        max_new: int | Callable[[], int] = SHORTEST_ROOM,
        wordings: Wordings = NO_WORDINGS,
    ) -> None:
        super().__init__(model, vocabulary)
        self.beams, self.max_new, self.wordings = beams, max_new, wordings

    def searching(self, beams: int) -> "ModelAnswerer":
        """The same with another width of the search; 1 is greedy."""
        return type(self)(self.model, self.vocabulary, beams, self.max_new, self.wordings)

    def asking(self, wordings: Wordings) -> "ModelAnswerer":
        """The same that is asked in these wordings, too."""
        return type(self)(self.model, self.vocabulary, self.beams, self.max_new, wordings)

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        """The most probable closed answer the search finds, and the next best."""
        most = self.max_new() if callable(self.max_new) else self.max_new
        asked = [self.prompts(question) for question in questions]
        requests = [
            Request(prompt, most, min(self.beams, OTHER_BEAMS) if other else self.beams)
            for prompts in asked
            for other, prompt in enumerate(prompts)
        ]
        found = iter(self.generate(requests))
        return [self._read([*islice(found, len(prompts))]) for prompts in asked]

    def prompts(self, question: str) -> list[Prompt]:
        """What the model reads before it answers: the question, and its other wordings.

        A wording that is too long for the model is left out.
        """
        encode = self.vocabulary.encode
        others: list[Prompt] = [
            (*encode(before), MASK_ID, *encode(behind), MASK_ID)
            for before, behind in self.wordings.get(question, ())
        ]
        fitting = (prompt for prompt in others if len(prompt) <= self.model.max_input)
        return [(*encode(question), MASK_ID), *fitting]

    def generate(self, requests: Sequence[Request]) -> Sequence[Sequence[Completion]]:
        """What follows each prompt; ranks divide the prompts, unless there are few."""
        found = divide(requests, Decoder(self.model).generate)
        return [[Completion(tuple(c[0]), *c[1:]) for c in each] for each in found]

    def _read(self, found: Sequence[Sequence[Completion]]) -> Answer:
        """The answer that has most of the probability after all prompts.

        What a search did not find has no probability there. Unclosed answers are not among the
        others unless the best is unclosed too; only the question's own count.
        """
        closed = [[c for c in each if c.finished] for each in found]
        finished = any(closed)
        shares: dict[str, float] = {}
        for completion in (c for each in (closed if finished else found[:1]) for c in each):
            text = self.vocabulary.decode(completion.tokens)
            share = math.exp(completion.log_probability) / (len(found) if finished else 1)
            shares[text] = shares.get(text, 0.0) + share
        ranked = sorted(shares.items(), key=lambda each: -each[1])[: self.beams]
        best, *others = (Candidate(text, share) for text, share in ranked)
        return Answer(best.text, best.probability, tuple(others), finished)


def answer_probabilities(
    answerer: ModelAnswerer, questions: Sequence[str], answers: Sequence[str]
) -> np.ndarray:
    """P(answer) of each pair, teacher-forced; the mask that closes it is included.

    Where the answerer has other wordings, it is the mean over all prompts. An answer that is too
    long for the model to read is scored as far as the model reads.
    """
    encode = answerer.vocabulary.encode
    longest = answerer.model.max_input + 1  # the last character is scored and never read
    pairs = zip(questions, answers, strict=True)
    asked = [(i, p, a) for i, (q, a) in enumerate(pairs) for p in answerer.prompts(q)]
    rows = [(*prompt, *encode(answer), MASK_ID)[:longest] for _, prompt, answer in asked]
    found = score(answerer.model, rows, [len(prompt) for _, prompt, _ in asked])
    # Summed in double precision: a long answer adds up dozens of small numbers.
    each = np.exp([float(row.sum(dtype=np.float64)) for row in found])
    places, n = np.array([i for i, _, _ in asked], dtype=np.int64), len(questions)
    return np.bincount(places, weights=each, minlength=n) / np.bincount(places, minlength=n)
