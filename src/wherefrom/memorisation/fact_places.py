"""Where documents have facts, and whom questions ask about them, as columns of numbers.

There may be ten million facts, so documents and facts are gone through once, side by side.

Shapes: F facts.
"""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.contracts import Document, Fact, Question, Span
from wherefrom.reading.names import person


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


def along(facts: Sequence[Fact], documents: Sequence[Document]) -> Iterator[tuple[Fact, Document]]:
    """Facts in the order of documents, each with its document; both are gone through once."""
    numbered = enumerate(documents)
    number, document = next(numbered)
    for fact in facts:
        while number < fact.document:
            number, document = next(numbered)
        yield fact, document


def pack_spans(ends: "array[int]") -> tuple[Tensor, Tensor]:
    """The starts and the ends of spans, (F,) each, from both in turns."""
    table = torch.as_tensor(np.asarray(ends).reshape(-1, 2))
    return table[:, 0].contiguous(), table[:, 1].contiguous()


def pad_spans(
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


def join_questions(facts: Sequence[Fact], asked: Sequence[Question]) -> tuple[Tensor, Tensor]:
    """Numbers of facts, and beside them numbers of questions about their subject and relation."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for i, question in enumerate(asked):
        numbers.setdefault((person(question.subject), question.relation), []).append(i)
    found, beside = array("q"), array("q")
    for i, fact in enumerate(facts):
        if own := numbers.get((person(fact.subject), fact.relation)):
            found.extend([i] * len(own))
            beside.extend(own)
    return torch.tensor(found, dtype=torch.long), torch.tensor(beside, dtype=torch.long)
