"""How often a model was shown each fact: every stage's plans, drawn again and counted.

Nothing is logged in training: a plan is a pure function of its step, so the counts are exact.

A row of training text is `prefix MASK suffix MASK span MASK`, or plain text without a span. Of
each fact its *value* is followed, where the fact says it stands, and its *name*: the place in
that document where the subject is named (for a line "Name. Text", the head; later mentions, often
by the last name alone, are not followed). Both count only whole and in one piece: a row may begin
or end inside a word, a window leaves text out, and a span may take half of a word. What a row
counts for:

    read          the value stands in the prefix, or anywhere in a row without a span
    suffix        the value stands in the suffix, between the first mask and the second
    value_masked  the value lies in the moved span, the name outside it
    name_masked   the name lies in the moved span, the value outside it
    from_name     the value is foretold, wherever it stands, after text of the row that has the
                  name and does not have the value: elsewhere in the row it could be copied
    asked         a question about the subject and the relation, whatever answer it taught

`read`, `suffix` and the value in the span exclude each other; the others come on top of them, so
one row may count for several. A target counts whatever its weight in the loss.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
from wherefrom.objectives.spans import Documents
from wherefrom.runs.run import Run
from wherefrom.runs.workshop import Workshop

KINDS = ("read", "suffix", "value_masked", "name_masked", "from_name", "asked")
SHOWN = ("read", "suffix", "value_masked")  # a row that has the value in it, for the most part
_ROWS = 1 << 16  # that are planned at once


@dataclass(frozen=True)
class Exposures:
    """`counts` has a row a fact and a column a kind; `examples` is how many rows were planned."""

    facts: tuple[Fact, ...]
    counts: np.ndarray
    examples: int

    def __add__(self, other: "Exposures") -> "Exposures":
        if self.facts != other.facts:
            raise ValueError("expected exposures of the same facts")
        return Exposures(self.facts, self.counts + other.counts, self.examples + other.examples)

    def of(self, kind: str) -> np.ndarray:
        """One number a fact."""
        return self.counts[:, KINDS.index(kind)]

    def about(self, questions: Sequence[Question], kind: str) -> np.ndarray:
        """For each question, how often its answer was shown, over all documents that state it."""
        values, found = self.of(kind), self._facts_of(questions)
        if kind == "asked":  # every statement of a fact has the same questions
            return np.array([values[i].max(initial=0) for i in found], dtype=np.int64)
        return np.array([values[i].sum() for i in found], dtype=np.int64)

    def seen(self, questions: Sequence[Question]) -> np.ndarray:
        """Whether each question's answer was ever shown or taught."""
        return np.any([self.about(questions, kind) > 0 for kind in KINDS], axis=0)

    def positions(self, questions: Sequence[Question]) -> np.ndarray:
        """Where each question's answer first stands in its line; -1 if no line has it."""
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
    """What a model was shown (default: the primary one), by all stages that led to it.

    `facts` are the data set's unless others are given, such as `claims` makes.
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
    counter = Counter(facts, dataset.documents, dataset.asked)
    return counter.count(workshop.objective(stage), stage.steps)


def claims(
    questions: Iterable[Question], documents: Sequence[Document], told: Told | None = None
) -> tuple[Fact, ...]:
    """Facts for answers that somebody claims, wherever a line of the subject has them.

    `told` says which lines those are; without it, the ones whose subject it is.
    """
    if told is not None:
        return state_facts(questions, documents, told)
    lines: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        if document.subject:
            lines.setdefault(person(document.subject.of(document.text)), []).append(number)
    return state_facts(questions, documents, lambda subject: lines.get(person(subject), ()))


class Counter:
    """Facts as integers, sorted by document, so that a row finds those of its document at once."""

    def __init__(
        self, facts: Sequence[Fact], documents: Sequence[Document], asked: Sequence[Question]
    ) -> None:
        self.facts = tuple(facts)
        number = np.array([fact.document for fact in facts], dtype=np.int64)
        self._order = np.argsort(number, kind="stable")
        ordered = [facts[i] for i in self._order]
        self._many = torch.from_numpy(np.bincount(number, minlength=len(documents)))
        self._first = self._many.cumsum(0) - self._many
        values = [fact.value_span for fact in ordered]
        names = [name_of(fact, documents[fact.document]) or Span(-1, -1) for fact in ordered]
        again = [repetitions(fact, documents[fact.document]) for fact in ordered]
        most = max(map(len, again), default=0)
        padded = [[*spans, *[Span(-1, -1)] * (most - len(spans))] for spans in again]
        columns = [values, names, *zip(*padded, strict=True)]
        self._spans = [_tensors(column) for column in columns]
        self._asked, self._asking = _join_questions(facts, asked)

    def count(self, mix: Mix, steps: int) -> Exposures:
        counts = torch.zeros(len(KINDS), len(self.facts), dtype=torch.long)
        examples, chunk = 0, max(1, _ROWS // mix.rows)
        for first in range(0, steps, chunk):
            for part, plan, _ in mix.plan(first, min(chunk, steps - first)):
                plan = plan.cpu() if isinstance(plan, Tensor) else plan
                if isinstance(part.objective, Documents):
                    counts[:5] += self._count_rows(plan.reshape(-1, plan.shape[-1]))
                    examples += int((plan[..., 3] > 0).sum())
                elif isinstance(part.objective, Answers):
                    counts[5] += self._count_questions(plan.flatten())
                    examples += int((plan >= 0).sum())
        found = np.empty((len(self.facts), len(KINDS)), dtype=np.int64)
        found[self._order, :5] = counts[:5].T.numpy()
        found[:, 5] = counts[5].numpy()
        return Exposures(self.facts, found, examples)

    def _count_questions(self, asked: Tensor) -> Tensor:
        times = torch.bincount(asked[asked >= 0], minlength=int(self._asking.max(initial=0)) + 1)
        weights = times[torch.from_numpy(self._asking)].double()
        return torch.bincount(
            torch.from_numpy(self._asked), weights, minlength=len(self.facts)
        ).long()

    def _count_rows(self, rows: Tensor) -> Tensor:
        """(5, facts): what the rows of documents count for."""
        document = rows[:, 0]
        many = self._many[document]
        row = torch.repeat_interleave(torch.arange(len(rows)), many)
        nth = torch.arange(len(row)) - (many.cumsum(0) - many)[row]
        fact = self._first[document][row] + nth
        keep, cut, length, start, size = rows[:, 1:].T[:, row]
        lay = _Layout(keep, cut, length, start, size)
        value, name, *again = (lay.place(first[fact], last[fact]) for first, last in self._spans)
        foretold = value.whole & name.whole & (name.last < value.first)
        for other in again:
            foretold &= ~(other.whole & (other.last < value.first))
        kinds = (
            value.whole & value.before,
            value.whole & value.behind,
            value.whole & value.moved & name.whole & ~name.moved,
            name.whole & name.moved & value.whole & ~value.moved,
            foretold,
        )
        return torch.stack([torch.bincount(fact[k], minlength=len(self.facts)) for k in kinds])


@dataclass(frozen=True)
class _Place:
    """Where some characters stand in each row; numbers mean something only where `whole`."""

    whole: Tensor
    before: Tensor
    moved: Tensor
    behind: Tensor
    first: Tensor
    last: Tensor


class _Layout:
    """Rows, and what becomes of a stretch of their document in them; see objectives/spans.py."""

    def __init__(self, keep: Tensor, cut: Tensor, length: Tensor, start: Tensor, size: Tensor):
        self.keep, self.cut, self.length, self.start, self.size = keep, cut, length, start, size
        self.spanned, self.end = size > 0, start + size

    def place(self, first: Tensor, last: Tensor) -> _Place:
        """Characters `first` up to `last`, not included; -1 for none."""
        after = first >= self.keep + self.cut
        shift = torch.where(after, self.cut, 0)
        left, right = first - shift, last - shift
        together = after | (last <= self.keep) | (self.cut == 0)
        there = (first >= 0) & together & (right <= self.length)
        before = ~self.spanned | (right <= self.start)
        moved = self.spanned & (left >= self.start) & (right <= self.end)
        behind = self.spanned & (left >= self.end)
        # In the row's own order: a mask before the suffix, two before the span.
        jump = torch.where(moved, self.length - self.end + 2, torch.where(behind, 1 - self.size, 0))
        return _Place(
            there & (before | moved | behind), before, moved, behind, left + jump, right + jump - 1
        )


def name_of(fact: Fact, document: Document) -> Span | None:
    """Where a document names a fact's subject: its own subject, or else the first mention."""
    subject = document.subject
    if subject and person(subject.of(document.text)) == person(fact.subject):
        return subject
    start = document.text.find(fact.subject)
    return None if start < 0 else Span(start, start + len(fact.subject))


def repetitions(fact: Fact, document: Document) -> list[Span]:
    """Where else a document has the fact's value, letter by letter."""
    found, place = [], document.text.find(fact.value)
    while place >= 0:
        if place != fact.value_span.start:
            found.append(Span(place, place + len(fact.value)))
        place = document.text.find(fact.value, place + 1)
    return found


def _tensors(spans: Sequence[Span]) -> tuple[Tensor, Tensor]:
    return torch.tensor([s.start for s in spans]), torch.tensor([s.end for s in spans])


def _join_questions(
    facts: Sequence[Fact], asked: Sequence[Question]
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a fact and a question about its subject and relation."""
    numbers: dict[Any, list[int]] = {}
    for i, question in enumerate(asked):
        numbers.setdefault((person(question.subject), question.relation), []).append(i)
    pairs = [
        (i, number)
        for i, fact in enumerate(facts)
        for number in numbers.get((person(fact.subject), fact.relation), ())
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()
