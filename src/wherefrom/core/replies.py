"""What is said to a question: the answer, how sure, what the text says, and where it came from.

`Reply` is the one form of an answer. `wherefrom.ask` returns it, and `ask --json`,
`dispute --json` and audit/answers.jsonl write it with the one encoder of `core/config.py`.
"""

from dataclasses import dataclass
from typing import ClassVar

from wherefrom.core.contracts import Span

# Verdicts: a property of the corpus.
SUPPORTED, CONTRADICTED, SILENT, NO_TEXT = "supported", "contradicted", "silent", "no text"
VERDICTS = (SUPPORTED, CONTRADICTED, SILENT, NO_TEXT)

# Sources: a property of the model.
RECALLED, GUESSED = "recalled", "guessed"
SOURCES = (RECALLED, GUESSED)

# Why an answer is withheld.
UNKNOWN_NAME, LOW_CONFIDENCE = "unknown name", "low confidence"


@dataclass(frozen=True)
class Verdict:
    """What the corpus says of an answer.

    supported: the subject's text states it; contradicted: the text states another; silent: the
    subject has text, which does not tell; no text: nothing is about the subject. `stated` is
    the text's own word for it, which stands in `document` at `span`; `quote` is that document.
    `score` is the extractor's probability that a document of the subject states the relation.
    """

    label: str
    stated: str | None
    document: int | None
    span: Span | None
    score: float
    quote: str | None = None


@dataclass(frozen=True)
class Source:
    """Whether the model recalled an answer from the subject's text or guessed it.

    `borrowed`: the predictor that says so was fitted on another run.
    """

    label: str
    probability_recalled: float
    borrowed: bool = False


@dataclass(frozen=True)
class RankedAnswer:
    """One of the answers that the search found, with the model's own probability of it.

    That probability is not calibrated: it orders the answers, and does not say how often such an
    answer is right. The calibrated one is `Reply.confidence`.
    """

    text: str
    model_probability: float


@dataclass(frozen=True)
class Reply:
    """The answer to one question, and all that is known about it.

    `answer` is the model's best answer whether or not it is given; `answered` says if it is, and
    `reason` why not. `confidence` is the calibrated probability that the answer is right: None
    for a name that the model does not know, and for a run that nothing calibrated. `candidates`
    has the answers that the search found, the best first. `trained_on`: the model was trained on
    this very question, so the answer need not come from the text. `did_you_mean` has names that
    the text is about and that are spelt like an unknown one.
    """

    format_version: ClassVar[int] = 1

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
