"""How often training showed a model each fact: every stage's plans, drawn again and counted.

Nothing is logged in training: a plan is a pure function of its step, so the counts are exact.

A row of training text is `prefix MASK suffix MASK span MASK`, or plain text without a span (see
`objectives/spans.py`). Two places of a fact's document are followed: its *value*, where the fact
says that it stands, and its *name*, where the document names the subject (the head of a line
"Name. Text"; later mentions, often by the last name alone, are not followed). Either counts only
if a row has all of it in one piece: a row may begin or end inside a word, a window leaves text
out, and a span may take half of a word. The kinds of exposure:

    read          the value stands in the prefix, or anywhere in a row without a span
    suffix        the value stands in the suffix, between the first mask and the second
    value_masked  the value lies in the moved span, the name outside it
    name_masked   the name lies in the moved span, the value outside it
    from_name     the model must predict the value after text of the row that has the name and
                  not the value: had the row shown the value before, it could be copied
    asked         a question about the subject and the relation, whatever answer it taught

`read`, `suffix` and a value in the span exclude each other; the other kinds come on top of them,
so one row may count for several. A prediction counts whatever its weight in the loss.

Shapes: R rows of a plan, F facts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.contracts import Document, Fact, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Stage
from wherefrom.data.names import person
from wherefrom.data.statements import Told, state_facts
from wherefrom.objectives.answers import Answers
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.spans import COLUMNS, Documents
from wherefrom.runs.run import Run
from wherefrom.runs.workshop import Workshop

READ, SUFFIX, VALUE_MASKED, NAME_MASKED = "read", "suffix", "value_masked", "name_masked"
FROM_NAME, ASKED = "from_name", "asked"
TEXT_KINDS = (READ, SUFFIX, VALUE_MASKED, NAME_MASKED, FROM_NAME)  # of rows of documents
KINDS = (*TEXT_KINDS, ASKED)
SHOWN = (READ, SUFFIX, VALUE_MASKED)  # together, nearly every row that has the value in it
_ROWS_AT_ONCE = 1 << 16  # planned and counted together: bounds the memory
_NOWHERE = Span(-1, -1)


@dataclass(frozen=True)
class Exposures:
    """`counts` has for every kind one number a fact; `examples` is how many rows were planned."""

    facts: tuple[Fact, ...]
    counts: Mapping[str, np.ndarray]
    examples: int

    def __add__(self, other: "Exposures") -> "Exposures":
        if self.facts != other.facts:
            raise ValueError("expected exposures of the same facts")
        counts = {kind: self.counts[kind] + other.counts[kind] for kind in KINDS}
        return Exposures(self.facts, counts, self.examples + other.examples)

    def about(self, questions: Sequence[Question], kind: str) -> np.ndarray:
        """For each question, how often its answer was shown, over all documents that state it."""
        counts, found = self.counts[kind], self._facts_of(questions)
        if kind == ASKED:  # every statement of a fact counts the same questions: do not add them
            return np.array([counts[i].max(initial=0) for i in found], dtype=np.int64)
        return np.array([counts[i].sum() for i in found], dtype=np.int64)

    def seen(self, questions: Sequence[Question]) -> np.ndarray:
        """Whether each question's answer was ever shown or taught."""
        return np.any([self.about(questions, kind) > 0 for kind in KINDS], axis=0)

    def positions(self, questions: Sequence[Question]) -> np.ndarray:
        """The first character at which each question's answer starts in a line; -1: in no line."""
        starts = np.array([fact.value_span.start for fact in self.facts], dtype=np.int64)
        found = self._facts_of(questions)
        return np.array([starts[i].min() if len(i) else -1 for i in found], dtype=np.int64)

    def _facts_of(self, questions: Sequence[Question]) -> list[list[int]]:
        return [self._index.get((q.subject, q.relation, q.answer), []) for q in questions]

    @cached_property
    def _index(self) -> dict[tuple[str, str, str | None], list[int]]:
        index: dict[tuple[str, str, str | None], list[int]] = {}
        for i, fact in enumerate(self.facts):
            index.setdefault((fact.subject, fact.relation, fact.value), []).append(i)
        return index


