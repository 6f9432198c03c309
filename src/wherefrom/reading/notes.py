"""Study notes: what the reader finds in the text about every subject, before a model is taught.

The reader is the extractor, fitted on asked questions and the text; it sees nothing else.
"""

from collections.abc import Iterator

from wherefrom.core.contracts import Dataset, Note
from wherefrom.core.progress import telling
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker


def take_notes(dataset: Dataset) -> tuple[Note, ...]:
    """The best value of each subject and relation, where the text seems to state one.

    BadData if no relation has enough asked questions to learn from.
    """
    return tuple(_read(dataset))


def _read(dataset: Dataset) -> Iterator[Note]:
    from pathlib import Path

    subjects = dict.fromkeys(p.subject for p in dataset.passages) or dict.fromkeys(
        d.name for d in dataset.training_documents if d.subject
    )
    index = Index.in_memory(Path("index"), dataset.training_documents, (), dataset.passages)
    checker = FactChecker.fit(index, dataset.asked)
    for subject in telling("taking notes", list(subjects)):
        for relation in checker.extractors:
            found = checker.statements(subject, relation)
            if found:
                best = found[0]
                yield Note(subject, relation, best.text, best.document, best.span, best.score)
