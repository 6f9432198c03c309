"""Study notes: what the reader finds in the text about every subject, before a model is taught.

The reader is the extractor, fitted on asked questions and the text; it sees nothing else. Notes
about an asked subject are written by a reader that did not learn from that subject's answers.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from wherefrom.core.contracts import Dataset, Note, Question
from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.reading.extractor import CrossFitted, RelationExtractor
from wherefrom.reading.fitting_examples import learn_starters
from wherefrom.reading.index import fold
from wherefrom.reading.sources import DatasetPassages, PassageSource
from wherefrom.reading.worker_processes import in_processes

FEWEST_ANSWERS = 10  # asked answers that a relation must have
LEAST_SCORE = 0.5  # a note is more often right than wrong
_BATCH = 5  # subjects that are read before the progress is told
_MANY = 32  # times that: from there on several processes read
_ASKED = 100  # answers: from there on several processes learn to read

Remark = Callable[[str], None]  # takes one line that a user should see


def take_notes(
    dataset: Dataset,
    *,
    remark: Remark = lambda line: None,
    learnt: Callable[[Mapping[str, RelationExtractor]], object] = lambda extractors: None,
) -> tuple[Note, ...]:
    """The surest value of each subject and relation whose score is at least `LEAST_SCORE`.

    None if there is nothing to learn from, or if the text states nothing: `remark` is told why.
    `learnt` is given the extractor of each relation, which learnt from all asked people.
    """
    source = DatasetPassages(dataset)
    readers = fit_readers(source, dataset.asked, remark)
    learnt({relation: reader.whole for relation, reader in readers.items()})
    notes = tuple(read_subjects(source, readers, remark))
    if not notes:
        remark("notes: the reader found no statement; the model is taught from the text alone")
    return notes


def fit_readers(
    source: PassageSource, asked: Iterable[Question], remark: Remark = lambda line: None
) -> dict[str, CrossFitted]:
    """A reader for each relation that has enough asked answers."""
    by_relation = _group(asked, remark)
    starters = learn_starters(source, (q for own in by_relation.values() for q in own))

    def fit(relation: str) -> CrossFitted | str:
        try:
            return RelationExtractor.fit(source, by_relation[relation], starters)
        except BadData as error:
            return str(error)

    readers: dict[str, CrossFitted] = {}
    enough = list(by_relation)
    many = sum(map(len, by_relation.values())) >= _ASKED
    fitted = in_processes(fit, enough) if many else map(fit, enough)
    for number, (relation, found) in enumerate(zip(enough, fitted, strict=True)):
        tell("learning to read", number, len(enough))
        if isinstance(found, str):
            remark(f"notes: none about '{relation}': {found}")
        else:
            readers[relation] = found
    tell("learning to read", len(enough), len(enough))
    return readers


def _group(asked: Iterable[Question], remark: Remark) -> dict[str, list[Question]]:
    """The asked questions of each relation that has enough answers to learn from."""
    by_relation: dict[str, list[Question]] = defaultdict(list)
    for question in asked:
        if question.answer is not None:
            by_relation[question.relation].append(question)
    for relation, questions in by_relation.items():
        if len(questions) >= FEWEST_ANSWERS:
            _remark_shared_names(relation, questions, remark)
        else:
            remark(
                f"notes: expected at least {FEWEST_ANSWERS} asked answers about '{relation}', "
                f"found {len(questions)}; no notes are taken about it"
            )
    return {name: own for name, own in by_relation.items() if len(own) >= FEWEST_ANSWERS}


def read_subjects(
    source: DatasetPassages,
    readers: Mapping[str, CrossFitted],
    remark: Remark = lambda line: None,
) -> Iterator[Note]:
    """The notes about all subjects of the text, in their order."""
    subjects = source.subjects
    disputed: Counter[str] = Counter()
    read = partial(_read_some, source, readers)
    parts = range(0, len(subjects), _BATCH)
    shared = in_processes(read, parts) if len(parts) >= _MANY else map(read, parts)
    for number, (notes, own) in enumerate(shared):
        tell("taking notes", min(number * _BATCH, len(subjects)), len(subjects))
        disputed.update(own)
        yield from notes
    tell("taking notes", len(subjects), len(subjects))
    for relation, count in (+disputed).items():
        remark(
            f"notes: two documents contradict each other about '{relation}' for {count} of "
            f"{len(subjects)} subjects; the surer value is noted"
        )


def _read_some(
    source: DatasetPassages, readers: Mapping[str, CrossFitted], first: int
) -> tuple[list[Note], Counter[str]]:
    """The notes about some subjects from the first on, and of how many there are two values."""
    notes: list[Note] = []
    disputed: Counter[str] = Counter()
    for subject in source.subjects[first : first + _BATCH]:
        for relation, reader in readers.items():
            found = [s for s in reader.read(source, subject) if s.certainty >= LEAST_SCORE]
            if found:
                one = found[0]
                disputed[relation] += any(reader.contradicts(one, other) for other in found)
                about = (subject, relation, one.text, one.document, one.span, one.certainty)
                notes.append(Note(*about))
    return notes, disputed


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
