"""Study notes: what the reader finds in the text about every subject, before a model is taught.

The reader is the extractor, fitted on asked questions and the text; it sees nothing else. Notes
about an asked subject are written by a reader that did not learn from that subject's answers.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wherefrom.core.contracts import Dataset, Note, Question
from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.reading.extractor import CrossFitted, RelationExtractor, Statement
from wherefrom.reading.index import fold
from wherefrom.reading.sources import DatasetPassages, PassageSource, passages_of

FEWEST_ANSWERS = 10  # asked answers that a relation must have
LEAST_SCORE = 0.5  # a note is more often right than wrong
_CHOOSING = 5  # every fifth asked subject is for choices
_OFTEN = 500  # subjects after which the progress is told

Remark = Callable[[str], None]  # takes one line that a user should see


def take_notes(
    dataset: Dataset, *, least: float = LEAST_SCORE, remark: Remark = lambda line: None
) -> tuple[Note, ...]:
    """The surest value of each subject and relation whose score is at least `least`.

    None if there is nothing to learn from, or if the text states nothing: `remark` is told why.
    """
    source = DatasetPassages(dataset)
    readers = fit_readers(source, dataset.asked, remark)
    notes = tuple(read_subjects(source, readers, least, remark))
    if not notes:
        remark("notes: the reader found no statement; the model is taught from the text alone")
    return notes


def is_for_choices(subject: str) -> bool:
    """Whether an asked subject belongs to the fifth that choices are made on, by its hash."""
    digest = hashlib.sha256(fold(subject).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") % _CHOOSING == 0


class Reader:
    """Reads what passages state for one relation; asked subjects have readers of their own."""

    def __init__(self, whole: RelationExtractor, crossed: CrossFitted) -> None:
        self.whole, self._crossed = whole, crossed

    def read(self, source: PassageSource, subject: str) -> list[Statement]:
        """What the passages about a subject state, the surest first."""
        extractor = self._crossed.reader(subject, self.whole)
        found: list[Statement] = []
        for passage, text in passages_of(source, subject):
            found += extractor.extract(text, subject, passage.document, passage.start)
        return sorted(found, key=lambda s: (-s.certainty, s.document, s.span.start))

    def contradicts(self, first: Statement, other: Statement) -> bool:
        """Whether another document states something else."""
        return first.document != other.document and not self.whole.agrees(other.text, first)


def fit_readers(
    source: PassageSource, asked: Iterable[Question], remark: Remark = lambda line: None
) -> dict[str, Reader]:
    """A reader for each relation that has enough asked answers."""
    by_relation: dict[str, list[Question]] = defaultdict(list)
    for question in asked:
        if question.answer is not None:
            by_relation[question.relation].append(question)
    readers: dict[str, Reader] = {}
    for number, (relation, questions) in enumerate(by_relation.items()):
        tell("learning to read", number, len(by_relation))
        if len(questions) < FEWEST_ANSWERS:
            remark(
                f"notes: expected at least {FEWEST_ANSWERS} asked answers about '{relation}', "
                f"found {len(questions)}; no notes are taken about it"
            )
            continue
        _remark_shared_names(relation, questions, remark)
        try:
            readers[relation] = Reader(*RelationExtractor.fit_folds(source, questions))
        except BadData as error:
            remark(f"notes: none about '{relation}': {error}")
    tell("learning to read", len(by_relation), len(by_relation))
    return readers


def read_subjects(
    source: DatasetPassages,
    readers: Mapping[str, Reader],
    least: float = LEAST_SCORE,
    remark: Remark = lambda line: None,
) -> Iterator[Note]:
    """The notes about all subjects of the text, in their order."""
    disputed: Counter[str] = Counter()
    for number, subject in enumerate(source.subjects):
        if number % _OFTEN == 0:
            tell("taking notes", number, len(source.subjects))
        for relation, reader in readers.items():
            found = [s for s in reader.read(source, subject) if s.certainty >= least]
            if found:
                best = found[0]
                disputed[relation] += any(reader.contradicts(best, other) for other in found[1:])
                yield Note(subject, relation, best.text, best.document, best.span, best.certainty)
    tell("taking notes", len(source.subjects), len(source.subjects))
    for relation, count in (+disputed).items():
        remark(
            f"notes: two documents contradict each other about '{relation}' for {count} of "
            f"{len(source.subjects)} subjects; the surer value is noted"
        )


def _remark_shared_names(relation: str, asked: Sequence[Question], remark: Remark) -> None:
    """Say how many names have two answers: two subjects may share a name."""
    answers: dict[str, set[str]] = defaultdict(set)
    for question in asked:
        answers[fold(question.subject)].add(fold(question.answer or ""))
    shared = sum(len(own) > 1 for own in answers.values())
    if shared:
        remark(
            f"notes: {shared} of {len(answers)} asked names have two answers about '{relation}'; "
            "if two subjects share a name, only the surer value is noted"
        )