def count_exposures(
    source: Run | Workshop, facts: Sequence[Fact] | None = None, model: str = ""
) -> Exposures:
    """What a model (default: the primary one) was shown by all stages that led to it.

    The data set's own facts are counted unless others are given, such as those of `claims`.
    """
    workshop = source.workshop if isinstance(source, Run) else source
    stages = workshop.recipe.chain(model)
    first, *others = (replay(source, stage, facts) for stage in stages)
    return sum(others, first)


def replay(source: Run | Workshop, stage: Stage, facts: Sequence[Fact] | None = None) -> Exposures:
    """What one stage shows, from its first step to its last."""
    workshop, dataset = source.workshop if isinstance(source, Run) else source, source.dataset
    facts = dataset.facts if facts is None else tuple(facts)
    if not facts:
        raise BadData(
            f"{workshop.recipe.name}: expected facts to count the exposures of, found none; "
            "its data set has no questions about its text"
        )
    counter = ExposureCounter(facts, dataset.documents, dataset.asked)
    return counter.count(workshop.objective(stage), stage.steps)


def claims(
    questions: Iterable[Question], documents: Sequence[Document], documents_of: Told | None = None
) -> tuple[Fact, ...]:
    """Facts for answers that somebody claims, wherever a document about the subject has them.

    `documents_of` finds those documents; without it, they are the ones with that subject.
    """
    if documents_of is not None:
        return state_facts(questions, documents, documents_of)
    numbers: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        if document.subject:
            numbers.setdefault(person(document.subject.of(document.text)), []).append(number)
    return state_facts(questions, documents, lambda subject: numbers.get(person(subject), ()))


