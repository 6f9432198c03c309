"""How often training showed a model each fact: every stage is planned again, and rows are counted.

Nothing is logged in training. A plan is a pure function of its step, so the counts are exact.

A row of training text is `prefix MASK suffix MASK span MASK`, or plain text without a span (see
`objectives/span_corruption.py`). Two parts of a fact's document are located in each row: the fact's
*value*, and the *name* of its subject (at the head of a line "Name. Text"; later mentions, often by
the last name alone, are ignored). A part counts only if the row has all of it in one piece: a row
may begin or end inside a word, a window leaves text out, and a span may take half of a word. The
kinds of exposure:

    read          the value stands in the prefix, or anywhere in a row without a span
    suffix        the value stands in the suffix, between the first mask and the second
    value_masked  the value lies in the moved span, the name outside it
    name_masked   the name lies in the moved span, the value outside it
    from_name     before the value, the row has the name and no copy of the value: the model must
                  predict the value from the name and cannot copy it
    noted         a row that teaches a note about the subject and the relation whose value is the
                  fact's, in any of its wordings, its sentence included: the model must predict the
                  value from the name (`objectives/note_rows.py`)
    asked         a question about the subject and the relation, whatever answer it taught

`read`, `suffix` and a value in the span exclude each other. The other kinds are counted in
addition, so one row may count for several kinds. A prediction counts whatever its weight in the
loss.

Shapes: R rows of a plan, F facts.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.contracts import Document, Fact, Passage, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.core.recipe import Share, Stage
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.passage_rows import named_passages, place_facts
from wherefrom.objectives.question_rows import Answers
from wherefrom.objectives.span_corruption import COLUMNS, Documents
from wherefrom.reading.names import lines_by_person, person
from wherefrom.reading.statements import Told, state_facts, whole_documents
from wherefrom.reading.tokens import normalise
from wherefrom.runs.opened_run import Run
from wherefrom.runs.workshop import Workshop

READ, SUFFIX, VALUE_MASKED, NAME_MASKED = "read", "suffix", "value_masked", "name_masked"
FROM_NAME, NOTED, ASKED = "from_name", "noted", "asked"
TEXT_KINDS = (READ, SUFFIX, VALUE_MASKED, NAME_MASKED, FROM_NAME)  # of rows of documents
KINDS = (*TEXT_KINDS, NOTED, ASKED)
TAUGHT = (NOTED, ASKED)  # every statement of a fact counts the same rows of these
SHOWN = (READ, SUFFIX, VALUE_MASKED, NOTED)  # nearly every row with the value, but questions
_ROWS_AT_ONCE = 1 << 16  # rows that are planned and counted together; this bounds the memory
_OFTEN = 20_000  # facts after which the progress is told
_NOWHERE = Span(-1, -1)


@dataclass(frozen=True)
class Exposures:
    """`counts` has one number per fact for every kind; `examples` is how many rows were planned."""

    facts: Sequence[Fact]
    counts: Mapping[str, np.ndarray]
    examples: int

    def __add__(self, other: "Exposures") -> "Exposures":
        """What two stages showed of the same facts."""
        counts = {kind: self.counts[kind] + other.counts[kind] for kind in KINDS}
        return Exposures(self.facts, counts, self.examples + other.examples)

    def about(self, questions: Sequence[Question], kind: str) -> np.ndarray:
        """For each question, how often its answer was shown, in all documents that state it."""
        counts, found = self.counts[kind], self._facts_of(questions)
        if kind in TAUGHT:  # no sum here
            return np.array([counts[i].max(initial=0) for i in found], dtype=np.int64)
        return np.array([counts[i].sum() for i in found], dtype=np.int64)

    def seen(self, questions: Sequence[Question]) -> np.ndarray:
        """Whether each question's answer was ever shown or taught."""
        return np.any([self.about(questions, kind) > 0 for kind in KINDS], axis=0)

    def _facts_of(self, questions: Sequence[Question]) -> list[list[int]]:
        """The numbers of the facts that each question asks for.

        Facts are looked up for these questions only: there may be ten million of them.
        """
        keys = [(q.subject, q.relation, q.answer) for q in questions]
        if new := set(keys) - self._found.keys():
            self._found.update({key: [] for key in new})
            for i, fact in enumerate(self.facts):
                if (key := (fact.subject, fact.relation, fact.value)) in new:
                    self._found[key].append(i)
        return [self._found[key] for key in keys]

    @cached_property
    def _found(self) -> dict[tuple[str, str, str | None], list[int]]:
        return {}


