"""The inspector: everything that is known about a run's answers, put into replies.

It combines three packages: confidence and the name gate (`answering`), what the text says
(`evidence`), and whether the model recalled the answer (`memorisation`). `wherefrom ask` and
`audit` both use it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from wherefrom.answering.certificate import Certificate
from wherefrom.answering.closed_book import ClosedBookModel, no_answers
from wherefrom.answering.decoys import DecoyNames
from wherefrom.answering.fitting import certify_policy, fit_policy, judge
from wherefrom.answering.name_gate import make_decoy_names
from wherefrom.answering.policy import AnswerPolicy, Decision, decide, find_policy, open_as_stored
from wherefrom.answering.source import (
    USUAL,
    SourcePredictor,
    read_source_predictor,
    source_features,
)
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import EVERY_SUPPORT, Answer, Dataset, Note, Question, Span
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.replies import (
    GUESSED,
    NO_TEXT,
    UNKNOWN_NAME,
    NotedValue,
    RankedAnswer,
    Reply,
    Source,
    Verdict,
)
from wherefrom.generation.answerer import BEAMS
from wherefrom.reading.index import fold
from wherefrom.reading.quotes import cut_sentence
from wherefrom.reading.tokens import normalise
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.folder import decode_note
from wherefrom.runs.kept_extractors import open_fact_checker
from wherefrom.runs.layout import predictions_name
from wherefrom.runs.opened_run import Run

ASK_THE_RUN = "name the folder of the run: the report lacks what this needs"
NO_CALIBRATION = "the run has no calibration people, so its answers are unverified"


class Opened(ABC):
    """The parts that replies need, of a run or of its report."""

    path: Path
    took_notes: bool

    @property
    @abstractmethod
    def dataset(self) -> Dataset: ...

    @cached_property
    @abstractmethod
    def model(self) -> ClosedBookModel: ...

    @cached_property
    @abstractmethod
    def policy(self) -> AnswerPolicy | None:
        """When to answer; None without calibration people."""

    @cached_property
    @abstractmethod
    def fact_checker(self) -> FactChecker | None: ...

    @cached_property
    @abstractmethod
    def predictor(self) -> SourcePredictor | None:
        """Recalled or guessed; None if no model was retrained to fit it."""

    @abstractmethod
    def find_note(self, subject: str, relation: str) -> Note | None:
        """What the reader noted of a subject; None if it noted nothing."""

    @abstractmethod
    def changed_source(self) -> str | None:
        """One line on why the text is no longer the one that was trained on; None if it is."""

    @property
    def calibration_people(self) -> tuple[Question, ...]:
        return self.dataset.select("calibration", EVERY_SUPPORT)

    @cached_property
    def decoys(self) -> DecoyNames | None:
        return make_decoy_names(self.model, self.dataset)

    @cached_property
    def trained_on(self) -> set[tuple[str, str]]:
        """The subject and the relation of every question that was trained on."""
        return {(q.subject, q.relation) for q in self.dataset.asked}


class OpenedRun(Opened):
    """The parts of a run; each is opened when it is first used."""

    def __init__(self, run: Run) -> None:
        self.run, self.path, self.took_notes = run, run.path, run.recipe.notes

    @property
    def dataset(self) -> Dataset:
        return self.run.dataset

    @cached_property
    def stored_policy(self) -> AnswerPolicy | None:
        """The policy in the run folder; None if none was fitted."""
        return find_policy(self.run)

    @cached_property
    def model(self) -> ClosedBookModel:
        return open_as_stored(self.run, self.stored_policy)

    @cached_property
    def policy(self) -> AnswerPolicy | None:
        """The stored policy, or one that is fitted now."""
        people = self.calibration_people
        if self.stored_policy is not None or not people:
            return self.stored_policy
        masked = self.dataset.select("masked", EVERY_SUPPORT)
        judged, more = judge(self.model, people), judge(self.model, masked) if masked else None
        return fit_policy(self.model, judged, self.run.recipe.precision, self.decoys, more)

    def decoded(self) -> dict[str, Answer]:
        """What the evaluation decoded with the primary model, by the text of the question."""
        run, found = self.run, dict[str, Answer]()
        primary = run.recipe.primary
        for task in run.recipe.tasks:
            alike = task.measure == "accuracy" and task.beams == BEAMS and not task.brief
            kept = run.folder.has(predictions_name(primary, task.name))
            if alike and primary in task.predictors and kept:
                found |= {q.text: answer for q, answer in run.predictions(primary, task.name)}
        return found

    @cached_property
    def fact_checker(self) -> FactChecker | None:
        return open_fact_checker(self.run)

    @cached_property
    def predictor(self) -> SourcePredictor | None:
        return read_source_predictor(self.run.folder)

    @cached_property
    def _note_rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Every note by its subject and relation; read once, and decoded when it is asked for."""
        rows = self.run.folder.read_note_rows()
        return {(fold(row["subject"]), row["relation"]): row for row in rows}

    def find_note(self, subject: str, relation: str) -> Note | None:
        row = self._note_rows.get((fold(subject), relation))
        return None if row is None else decode_note(row)

    def changed_source(self) -> str | None:
        return self.run.changed_source()