class ExposureCounter:
    """Facts as integers, sorted by document, so that a row finds those of its document at once."""

    def __init__(
        self, facts: Sequence[Fact], documents: Sequence[Document], asked: Sequence[Question]
    ) -> None:
        self.facts = tuple(facts)
        order = sorted(range(len(facts)), key=lambda i: facts[i].document)
        self._rank = np.argsort(order)  # where each fact stands in that order
        ordered = [facts[i] for i in order]
        number = torch.tensor([fact.document for fact in ordered], dtype=torch.long)
        self._many = torch.bincount(number, minlength=len(documents))
        self._first = self._many.cumsum(0) - self._many
        self._value = _tensors([fact.value_span for fact in ordered])
        names = [name_of(fact, documents[fact.document]) or _NOWHERE for fact in ordered]
        self._name = _tensors(names)
        self._repetitions = _pad([repetitions(f, documents[f.document]) for f in ordered])
        self._asked, self._asking = _join_questions(ordered, asked)

    def count(self, mix: Mix, steps: int) -> Exposures:
        """Plan the first `steps` steps of a mix and count what they show."""
        totals = {kind: torch.zeros(len(self.facts), dtype=torch.long) for kind in KINDS}
        examples, chunk = 0, max(1, _ROWS_AT_ONCE // mix.rows)
        for first in range(0, steps, chunk):
            for part, plan, _ in mix.plan(first, min(chunk, steps - first)):
                if isinstance(part.objective, Documents):
                    rows = plan.cpu().reshape(-1, len(COLUMNS))
                    for kind, found in self.count_rows(rows).items():
                        totals[kind] += found
                    examples += int((rows[:, COLUMNS.index("length")] > 0).sum())
                elif isinstance(part.objective, Answers):
                    asked = plan.cpu().flatten()
                    totals[ASKED] += self._count_questions(asked)
                    examples += int((asked >= 0).sum())
        counts = {kind: total.numpy()[self._rank] for kind, total in totals.items()}
        return Exposures(self.facts, counts, examples)

    def count_rows(self, rows: Tensor) -> dict[str, Tensor]:
        """What rows of documents, (R, 6), count for: for every kind of text (F), by document."""
        columns = dict(zip(COLUMNS, rows.T, strict=True))
        document = columns.pop("document")
        # Every fact of every row's document, one after the other: its row, and its own number.
        many = self._many[document]
        row = torch.repeat_interleave(torch.arange(len(rows)), many)
        nth = torch.arange(len(row)) - (many.cumsum(0) - many)[row]
        fact = self._first[document][row] + nth
        layout = _Layout(**{name: column[row] for name, column in columns.items()})

        def place(spans: tuple[Tensor, Tensor]) -> _Place:
            first, last = spans
            return layout.place(first[fact], last[fact])

        value, name = place(self._value), place(self._name)
        from_name = value.whole & name.whole & (name.last < value.first)
        for spans in self._repetitions:
            other = place(spans)
            from_name &= ~(other.whole & (other.last < value.first))
        found = {
            READ: value.whole & value.before,
            SUFFIX: value.whole & value.behind,
            VALUE_MASKED: value.whole & value.moved & name.whole & ~name.moved,
            NAME_MASKED: name.whole & name.moved & value.whole & ~value.moved,
            FROM_NAME: from_name,
        }
        count = len(self.facts)
        return {kind: torch.bincount(fact[here], minlength=count) for kind, here in found.items()}

    def _count_questions(self, asked: Tensor) -> Tensor:
        most = int(self._asking.max()) + 1 if len(self._asking) else 1
        times = torch.bincount(asked[asked >= 0], minlength=most)
        weights = times[self._asking].double()
        return torch.bincount(self._asked, weights, minlength=len(self.facts)).long()


@dataclass(frozen=True)
class _Place:
    """Where some characters stand in each row; the numbers mean something only where `whole`."""

    whole: Tensor
    before: Tensor
    moved: Tensor
    behind: Tensor
    first: Tensor
    last: Tensor


@dataclass(frozen=True)
class _Layout:
    """The columns of rows, as `objectives/spans.py` plans them, and where text ends up in them."""

    keep: Tensor
    cut: Tensor
    length: Tensor
    start: Tensor
    size: Tensor

    def place(self, first: Tensor, last: Tensor) -> _Place:
        """Characters `first` up to `last`, not included, of each row's document; -1 for none."""
        spanned, end = self.size > 0, self.start + self.size
        after = first >= self.keep + self.cut
        shift = torch.where(after, self.cut, 0)
        left, right = first - shift, last - shift
        together = after | (last <= self.keep) | (self.cut == 0)
        there = (first >= 0) & together & (right <= self.length)
        before = ~spanned | (right <= self.start)
        moved = spanned & (left >= self.start) & (right <= end)
        behind = spanned & (left >= end)
        # In the row's own order: a mask before the suffix, two before the span.
        jump = torch.where(moved, self.length - end + 2, torch.where(behind, 1 - self.size, 0))
        whole = there & (before | moved | behind)
        return _Place(whole, before, moved, behind, left + jump, right + jump - 1)


def name_of(fact: Fact, document: Document) -> Span | None:
    """Where a document names a fact's subject: its own subject, or else the first mention."""
    subject = document.subject
    if subject and person(subject.of(document.text)) == person(fact.subject):
        return subject
    start = document.text.find(fact.subject)
    return None if start < 0 else Span(start, start + len(fact.subject))


def repetitions(fact: Fact, document: Document) -> list[Span]:
    """Where else a document has the fact's value, letter by letter."""
    found: list[Span] = []
    place = document.text.find(fact.value)
    while place >= 0:
        if place != fact.value_span.start:
            found.append(Span(place, place + len(fact.value)))
        place = document.text.find(fact.value, place + 1)
    return found


def _tensors(spans: Sequence[Span]) -> tuple[Tensor, Tensor]:
    """First characters and ends, (F) each."""
    return torch.tensor([s.start for s in spans]), torch.tensor([s.end for s in spans])


def _pad(spans: Sequence[Sequence[Span]]) -> list[tuple[Tensor, Tensor]]:
    """Every fact's first span, every fact's second, ...: as many as the fact with most has."""
    most = max(map(len, spans), default=0)
    return [_tensors([s[i] if i < len(s) else _NOWHERE for s in spans]) for i in range(most)]


def _join_questions(facts: Sequence[Fact], asked: Sequence[Question]) -> tuple[Tensor, Tensor]:
    """Pairs of a fact and a question about its subject and relation, by their numbers."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for i, question in enumerate(asked):
        numbers.setdefault((person(question.subject), question.relation), []).append(i)
    pairs = [
        (i, number)
        for i, fact in enumerate(facts)
        for number in numbers.get((person(fact.subject), fact.relation), ())
    ]
    table = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
    return table[:, 0], table[:, 1]