def count_exposures(
    source: Run | Workshop, facts: Sequence[Fact] | None = None, model: str = ""
) -> Exposures:
    """How often all stages that led to a model (default: the primary one) showed each fact.

    By default the data set's own facts are counted; `claims` makes others.
    """
    workshop = source.workshop if isinstance(source, Run) else source
    stages = workshop.recipe.chain(model)
    first, *others = (replay(source, stage, facts) for stage in stages)
    return sum(others, first)


def replay(source: Run | Workshop, stage: Stage, facts: Sequence[Fact] | None = None) -> Exposures:
    """How often one stage shows each fact, from its first step to its last."""
    workshop, dataset = source.workshop if isinstance(source, Run) else source, source.dataset
    facts = dataset.facts if facts is None else tuple(facts)
    if not len(facts):
        raise BadData(
            f"{workshop.recipe.name}: expected facts whose exposures can be counted, found none; "
            "no document of the data set states the answer to a question"
        )
    reads = set(map(_reads, stage.mix))
    noted = [s.objective.wordings for s in stage.mix if _reads(s) == "notes"]
    taught = dataset.asked, workshop.material.teach(*noted) if noted else ()
    counter = ExposureCounter(facts, dataset.documents, *taught)
    if "passages" in reads:
        counter = ExposureCounter(place_facts(dataset, facts), named_passages(dataset), *taught)
    return replace(counter.count(workshop.objective(stage), stage.steps), facts=facts)


def _reads(share: Share) -> str:
    """What a share reads; nothing if it is left out."""
    return getattr(share.objective, "reads", "") if share.share else ""


def claims(
    questions: Iterable[Question], documents: Sequence[Document], told: Told | None = None
) -> tuple[Fact, ...]:
    """Facts for answers that somebody claims, one for each place where the subject's text has them.

    `told` returns the subject's passages; by default they are the documents with this subject.
    """
    if told is not None:
        return state_facts(list(questions), documents, told)
    numbers = lines_by_person(documents)

    def own(subject: str) -> Sequence[Passage]:
        return whole_documents(subject, numbers.get(person(subject), ()), documents)

    return state_facts(list(questions), documents, own)