class Inspector:
    """Turns questions into replies, with the run's own policy and source predictor or with others.

    Open it once and ask it often. `with_certificate` and `with_predictor` return another inspector
    that shares the opened parts.
    """

    def __init__(
        self,
        opened: Opened,
        policy: AnswerPolicy | None = None,
        predictor: SourcePredictor | None = None,
    ) -> None:
        self.opened, self._policy, self._predictor = opened, policy, predictor

    @property
    def opened_run(self) -> OpenedRun:
        """The parts of the run, of which a report has some alone."""
        if not isinstance(self.opened, OpenedRun):
            raise UsageError(f"{self.opened.path}: expected a run, found a report; {ASK_THE_RUN}")
        return self.opened

    @property
    def run(self) -> Run:
        return self.opened_run.run

    @property
    def model(self) -> ClosedBookModel:
        return self.opened.model

    @property
    def policy(self) -> AnswerPolicy | None:
        return self._policy or self.opened.policy

    @property
    def predictor(self) -> SourcePredictor | None:
        return self._predictor or self.opened.predictor

    def with_predictor(self, predictor: SourcePredictor) -> "Inspector":
        return Inspector(self.opened, self._policy, predictor)

    def with_certificate(self, alpha: float, delta: float) -> tuple["Inspector", Certificate]:
        """An inspector that answers only above a threshold with a risk bound."""
        people = self.opened.calibration_people
        if not people:
            raise BadData(
                f"{self.opened.path}: expected calibration people to certify a risk bound with, "
                "found none; leave the risk out, or ask a run that has calibration people (such as "
                "birthplaces-calibrated)"
            )
        judged = judge(self.model, people)
        found = certify_policy(self.model, judged, alpha, delta, self.opened.decoys)
        return Inspector(self.opened, found.policy, self._predictor), found.certificate

    def notes(self) -> list[str]:
        """What a person should know before reading the replies."""
        notes = [line] if (line := self.opened.changed_source()) else []
        return notes if self.policy is not None else [*notes, NO_CALIBRATION]

    # -- replies -------------------------------------------------------------------

    def parse(self, text: str) -> ParsedQuestion:
        """Parse a question; BadData says why if the model cannot be asked it.

        A name with letters that the model lacks is no error: the reply is that it is unknown.
        """
        return self.model.parse(text, any_letters=True)

    def reply(self, questions: Sequence[ParsedQuestion]) -> list[Reply]:
        """Replies with confidence, evidence and source."""
        unseen = [self.model.unseen(question) for question in questions]
        readable = [q for q, letters in zip(questions, unseen, strict=True) if not letters]
        replies = iter(self.compose(self.model.answer(readable)) if readable else ())
        return [
            self._decline(question, letters) if letters else next(replies)
            for question, letters in zip(questions, unseen, strict=True)
        ]

    def _decline(self, question: ParsedQuestion, unseen: Sequence[str]) -> Reply:
        """The reply to a question that the model cannot read: it never saw these letters."""
        letters = ", ".join(f"{c!r} (U+{ord(c):04X})" for c in unseen)
        return Reply(
            question=question.text,
            subject=question.subject,
            relation=question.relation,
            answered=False,
            answer="",
            confidence=None,
            reason=UNKNOWN_NAME,
            name_known=False,
            candidates=(),
            evidence=self.judge_answer(question, ""),
            source=self.predictor and Source(GUESSED, 0.0),  # nothing was read about it
            did_you_mean=self.model.parser.suggest(question.subject),
            why_not=f"the model does not know the name: it has never seen {letters}",
            took_notes=self.opened.took_notes,
            note=self.show_note(question, ""),
        )

    def compose(
        self, answered: AnswerTable, verdicts: Sequence[Verdict | None] | None = None
    ) -> list[Reply]:
        """The replies for answers; without `verdicts`, the text is consulted."""
        if verdicts is None:
            verdicts = self.judge(answered)
        sources = self.find_sources(answered, verdicts)
        decisions = decide(self.policy, answered.features, answered.relations)
        each = zip(answered.asked, answered.answers, verdicts, sources, decisions, strict=True)
        return [self._reply(*parts) for parts in each]

    def judge(self, answered: AnswerTable) -> list[Verdict | None]:
        """What the text says about every answer."""
        pairs = zip(answered.asked, answered.answers, strict=True)
        return [self.judge_answer(question, answer.text) for question, answer in pairs]

    def judge_answer(self, question: ParsedQuestion | Question, answer: str) -> Verdict | None:
        """What the text says about one answer; None if the relation has no extractor."""
        checker = self.opened.fact_checker
        if checker is None or question.relation not in checker.extractors:
            return None
        note = self.opened.find_note(question.subject, question.relation)
        verdict = checker.judge(question.subject, answer, question.relation, note)
        if verdict.document is None:
            return verdict
        name = self.opened.dataset.documents[verdict.document].id
        return replace(verdict, document_id=name or None)

    def find_sentence(self, note: Note) -> Span:
        """The sentence that a note was taken from, cut where it is long."""
        text, checker = self.opened.dataset.documents[note.document].text, self.opened.fact_checker
        return cut_sentence(text, note.span, starters=checker.starters if checker else ())

    def show_note(self, question: ParsedQuestion, answer: str) -> NotedValue | None:
        """The note beside an answer that was given without it; None if there is none."""
        note = self.opened.find_note(question.subject, question.relation)
        if note is None:
            return None
        document = self.opened.dataset.documents[note.document]
        return NotedValue(
            value=note.value,
            score=note.score,
            document=note.document,
            span=note.span,
            sentence=self.find_sentence(note).of(document.text),
            agrees=normalise(answer) == normalise(note.value),
            document_id=document.id or None,
        )

    def find_sources(
        self, answered: AnswerTable, verdicts: Sequence[Verdict | None]
    ) -> list[Source] | list[None]:
        """Whether each answer was recalled; None if no model was retrained to learn it from."""
        if self.predictor is None:
            return [None] * len(verdicts)
        if USUAL not in answered.features.columns:
            answered = self.with_source_features(answered, verdicts)
        return self.predictor.predict(answered.features, answered.relations)

    def with_source_features(
        self, answered: AnswerTable, verdicts: Sequence[Verdict | None]
    ) -> AnswerTable:
        decoys = self.opened.decoys
        names = [decoys.of(q.subject) if decoys else () for q in answered.asked]
        features = source_features(self.model, answered, names, verdicts)
        return replace(answered, features=features)

    def _reply(
        self,
        question: ParsedQuestion,
        answer: Answer,
        verdict: Verdict | None,
        source: Source | None,
        decision: Decision,
    ) -> Reply:
        if verdict is not None and verdict.label == NO_TEXT:
            # By definition m is 0 if there is no text to leave out.
            source = source and Source(GUESSED, 0.0)
            decision = decision.without_text(self.policy and self.policy.without_text)
        found = (answer, *answer.others)  # the best one first
        subject, relation = question.subject, question.relation
        decision = decision.unless_meant(self.model.find_meant(subject))
        return Reply(
            question=question.text,
            subject=subject,
            relation=relation,
            answered=decision.given,
            answer=answer.text,
            confidence=decision.confidence,
            reason=decision.reason,
            name_known=decision.name_known,
            candidates=tuple(RankedAnswer(each.text, each.probability) for each in found),
            evidence=verdict,
            source=source,
            trained_on=(subject, relation) in self.opened.trained_on,
            did_you_mean=self.model.parser.suggest(subject),
            why_not=decision.why_not,
            took_notes=self.opened.took_notes,
            note=self.show_note(question, answer.text),
            unverified=decision.unverified,
            needs=decision.needs,
        )


def open_inspector(run: Run) -> Inspector:
    run.require_finished()
    if not run.dataset.questions:
        raise no_answers(run)
    return Inspector(OpenedRun(run))
