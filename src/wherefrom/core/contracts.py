"""The shapes that pass between the rooms. Behaviour lives elsewhere; this file only names it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Span:
    """Characters start to end (not included) of a text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Document:
    """One text of the corpus, and where in it its subject is named (None: nowhere).

    `id` is what the user's file calls it, "" where it has no name.
    """

    text: str
    subject: Span | None = None
    id: str = ""

    @property
    def name(self) -> str:
        """The subject as the text spells it, "" where there is none."""
        return self.subject.of(self.text) if self.subject else ""


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a document that is about one subject, whose name may stand anywhere in it."""

    document: int
    subject: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of one document: facts are keyed by document, since names repeat."""

    subject: str
    relation: str
    value: str
    document: int
    value_span: Span


@dataclass(frozen=True, slots=True)
class Note:
    """What the reader noted: a value that a document states of a subject.

    It follows from the asked questions and the text alone. `value` is as the document spells it,
    `span` says where, and `score` is the probability that this value is right.
    """

    subject: str
    relation: str
    value: str
    document: int
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class Question:
    """A closed-book question.

    `split` is asked, calibration, held-out, masked (the text lacks the answer, and so calibration
    has more of such people) or unanswered (nobody gave its answer: it can be asked but not scored).
    An `answer` of "" says that there is none: the right reply is "I don't know". `support` is what
    the corpus can say about the answer: 'stated', 'omitted' (the subject has text without it),
    'none' (it has no text), or 'unknown' without an answer. `accepted` are further answers that are
    right too; `id` is what the user's file calls it.
    """

    text: str
    subject: str
    relation: str
    answer: str | None
    split: str
    support: str = "stated"
    accepted: tuple[str, ...] = ()
    id: str = ""

    @property
    def answerable(self) -> bool:
        """Whether there is a right answer, known or not."""
        return self.answer != ""

    def accepts(self, answer: str) -> bool:
        """Whether an answer is right, character by character."""
        return self.answerable and (answer == self.answer or answer in self.accepted)


WITH_TEXT = ("stated", "omitted")  # supports of a question whose subject has text
EVERY_SUPPORT = (*WITH_TEXT, "none")  # of a question whose answer is known
NOT_TRAINED_ON = ("calibration", "held-out")  # splits with answers that the model never saw
SHORTEST_ROOM = 32  # characters that any answer may take, as in the course


@dataclass(frozen=True)
class Dataset:
    """All that a run reads: documents, what they state, and the questions about them."""

    documents: Sequence[Document]
    facts: Sequence[Fact] = ()
    questions: Sequence[Question] = ()
    alphabet: str = ""  # characters the vocabulary must have besides the documents' own
    held_out: int = 0  # the number of documents at the end that are never trained on
    passages: tuple[Passage, ...] = ()  # none: every document is about the subject it names

    @cached_property
    def asked(self) -> Sequence[Question]:
        """Every question that is trained on, whatever the text says of its answer."""
        return tuple(q for q in self.questions if q.split == "asked")

    @property
    def training_documents(self) -> Sequence[Document]:
        """The documents that are trained on: all but the held-out ones at the end."""
        return self.documents[: len(self.documents) - self.held_out]

    @property
    def held_out_documents(self) -> Sequence[Document]:
        """The documents at the end that are never trained on."""
        return self.documents[len(self.documents) - self.held_out :]

    @cached_property
    def answer_room(self) -> int:
        """Characters that an answer may take, the mask that closes it among them.

        The course's 32, or as many as the longest answer that is trained on needs.
        """
        longest = max((len(q.answer or "") for q in self.asked), default=0)
        return max(SHORTEST_ROOM, longest + 1)

    def select(self, split: str, support: Sequence[str] = ("stated",)) -> tuple[Question, ...]:
        return tuple(q for q in self.questions if q.split == split and q.support in support)

    def scored(self, split: str, support: Sequence[str]) -> tuple[Question, ...]:
        """Those of `select` that have a right answer."""
        return tuple(q for q in self.select(split, support) if q.answerable)


@dataclass(frozen=True)
class Batch:
    """Rows of one step. `weights` is zero where a target does not count.

    `lengths` (inputs that matter in each row) lets a learner bucket and crop. Arrays are torch
    tensors or numpy arrays, as the learner wants them.
    """

    inputs: Any
    targets: Any
    weights: Any
    lengths: Any = None


class Bags(NamedTuple):
    """Texts whose words have no order, one after the other: ragged inputs of a batch."""

    words: Any
    offsets: Any  # where each text's words begin


EVERY_ROW = slice(None)


class Objective(Protocol):
    """What a step is taught. Both methods are pure: same arguments, same integers.

    A process that trains with others plans all rows and renders its own: `rows` says which.
    """

    def plan(self, first_step: int, count: int) -> Any:
        """Integers that say which document, window and span each row of those steps has."""
        ...

    def render(self, plan: Any, index: int, rows: slice = EVERY_ROW) -> Batch:
        """The rows of the index-th step of a plan."""
        ...


class StaticObjective(Objective, Protocol):
    """One whose steps all have one shape, so that a GPU can replay them."""

    width: int  # inputs of the longest row there can be

    def render_all(self, plan: Any, rows: slice = EVERY_ROW) -> Batch:
        """Every step of a plan at once, (steps, rows, width); nothing is asked of the device."""
        ...


@dataclass(frozen=True)
class State:
    """All that a learner needs to go on: arrays, and values that JSON can hold."""

    arrays: dict[str, np.ndarray]
    values: dict[str, Any] = field(default_factory=dict)


def never() -> bool:
    return False


class Learner(Protocol):
    """What the training loop drives; a torch model and a numpy one look alike from there."""

    factor: float | None  # on the rate, where it follows a clock and not the stage's schedule

    def prepare(self, count: int) -> None:
        """Make ready for chunks of `count` steps, so that the first is as fast as any."""
        ...

    def advance(
        self, first_step: int, count: int, stopped: Callable[[], bool] = never
    ) -> dict[str, np.ndarray]:
        """Take `count` steps; one value a step for every metric.

        Must have 'loss', 'targets' (how many counted) and 'finite'. An update whose loss or
        gradient is not finite must not have been applied. If steps are slow, the learner asks
        after each whether it is `stopped`, and then returns with fewer steps.
        """
        ...

    def state(self) -> State: ...

    def load(self, state: State) -> None: ...


@dataclass(frozen=True)
class Candidate:
    """One possible answer and its probability."""

    text: str
    probability: float


@dataclass(frozen=True)
class Answer:
    """What a model says to one question: its best answer first; `finished` if it closed it."""

    text: str
    probability: float
    others: tuple[Candidate, ...] = ()
    finished: bool = True


class Answerer(Protocol):
    """Anything that answers questions: a model, a baseline."""

    def answer(self, questions: Sequence[str]) -> list[Answer]: ...


class Scorer(Protocol):
    """Anything that gives each target of a text a probability: a language model."""

    def log_probabilities(self, text: Any) -> np.ndarray:
        """Natural log-probability of every target, one number a target."""
        ...
