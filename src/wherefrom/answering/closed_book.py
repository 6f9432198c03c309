"""A model that answers closed-book: its answers, and the features that confidence is computed from.

The same code serves calibration, the reports on held-out people, audits and `wherefrom ask`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from wherefrom.answering.features import (
    FamiliarityReference,
    StatementForms,
    find_openings,
    measure_certainty,
    measure_familiarity,
    measure_likelihood,
)
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.answering.statement_forms import learn_statement_forms
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.contracts import WITH_TEXT, Answer, Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.progress import telling
from wherefrom.generation.answerer import NO_WORDINGS, ModelAnswerer, Wordings
from wherefrom.reading.index import fold
from wherefrom.runs.opened_run import Run

_REFERENCES = 500  # asked people whose names familiarity is measured against


class ClosedBookModel:
    """A model and its data set; it parses, checks and answers questions.

    Familiarity is measured relative to `reference`. If none was stored, it is computed from the
    names of asked people, which the model must know. `forms` are wordings of the text in which the
    answers are scored as well; if none were stored, they are learnt from asked people's texts. With
    `wordings`, answers are searched for in them, too. With `names_taught`, names were learnt in
    questions; without, they were read in the text, behind its openings.
    """

    def __init__(
        self,
        answerer: ModelAnswerer,
        dataset: Dataset,
        reference: FamiliarityReference | None = None,
        forms: StatementForms | None = None,
        wordings: bool = False,
        names_taught: bool = False,
    ) -> None:
        self.answerer, self.searches_wordings = answerer, wordings
        self.decoded: dict[str, Answer] = {}  # what is known already, by the question's text
        self._reference = reference
        self._dataset, self._forms = dataset, forms
        read = telling("listing the names", dataset.documents)
        subjects = (d.name for d in read if d.subject)
        names = (*subjects, *(q.subject for q in dataset.questions))
        self.parser = QuestionParser(dataset.asked, names, dataset.questions)
        if names_taught:
            beginnings = (form.prefix for form in self.parser.forms)
            self.openings = list(dict.fromkeys((*beginnings, "")))
        else:
            self.openings = find_openings(dataset.documents) or [""]
        self.known_supports = ("stated",) if names_taught else WITH_TEXT  # of names it has learnt

    @cached_property
    def reference(self) -> FamiliarityReference:
        if self._reference is not None:
            return self._reference
        return FamiliarityReference.of(self.measure(self.parser.subjects[:_REFERENCES]))

    @cached_property
    def forms(self) -> StatementForms:
        if self._forms is not None:
            return self._forms
        return learn_statement_forms(self.answerer, self._dataset)

    @property
    def relations(self) -> frozenset[str]:
        """The relations that the model can be asked for."""
        return self.parser.relations

    # -- questions -----------------------------------------------------------------

    def parse(self, text: str, *, any_letters: bool = False) -> ParsedQuestion:
        """Parse a question; BadData says why if the model cannot be asked it.

        With `any_letters`, the name may have letters that the model lacks (`unseen`).
        """
        question = self.parser.parse(text)
        self._check(question, any_letters)
        return question

    def unseen(self, question: ParsedQuestion) -> list[str]:
        """The characters of a question that are in no training text."""
        return self.answerer.vocabulary.missing(question.text)

    def find_meant(self, name: str) -> tuple[str, ...]:
        """Names that somebody probably meant who wrote this one; none if the text has this one.

        The weights say nothing about this: it is the list of the names in the text that does.
        """
        meant = self.parser.suggest(name)
        if meant and re.search(rf"(?<!\w){re.escape(fold(name))}(?!\w)", self._folded_text):
            return ()
        return meant

    @cached_property
    def _folded_text(self) -> str:
        return "\n".join(fold(d.text) for d in self._dataset.documents)

    def try_parse(self, text: str) -> ParsedQuestion | None:
        try:
            return self.parse(text)
        except BadData:
            return None

    def spells(self, name: str) -> bool:
        """Whether the model can be asked about a name in every form that it was taught."""
        if not name.strip():
            return False
        try:
            for form in self.parser.forms:
                self._check(self.parser.fill(form, name))
        except BadData:
            return False
        return True

    def _check(self, question: ParsedQuestion, any_letters: bool = False) -> None:
        """Raise BadData if the model lacks a character of the question, or reads fewer at once."""
        text, name = question.text, question.subject
        if not any_letters:
            self.answerer.vocabulary.encode(text)
        self.answerer.vocabulary.refuse_marks(text)
        spare = self.answerer.model.max_input - len(text) - 1
        if spare < 0:
            raise BadData(
                f"{text!r}: expected a name of at most {len(name) + spare} characters, "
                f"found {len(name)}; use a shorter name: the model cannot read more at once"
            )

    # -- answers -------------------------------------------------------------------

    def find_wordings(self, questions: Iterable[ParsedQuestion]) -> Wordings:
        """The text's own wordings of the questions, if answers are searched for in them.

        Any model can be asked in them.
        """
        if not self.searches_wordings:
            return NO_WORDINGS
        return {question.text: self.forms.wordings(question) for question in questions}

    def word_texts(self, texts: Iterable[str]) -> Wordings:
        """The same for questions as they stand: those of no form that was taught have none."""
        found: dict[str, Sequence[tuple[str, str]]] = {}
        for text in texts if self.searches_wordings else ():
            with suppress(BadData):
                found[text] = self.forms.wordings(self.parser.parse(text))
        return found

    def answer(self, questions: Sequence[ParsedQuestion]) -> AnswerTable:
        new = {q.text: q for q in questions if q.text not in self.decoded}
        decoded = {**self.decoded, **self.decode(new)}
        answers = tuple(decoded[q.text] for q in questions)
        stated = self.forms.measure(self.answerer, questions, [a.text for a in answers])
        names = self.familiarity([q.subject for q in questions])
        return AnswerTable(
            tuple(questions), answers, measure_certainty(answers).join(stated).join(names)
        )

    def decode(self, questions: Mapping[str, ParsedQuestion]) -> Mapping[str, Answer]:
        """The answers to questions, by their texts."""
        asked = self.answerer.asking(self.find_wordings(questions.values()))
        return dict(zip(questions, asked.answer(list(questions)), strict=True))

    def familiarity(self, names: Sequence[str]) -> FeatureTable:
        """The features FAMILIARITY of each name: how familiar the model is with it."""
        return self.reference.standardise(self.measure(names))

    def measure(self, names: Sequence[str]) -> FeatureTable:
        """The log-probabilities that familiarity is computed from."""
        answerer = self.answerer
        return measure_familiarity(answerer.model, answerer.vocabulary, names, self.openings)

    def likelihood(self, names: Sequence[str]) -> np.ndarray:
        """How likely the model finds each name after its first word: a log-probability."""
        answerer = self.answerer
        return measure_likelihood(answerer.model, answerer.vocabulary, names, self.openings)


def open_closed_book(
    run: Run,
    reference: FamiliarityReference | None = None,
    forms: StatementForms | None = None,
) -> ClosedBookModel:
    predictor = run.predictor()
    if not isinstance(predictor, ModelAnswerer) or not run.dataset.questions:
        raise no_answers(run)
    recipe = run.recipe
    return ClosedBookModel(
        predictor, run.dataset, reference, forms, recipe.wordings, recipe.names_taught
    )


def no_answers(run: Run) -> BadData:
    return BadData(
        f"{run.path}: expected a run that answers questions, found a run of "
        f"'{run.recipe.name}'; 'wherefrom run people' makes one"
    )
