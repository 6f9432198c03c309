"""A model put to questions: its answers, and the features that tell how far to trust each."""

from collections.abc import Sequence

import numpy as np

from wherefrom.answering.familiarity import ending, familiarity, openings
from wherefrom.answering.name_gate import FAMILIARITY
from wherefrom.core.contracts import Answer, Document, Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import find_forms, match
from wherefrom.core.vocabulary import MASK, PAD
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.run import Run

FEATURES = ("log_probability", "margin", *FAMILIARITY)
_TINY = 1e-12
_SPREADS = 6.0  # past so many standard deviations a name is as unfamiliar as it gets
_REFERENCES = 500
_END = 3  # the column of the name's end
# Nearly all known names surely end where they end. A fifth of the usual chance is strange enough.
_SURE_END = np.log(5) / _SPREADS
_FORMS = 3  # that are shown to someone who asked in another one


class Asker:
    """A model and what it was taught from, put to questions.

    Familiarity is measured against the people it was asked about in training: names that it
    must know.
    """

    def __init__(
        self, answerer: ModelAnswerer, documents: Sequence[Document], asked: Sequence[Question]
    ) -> None:
        self.answerer = answerer
        self.contexts = openings(documents) or [""]
        texts = [q.text for q in asked]
        self.forms = find_forms(texts)
        names = [pair[1] for text in texts if (pair := match(self.forms, text))]
        if not names:
            raise BadData(
                f"asked questions: expected several of one form, found {len(texts)} without"
            )
        known = self._familiarity(names[:_REFERENCES])
        self._typical, self._spread = known.mean(0), known.std(0) + _TINY
        self._spread[_END] = max(self._spread[_END], _SURE_END)

    def subject(self, question: str) -> str:
        """The name in a question of a form the model was taught."""
        found = match(self.forms, question)
        if found is None:
            taught = " or ".join(f"'{form.fill('...')}'" for form in self.forms[:_FORMS])
            only = "only this one" if len(self.forms) == 1 else f"{len(self.forms)} forms"
            raise BadData(
                f"{question!r}: expected a question like {taught}, "
                f"found another form; the model was taught {only}"
            )
        return found[1]

    def check(self, question: str) -> None:
        """Raise BadData, which says what is wrong, if the model cannot be asked this."""
        name = self.subject(question)
        self.answerer.vocabulary.encode(question)
        if marks := [c for c in (PAD, MASK) if c in question]:
            raise BadData(
                f"{question!r}: expected no {marks[0]!r} (U+{ord(marks[0]):04X}), found one; "
                "the model needs it for itself"
            )
        opening = max(len(context) for context in self.contexts)
        longest = max(len(question) + 1, opening + len(name) + 1)
        spare = self.answerer.model.max_input - longest
        if spare < 0:
            raise BadData(
                f"{question!r}: expected a name of at most {len(name) + spare} characters, "
                f"found {len(name)}; the model reads no more at once"
            )

    def can_ask(self, question: str) -> bool:
        try:
            self.check(question)
        except BadData:
            return False
        return True

    def examine(self, questions: Sequence[str]) -> tuple[list[Answer], np.ndarray]:
        """The answers and, for each, the features that tell how far to trust it."""
        known = self.acquaintance([self.subject(q) for q in questions])
        answers = self.answerer.answer(questions)
        best = np.log([max(a.probability, _TINY) for a in answers])
        second = [a.others[0].probability if a.others else 0.0 for a in answers]
        margin = best - np.log(np.maximum(second, _TINY))
        return answers, np.column_stack((best, margin, known))

    def acquaintance(self, names: Sequence[str]) -> np.ndarray:
        """How familiar the names are, (N, 2), in spreads of the asked people's.

        A name may be strange in one part only: after its first word, in one character there, in
        its first word, or in that it ends too soon. Calibration people without text are strange
        in the first two ways at once, so a curve could not learn to mind each by itself: where
        one part is as unfamiliar as it gets, the whole name is.
        """
        known = (self._familiarity(names) - self._typical) / self._spread
        known = np.clip(known, -_SPREADS, _SPREADS)
        known[known.min(axis=1) == -_SPREADS] = -_SPREADS
        return known[:, : len(FAMILIARITY)]

    def spells(self, name: str) -> bool:
        """Whether a name can stand in every form of question that the model was taught."""
        return all(self.can_ask(form.fill(name)) for form in self.forms)

    def _familiarity(self, names: Sequence[str]) -> np.ndarray:
        where = self.answerer.model, self.answerer.vocabulary, names, self.contexts
        return np.column_stack((familiarity(*where), ending(*where)))


def open_asker(run: Run) -> Asker:
    predictor = run.predictor()
    if not isinstance(predictor, ModelAnswerer) or not run.dataset.questions:
        raise BadData(f"{run.path}: expected a run that answers questions, found {run.recipe.name}")
    return Asker(predictor, run.dataset.documents, run.dataset.asked)