class ExposureCounter:
    """Facts as integers, sorted by document, so that the facts of a row's document are adjacent.

    `asked` are the questions that are trained on, `noted` the rows that teach notes.
    """

    def __init__(
        self,
        facts: Sequence[Fact],
        documents: Sequence[Document],
        asked: Sequence[Question],
        noted: Sequence[Question] = (),
    ) -> None:
        self.facts = facts
        number = np.fromiter((fact.document for fact in facts), np.int64, len(facts))
        self._rank: np.ndarray | None = None  # the place of each fact in the order of documents
        ordered = facts
        if (np.diff(number) < 0).any():
            order = np.argsort(number, kind="stable")
            self._rank, number = np.argsort(order), number[order]
            ordered = [facts[int(i)] for i in order]
        self._many = torch.as_tensor(np.bincount(number, minlength=len(documents)))
        self._first = self._many.cumsum(0) - self._many
        value, name, others = array("i"), array("i"), list[list[Span]]()
        repeated = array("i")  # facts whose value stands more than once in their document
        for i, (fact, document) in enumerate(_along(ordered, documents)):
            if i % _OFTEN == 0:
                tell("looking for facts in the text", i, len(facts))
            value.extend((fact.value_span.start, fact.value_span.end))
            called = name_of(fact, document) or _NOWHERE
            name.extend((called.start, called.end))
            if again := repetitions(fact, document):
                repeated.append(i)
                others.append(again)
        self._value, self._name = _pack_spans(value), _pack_spans(name)
        self._repetitions = _pad_spans(len(facts), repeated, others)
        self._rows_about = {
            ASKED: _join_questions(ordered, asked),
            NOTED: _join_questions(ordered, noted, same_value=True),
        }

    def count(self, mix: Mix, steps: int) -> Exposures:
        """Plan the first `steps` steps of a mix and count how often they show each fact."""
        totals = {kind: torch.zeros(len(self.facts), dtype=torch.int32) for kind in KINDS}
        examples, chunk = 0, max(1, _ROWS_AT_ONCE // mix.rows)
        for first in range(0, steps, chunk):
            for part, plan, _ in mix.plan(first, min(chunk, steps - first)):
                if isinstance(part.objective, Documents):
                    rows = plan.cpu().reshape(-1, len(COLUMNS))
                    if part.objective.config.reads != "omissions":  # those state no fact
                        self._add_shown(rows, totals)
                    examples += int((rows[:, COLUMNS.index("length")] > 0).sum())
                elif isinstance(part.objective, Answers):
                    rows = plan.cpu().flatten()
                    kind = NOTED if part.objective.reads == "notes" else ASKED
                    totals[kind] += self._count_taught(rows, kind)
                    examples += int((rows >= 0).sum())
        counts = {kind: total.numpy() for kind, total in totals.items()}
        if (rank := self._rank) is not None:
            counts = {kind: total[rank] for kind, total in counts.items()}
        return Exposures(self.facts, counts, examples)

    def _add_shown(self, rows: Tensor, totals: Mapping[str, Tensor]) -> None:
        for kind, fact in self.find(rows).items():
            one = torch.ones((), dtype=torch.int32).expand(len(fact))
            totals[kind].index_add_(0, fact, one)

    def find(self, rows: Tensor) -> dict[str, Tensor]:
        """The facts that rows of documents (R, 6) show, for every kind; one may come twice."""
        columns = dict(zip(COLUMNS, rows.T, strict=True))
        document = columns.pop("document")
        # One entry for each row and each fact of its document: the row's and the fact's number.
        many = self._many[document]
        row = torch.repeat_interleave(torch.arange(len(rows)), many)
        nth = torch.arange(len(row)) - (many.cumsum(0) - many)[row]
        fact = self._first[document][row] + nth
        layout = _Layout(**{name: column[row] for name, column in columns.items()})

        def place(spans: tuple[Tensor, Tensor]) -> _Place:
            first, last = spans
            return layout.place(first[fact].long(), last[fact].long())

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
        return {kind: fact[here] for kind, here in found.items()}

    def _count_taught(self, rows: Tensor, kind: str) -> Tensor:
        """How often these questions, or rows of notes, teach each fact."""
        fact, beside = self._rows_about[kind]
        most = int(beside.max()) + 1 if len(beside) else 1
        times = torch.bincount(rows[rows >= 0], minlength=most)
        return torch.bincount(fact, times[beside].double(), minlength=len(self.facts)).long()


# -- where documents have facts --------------------------------------------------------


def name_of(fact: Fact, document: Document) -> Span | None:
    """Where a document names a fact's subject: the document's subject, or the first mention."""
    subject = document.subject
    if subject and person(subject.of(document.text)) == person(fact.subject):
        return subject
    start = document.text.find(fact.subject)
    return None if start < 0 else Span(start, start + len(fact.subject))


def repetitions(fact: Fact, document: Document) -> list[Span]:
    """The other places where a document has exactly the fact's value."""
    found: list[Span] = []
    place = document.text.find(fact.value)
    while place >= 0:
        if place != fact.value_span.start:
            found.append(Span(place, place + len(fact.value)))
        place = document.text.find(fact.value, place + 1)
    return found


def _along(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[tuple[Fact, Document]]:
    """Facts in the order of documents, each with its document; both are gone through once."""
    numbered = enumerate(documents)
    number, document = next(numbered)
    for fact in facts:
        while number < fact.document:
            number, document = next(numbered)
        yield fact, document


def _pack_spans(ends: "array[int]") -> tuple[Tensor, Tensor]:
    """The starts and the ends of spans, (F,) each, from both in turns."""
    table = torch.as_tensor(np.asarray(ends).reshape(-1, 2))
    return table[:, 0].contiguous(), table[:, 1].contiguous()


def _pad_spans(
    count: int, facts: "array[int]", spans: Sequence[Sequence[Span]]
) -> list[tuple[Tensor, Tensor]]:
    """The first further span of every fact, the second of every fact, and so on.

    `spans` are those of `facts`; the others, of `count` in all, have none, which is nowhere.
    """
    columns: list[tuple[Tensor, Tensor]] = []
    for i in range(max(map(len, spans), default=0)):
        ends = np.full((count, 2), -1, np.int32)
        for fact, own in zip(facts, spans, strict=True):
            if i < len(own):
                ends[fact] = own[i].start, own[i].end
        columns.append((torch.as_tensor(ends[:, 0].copy()), torch.as_tensor(ends[:, 1].copy())))
    return columns


def _join_questions(
    facts: Sequence[Fact], questions: Sequence[Question], *, same_value: bool = False
) -> tuple[Tensor, Tensor]:
    """Numbers of facts, and beside them numbers of questions about their subject and relation.

    With `same_value`, only questions whose answer is the fact's value.
    """

    def key(about: Fact | Question, value: str | None) -> tuple[str, str, str]:
        own = normalise(value or "") if same_value else ""
        return person(about.subject), about.relation, own

    numbers: dict[tuple[str, str, str], list[int]] = {}
    for i, question in enumerate(questions):
        numbers.setdefault(key(question, question.answer), []).append(i)
    found, beside = array("q"), array("q")
    for i, fact in enumerate(facts):
        if own := numbers.get(key(fact, fact.value)):
            found.extend([i] * len(own))
            beside.extend(own)
    return torch.tensor(found, dtype=torch.long), torch.tensor(beside, dtype=torch.long)


@dataclass(frozen=True)
class _Place:
    """Where some characters stand in each row; only valid where `whole` is true."""

    whole: Tensor
    before: Tensor
    moved: Tensor
    behind: Tensor
    first: Tensor
    last: Tensor


@dataclass(frozen=True)
class _Layout:
    """The columns of rows, as `span_corruption.py` plans them, and where text ends up in them."""

    keep: Tensor
    cut: Tensor
    length: Tensor
    start: Tensor
    size: Tensor

    def place(self, first: Tensor, last: Tensor) -> _Place:
        """Where a row has characters `first` to `last` (not included) of its document; -1: none."""
        spanned, end = self.size > 0, self.start + self.size
        after = first >= self.keep + self.cut
        shift = torch.where(after, self.cut, 0)
        left, right = first - shift, last - shift
        together = after | (last <= self.keep) | (self.cut == 0)
        there = (first >= 0) & together & (right <= self.length)
        before = ~spanned | (right <= self.start)
        moved = spanned & (left >= self.start) & (right <= end)
        behind = spanned & (left >= end)
        # Positions in the row: one mask stands before the suffix, two before the span.
        jump = torch.where(moved, self.length - end + 2, torch.where(behind, 1 - self.size, 0))
        whole = there & (before | moved | behind)
        return _Place(whole, before, moved, behind, left + jump, right + jump - 1)
