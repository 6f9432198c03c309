"""Asking a run: questions in, replies out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from wherefrom.answering.certificate import Certificate
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.policy import AnswerPolicy
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.notebook import make_frame
from wherefrom.core.replies import (
    AS_READ,
    CONTRADICTED,
    EVIDENCE,
    NO_TEXT,
    NOT_STATED,
    SHOWN,
    STATED,
    SUPPORTED,
    Claim,
    Reply,
    Verdict,
)
from wherefrom.core.sample_size import DELTA

NO_UNKNOWN_NAMES = (
    "every calibration person has text, so confidence was not calibrated for names that the text "
    "does not have"
)


@dataclass(frozen=True)
class Problem:
    """Why a question could not be asked; `index` is its place among the questions, from 0."""

    index: int
    message: str


@dataclass(frozen=True)
class Replies(Sequence[Reply]):
    """The replies in the order of their questions, problems with other questions, and notes.

    `certificate` is the risk bound of the answers, if one was asked for. `notes` are sentences
    that a person should read together with the replies. `claims` has a claimed answer to each
    question, weighed against its reply, if one was given.
    """

    run: str
    replies: tuple[Reply, ...]
    problems: tuple[Problem, ...] = ()
    certificate: Certificate | None = None
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()

    def __len__(self) -> int:
        return len(self.replies)

    def __iter__(self) -> Iterator[Reply]:
        return iter(self.replies)

    @overload
    def __getitem__(self, index: int) -> Reply: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Reply, ...]: ...
    def __getitem__(self, index: int | slice) -> Reply | tuple[Reply, ...]:
        return self.replies[index]

    def __repr__(self) -> str:
        given = sum(reply.answered for reply in self.replies)
        failed = f", {len(self.problems)} not asked" if self.problems else ""
        return f"<Replies of {self.run}: {given} of {len(self.replies)} answered{failed}>"

    def _repr_html_(self) -> str:
        return "".join(reply._repr_html_() for reply in self.replies)  # pyright: ignore

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row for each reply."""
        return make_frame(
            [
                {
                    "question": reply.question,
                    "answered": reply.answered,
                    "answer": reply.answer,
                    "confidence": reply.confidence,
                    "reason": reply.reason,
                    "evidence": reply.evidence and reply.evidence.shown,
                    "quote": reply.evidence and reply.evidence.quote,
                    "source": reply.source and reply.source.label,
                }
                for reply in self.replies
            ]
        )


def ask(
    inspector: Inspector,
    questions: Sequence[str],
    *,
    risk: float | None = None,
    delta: float | None = None,
    evidence: str = SHOWN,
    strict: bool = True,
) -> Replies:
    """Put questions to a finished run.

    With `risk`, the model answers only above a threshold with this risk bound. If `evidence` is
    "stated", an answer that the text does not state is withheld; if it is "required", one that is
    only as read, too. A question that the run cannot be asked raises BadData if `strict`; otherwise
    it is listed in `problems`, and the other questions are answered.
    """
    inspector, certificate, notes = prepare(inspector, risk, delta, evidence)
    parsed, problems = _parse(inspector, questions)
    if strict and problems:
        raise BadData(problems[0].message)
    replies = inspector.reply(parsed)
    notes += _warn_of_unknown_names(inspector.policy, replies)
    if evidence != SHOWN:
        replies = [require_evidence(reply, evidence) for reply in replies]
    path = str(inspector.opened.path)
    return Replies(path, tuple(replies), tuple(problems), certificate, tuple(notes))


def _warn_of_unknown_names(policy: AnswerPolicy | None, replies: Sequence[Reply]) -> list[str]:
    unknown = any(reply.evidence and reply.evidence.label == NO_TEXT for reply in replies)
    if policy is None or policy.without_text is not None or not unknown:
        return []
    return [NO_UNKNOWN_NAMES]


def prepare(
    inspector: Inspector, risk: float | None, delta: float | None, evidence: str
) -> tuple[Inspector, Certificate | None, list[str]]:
    """The inspector that answers with these options, its certificate, and what to say first."""
    if delta is not None and risk is None:
        raise UsageError("delta: expected a risk beside it, found none; add a risk")
    if evidence not in EVIDENCE:
        raise UsageError(f"evidence: expected {', '.join(EVIDENCE)}, found {evidence!r}")
    if risk is None:
        return inspector, None, inspector.notes()
    inspector, certificate = inspector.with_certificate(risk, DELTA if delta is None else delta)
    return inspector, certificate, [*inspector.notes(), certificate.explain(evidence)]


def require_evidence(reply: Reply, evidence: str) -> Reply:
    """The same reply, its answer withheld unless the text states it.

    If evidence is required, what is only as read is withheld, too: it has no evidence beside the
    reading that the model was taught.
    """
    verdict = reply.evidence
    shown = None if verdict is None else verdict.shown
    if not reply.answered or shown == SUPPORTED or (shown == AS_READ and evidence == STATED):
        return reply
    why = f"no evidence: {_explain_lack(verdict)}"
    reason = AS_READ if shown == AS_READ else NOT_STATED
    return replace(reply, answered=False, reason=reason, why_not=why)


def _explain_lack(verdict: Verdict | None) -> str:
    if verdict is None:
        return "too few of the asked answers stand in the text to learn how it states them"
    if verdict.as_read:
        return (
            "the text states it only where the reader noted it for the model to learn; read the "
            "sentence, or take it as evidence with --evidence stated"
        )
    if verdict.label == CONTRADICTED:
        return f"the text states another answer: {verdict.stated}"
    if verdict.label == NO_TEXT:
        return "nothing in the text is about this name"
    return "the text about this name does not state it"


def _parse(
    inspector: Inspector, questions: Sequence[str]
) -> tuple[list[ParsedQuestion], list[Problem]]:
    parsed: list[ParsedQuestion] = []
    problems: list[Problem] = []
    for i, text in enumerate(questions):
        try:
            parsed.append(inspector.parse(text))
        except BadData as error:
            problems.append(Problem(i, str(error)))
    return parsed, problems
