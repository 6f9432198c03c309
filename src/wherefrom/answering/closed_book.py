"""A model that is asked closed-book: its answers, and the features that say how far to trust each.

The same code serves calibration, the reports on held-out people, audits and `wherefrom ask`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wherefrom.answering.familiarity import (
    FAMILIARITY,
    FamiliarityReference,
    find_openings,
    measure_familiarity,
    measure_likelihood,
)
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.core.contracts import Answer, Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.vocabulary import refuse_marks
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.run import Run

FEATURES = ("log_probability", "margin", *FAMILIARITY)  # of confidence
TINY = 1e-12
_REFERENCES = 500  # asked people whose names familiarity is measured against


@dataclass(frozen=True)
class Answered:
    """Questions that were put to the model, its answers, and the features of each answer."""

    questions: tuple[ParsedQuestion, ...]
    answers: tuple[Answer, ...]
    features: FeatureTable


class ClosedBookModel:
    """A model with what it was taught from; it parses, checks and answers questions.

    `reference` is what familiarity is measured against. Where none was stored, it is the asked
    people: names that the model must know.
    """

    def __init__(
        self,
        answerer: ModelAnswerer,
        dataset: Dataset,
        reference: FamiliarityReference | None = None,
    ) -> None:
        self.answerer, self._reference = answerer, reference
        self.openings = find_openings(dataset.documents) or [""]
        self._longest_opening = max(map(len, self.openings))
        subjects = (d.subject.of(d.text) for d in dataset.documents if d.subject)
        names = (*subjects, *(q.subject for q in dataset.questions))
        self.parser = QuestionParser(dataset.asked, names, dataset.questions)

    @cached_property
    def reference(self) -> FamiliarityReference:
        if self._reference is not None:
            return self._reference
        return FamiliarityReference.of(self.measure(self.parser.subjects[:_REFERENCES]))

    # -- questions -----------------------------------------------------------------

    def parse(self, text: str) -> ParsedQuestion:
        """The question taken apart; BadData says why the model cannot be asked it."""
        question = self.parser.parse(text)
        self._check(question)
        return question

    def try_parse(self, text: str) -> ParsedQuestion | None:
        try:
            return self.parse(text)
        except BadData:
            return None

    def spells(self, name: str) -> bool:
        """Whether a name can stand in every form of question that the model was taught."""
        if not name.strip():
            return False
        try:
            for form in self.parser.forms:
                self._check(self.parser.fill(form, name))
        except BadData:
            return False
        return True

    def _check(self, question: ParsedQuestion) -> None:
        """Raise BadData if the model has no such characters or reads no such length."""
        text, name = question.text, question.subject
        self.answerer.vocabulary.encode(text)
        refuse_marks(text)
        longest = max(len(text) + 1, self._longest_opening + len(name) + 1)
        spare = self.answerer.model.max_input - longest
        if spare < 0:
            raise BadData(
                f"{text!r}: expected a name of at most {len(name) + spare} characters, "
                f"found {len(name)}; the model reads no more at once"
            )

    # -- answers -------------------------------------------------------------------

    def answer(
        self, questions: Sequence[ParsedQuestion], known: Mapping[str, Answer] | None = None
    ) -> Answered:
        """Answers with their features; questions whose text is in `known` are not decoded again."""
        given = dict(known or {})
        new = list(dict.fromkeys(q.text for q in questions if q.text not in given))
        given |= dict(zip(new, self.answerer.answer(new), strict=True)) if new else {}
        answers = tuple(given[q.text] for q in questions)
        best = np.log([max(a.probability, TINY) for a in answers])
        second = [a.others[0].probability if a.others else 0.0 for a in answers]
        margin = best - np.log(np.maximum(second, TINY))
        certainty = FeatureTable({"log_probability": best, "margin": margin})
        names = self.familiarity([q.subject for q in questions])
        return Answered(tuple(questions), answers, certainty.join(names))

    def familiarity(self, names: Sequence[str]) -> FeatureTable:
        """How familiar the names are: the features FAMILIARITY."""
        return self.reference.standardise(self.measure(names))

    def measure(self, names: Sequence[str]) -> FeatureTable:
        """The log-probabilities that familiarity is made of."""
        answerer = self.answerer
        return measure_familiarity(answerer.model, answerer.vocabulary, names, self.openings)

    def likelihood(self, names: Sequence[str]) -> np.ndarray:
        """How likely the model finds each name after its first word: a log-probability."""
        answerer = self.answerer
        return measure_likelihood(answerer.model, answerer.vocabulary, names, self.openings)


def open_closed_book(run: Run, reference: FamiliarityReference | None = None) -> ClosedBookModel:
    predictor = run.predictor()
    if not isinstance(predictor, ModelAnswerer) or not run.dataset.questions:
        raise BadData(f"{run.path}: expected a run that answers questions, found {run.recipe.name}")
    return ClosedBookModel(predictor, run.dataset, reference)
