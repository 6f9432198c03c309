"""What a text says of each subject, read behind that subject's name.

A fact is looked up by its subject's name, so training must show the name before the fact,
wherever the line has it ("A native of Evansville, IN, Scott Rolen ..."). A passage is therefore
read as "Scott Rolen. A native of Evansville, IN, Scott Rolen ...", and a paragraph about three
people three times, what it says of each behind their name.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Span
from wherefrom.core.made_sequence import MadeSequence
from wherefrom.reading.passages import BEHIND_NAME


def named_passages(dataset: Dataset) -> "NamedPassages":
    """The training documents' passages, each behind its subject's name.

    Documents about no subject come last, unchanged.
    """
    return NamedPassages(dataset.training_documents, _read(dataset))


class NamedPassages(MadeSequence[Document]):
    """Passages behind their subjects' names, each written when it is read; then the documents that
    have none."""

    def __init__(self, documents: Sequence[Document], passages: Sequence[Passage]) -> None:
        self._documents, self._passages = documents, passages
        taken = np.zeros(len(documents), bool)
        taken[np.fromiter((p.document for p in passages), np.int64, len(passages))] = True
        self._others = np.flatnonzero(~taken)
        self.starts = np.arange(len(passages) + len(self._others) + 1)

    def make(self, group: int) -> list[Document]:
        if group >= len(self._passages):
            return [self._documents[int(self._others[group - len(self._passages)])]]
        p = self._passages[group]
        text = self._documents[p.document].text[p.start : p.end]
        return [Document(f"{p.subject}{BEHIND_NAME}{text}", Span(0, len(p.subject)))]


def _read(dataset: Dataset) -> Sequence[Passage]:
    if not dataset.held_out:
        return dataset.passages
    return [p for p in dataset.passages if p.document < len(dataset.training_documents)]


def place_facts(dataset: Dataset, facts: Sequence[Fact]) -> list[Fact]:
    """The same facts with their places counted in `named_passages`.

    A fact that no passage of its subject has is at -1: nothing shows it.
    """
    own: dict[tuple[int, str], list[tuple[int, Passage]]] = defaultdict(list)
    for number, passage in enumerate(_read(dataset)):
        own[passage.document, passage.subject].append((number, passage))
    return [_place(fact, own[fact.document, fact.subject]) for fact in facts]


def _place(fact: Fact, passages: Sequence[tuple[int, Passage]]) -> Fact:
    start, end = fact.value_span.start, fact.value_span.end
    for number, p in passages:
        if p.start <= start and end <= p.end:
            shift = len(p.subject) + len(BEHIND_NAME) - p.start
            return replace(fact, document=number, value_span=Span(start + shift, end + shift))
    return replace(fact, document=0, value_span=Span(-1, -1))


def asked_answers(dataset: Dataset) -> dict[str, dict[str, set[str]]]:
    """The answers, folded, that asked questions give to each subject, by relation."""
    found: dict[str, dict[str, set[str]]] = {}
    for question in dataset.asked:
        if question.answer:
            own = found.setdefault(question.subject, {}).setdefault(question.relation, set())
            own.update(map(str.casefold, (question.answer, *question.accepted)))
    return found
