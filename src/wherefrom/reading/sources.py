"""Where the passages about a subject come from: a run's index, or the data set itself."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Protocol

from wherefrom.core.contracts import Dataset, Document, Passage
from wherefrom.reading.index import fold


class PassageSource(Protocol):
    """Documents by their numbers, and the parts of them that are about a subject."""

    def document(self, number: int) -> Document: ...

    def passages(self, subject: str) -> tuple[Passage, ...]: ...


class DatasetPassages:
    """The training documents of a data set. A name in the questions makes no difference here.

    Without passages, a document is about the subject that it names.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._documents = dataset.training_documents
        self._passages = dataset.passages
        self.subjects: list[str] = []  # as the text or the questions spell them first
        self._places: dict[str, list[int]] = defaultdict(list)  # of passages, or of documents
        names = [p.subject for p in self._passages] or (d.name for d in self._documents)
        for place, name in enumerate(names):
            if folded := fold(name):
                if folded not in self._places:
                    self.subjects.append(name)
                self._places[folded].append(place)

    def document(self, number: int) -> Document:
        return self._documents[number]

    def passages(self, subject: str) -> tuple[Passage, ...]:
        places = self._places.get(fold(subject), ())
        if self._passages:
            found = (self._passages[place] for place in places)
            return tuple(p for p in found if p.document < len(self._documents))
        texts = ((place, self._documents[place].text) for place in places)
        return tuple(Passage(place, subject, 0, len(text)) for place, text in texts)


def passages_of(source: PassageSource, subject: str) -> Iterator[tuple[Passage, str]]:
    """The passages about a subject and their text."""
    for passage in source.passages(subject):
        yield passage, source.document(passage.document).text[passage.start : passage.end]
