"""The reply to a question: the answer with its confidence, evidence and source.

`Reply` is the one form of an answer. `wherefrom.ask` returns it, and `ask --json` and
audit/answers.jsonl write it with the one encoder of `core/config.py`.
"""

from dataclasses import dataclass, field
from typing import Literal

from wherefrom.core.contracts import Span
from wherefrom.core.notebook import card, percent

# The labels of a verdict, which is a property of the corpus.
SUPPORTED, CONTRADICTED, SILENT, NO_TEXT = "supported", "contradicted", "silent", "no text"
VERDICTS = (SUPPORTED, CONTRADICTED, SILENT, NO_TEXT)
AS_READ = "as read"  # shown for SUPPORTED where the support is the note's own reading
SHOWN_VERDICTS = (SUPPORTED, AS_READ, CONTRADICTED, SILENT, NO_TEXT)

# The labels of a source, which is a property of the model.
RECALLED, GUESSED = "recalled", "guessed"
SOURCES = (RECALLED, GUESSED)

# Why an answer is withheld.
UNKNOWN_NAME, LOW_CONFIDENCE, NOT_STATED = "unknown name", "low confidence", "not stated"
OTHER_SPELLING = "another spelling"  # the text has a name that is spelt almost like this one

# What evidence is for: it is shown beside an answer, or the text must state the answer, or it must
# be supported by more than the words that the model was taught (not only as read).
SHOWN, STATED, REQUIRED = "shown", "stated", "required"
EVIDENCE = (SHOWN, STATED, REQUIRED)


@dataclass(frozen=True)
class Stated:
    """One thing that the text states, in its own words, and where it is quoted: see `Verdict`."""

    text: str
    document: int
    span: Span
    score: float
    quote: str


@dataclass(frozen=True)
class Verdict:
    """What the corpus says about an answer.

    supported: the subject's text states the answer. contradicted: the text states another answer.
    silent: the subject has text, but the text does not state the relation. no text: no document is
    about the subject. `stated` is what the text states, in its own words; `quote` has the sentences
    of `document` that say so, and the words stand in them at `span`. `document_id` is what the
    user's file calls the document, None where it has no name. `score` is the extractor's
    probability that a document of the subject states the relation. `also` has other answers that
    the text states: a text may contradict itself, and two people may have one name. `as_read`: the
    answer is supported only by the very words that the reader noted before the model was taught.
    The same reader then reads its own sentence again, which confirms nothing.
    """

    label: str
    stated: str | None
    document: int | None
    span: Span | None
    score: float
    quote: str | None = None
    document_id: str | None = None
    also: tuple[Stated, ...] = ()
    as_read: bool = False

    @property
    def shown(self) -> str:
        """The label that people are shown."""
        return AS_READ if self.as_read else self.label


@dataclass(frozen=True)
class NotedValue:
    """What the reader noted of the subject and the relation before the model was taught.

    The note is looked up after the model has answered. The value stands in `document` at `span`,
    and `sentence` is the sentence that it stands in. `score` is the reader's probability that the
    value is right. `agrees`: the model's answer is the noted value.
    """

    value: str
    score: float
    document: int
    span: Span
    sentence: str
    agrees: bool
    document_id: str | None = None


@dataclass(frozen=True)
class Source:
    """Whether the model recalled an answer from the subject's text or guessed it."""

    label: str
    probability_recalled: float


@dataclass(frozen=True)
class RankedAnswer:
    """One of the answers that the search found, with the model's own probability of it.

    The model's own probability is not calibrated: it ranks the answers, but does not say how often
    such an answer is right. `Reply.confidence` does.
    """

    text: str
    model_probability: float


@dataclass(frozen=True)
class Reply:
    """The answer to one question, and everything that is known about it.

    `answer` is the model's best answer, whether or not it is given. `answered` says whether it is
    given, `reason` why not, and `why_not` the same in a sentence. `confidence` is the calibrated
    probability that the answer is right. It is None for a name that the model does not know, for
    one that the text spells in another way, and where answers are `unverified`: no threshold was
    shown to keep the risk (docs/TRUST.md). `needs` is what the confidence would have to reach, if
    it is too low. `candidates`
    has the answers that the search found, the best first; it is empty, and `answer` too, if the
    model cannot read the name. `trained_on`: the model was trained on this very question, so the
    answer need not come from the text. `did_you_mean` has names from the text that are spelt like
    an unknown name. `note` is what the reader noted of the subject and the relation; None if it
    noted nothing, or if the run took no notes (`took_notes`). `source` is None where no audit has
    trained models without people's text to learn it from.
    """

    format_version: Literal[1] = field(default=1, kw_only=True)

    question: str
    subject: str
    relation: str
    answered: bool
    answer: str
    confidence: float | None
    reason: str | None
    name_known: bool | None
    candidates: tuple[RankedAnswer, ...]
    evidence: Verdict | None
    source: Source | None
    trained_on: bool = False
    did_you_mean: tuple[str, ...] = ()
    why_not: str | None = None
    took_notes: bool = False
    note: NotedValue | None = None
    unverified: bool = False
    needs: float | None = None

    @property
    def certainty(self) -> float | None:
        """The confidence or, where the answer is unverified, the model's own probability."""
        if self.unverified and self.candidates:
            return self.candidates[0].model_probability
        return self.confidence

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of evidence and, where it was measured on this text, of source."""
        verdict = () if self.evidence is None else (self.evidence.shown,)
        return verdict if self.source is None else (*verdict, self.source.label)

    def _say(self) -> tuple[str, str]:
        """The answer in words, and what stands beside it."""
        sure = "" if self.certainty is None else percent(self.certainty)
        if self.answered:
            how = "by its own probability" if self.unverified else "sure"
            return self.answer or "nothing", f"{sure} {how}" if sure else ""
        needs = "" if self.needs is None else f", needs {percent(self.needs)}"
        guess = f"best guess: {self.answer}" if self.answer else ""
        close = f"did you mean {' or '.join(self.did_you_mean)}?" if self.did_you_mean else ""
        return "I don't know", close or (f"{guess}, {sure}{needs}" if guess and sure else guess)

    def __repr__(self) -> str:
        answer, beside = self._say()
        parts = ", ".join(part for part in (f"{answer} ({beside})", *self.labels) if part)
        return f"<Reply to {self.question!r}: {parts}>".replace(" ()", "")

    def _repr_html_(self) -> str:
        answer, beside = self._say()
        found = self.evidence
        quote, span = ("", None) if found is None else (found.quote or "", found.span)
        return card(self.question, answer, beside, self.labels, quote, span)


@dataclass(frozen=True)
class Claim:
    """An answer that somebody says is right, weighed against the model's reply.

    `model_probability` is the model's own probability of it, None if the model cannot write it, and
    `evidence` is what the text says about it. `shown` counts the rows of training text and of notes
    about the subject that had the model's answer, and those that had the claim. Training questions
    are not counted there: `taught` has the answers that they taught. The recommendation is one
    sentence.
    """

    text: str
    model_probability: float | None
    evidence: Verdict | None
    shown: dict[str, int]
    taught: tuple[str, ...]
    recommendation: str
