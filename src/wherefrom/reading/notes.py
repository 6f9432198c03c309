"""Study notes: what the reader finds in the text about every subject, before a model is taught.

The reader is the extractor, fitted on asked questions and the text; it sees nothing else. Notes
about an asked subject are written by a reader that did not learn from that subject.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress

from wherefrom.core.contracts import Dataset, Note, Question
from wherefrom.core.errors import BadData
from wherefrom.core.progress import telling
from wherefrom.reading.extractor import CrossFitted, RelationExtractor, Statement
from wherefrom.reading.sources import DatasetPassages, passages_of

Readers = dict[str, tuple[RelationExtractor, CrossFitted]]


def take_notes(dataset: Dataset) -> tuple[Note, ...]:
    """The best value of each subject and relation, where the text seems to state one.

    BadData if no relation has enough asked questions to learn from.
    """
    source = DatasetPassages(dataset)
    return tuple(read(source, fit_readers(source, dataset.asked)))


def fit_readers(source: DatasetPassages, asked: Sequence[Question]) -> Readers:
    by_relation: dict[str, list[Question]] = defaultdict(list)
    for question in asked:
        by_relation[question.relation].append(question)
    found: Readers = {}
    for relation, questions in by_relation.items():
        with suppress(BadData):
            found[relation] = RelationExtractor.fit_folds(source, questions)
    return found


def read(source: DatasetPassages, readers: Readers) -> Iterator[Note]:
    for subject in telling("taking notes", source.subjects):
        for relation, (whole, crossed) in readers.items():
            extractor = crossed.reader(subject, whole)
            found: list[Statement] = []
            for passage, text in passages_of(source, subject):
                found += extractor.extract(text, subject, passage.document, passage.start)
            if found:
                best = max(found, key=lambda s: s.certainty)
                if best.score >= extractor.threshold:
                    yield Note(
                        subject, relation, best.text, best.document, best.span, best.certainty
                    )
