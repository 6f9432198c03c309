"""Fact checking: what the text says about an answer. This is a property of the corpus alone.

The subject's text *supports* the answer, or *contradicts* it (the text states another answer), or
is *silent* (the text does not state the relation); or the corpus has *no text* about the subject.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from wherefrom.core.contracts import Note, Passage, Question
from wherefrom.core.errors import BadData, nearest
from wherefrom.core.progress import tell
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED, Stated, Verdict
from wherefrom.reading.extractor import RelationExtractor, Statement
from wherefrom.reading.fitting_examples import learn_starters
from wherefrom.reading.index import Index
from wherefrom.reading.quotes import quote
from wherefrom.reading.sources import PassageSource, passages_of
from wherefrom.reading.worker_processes import in_processes

_MOST_ASKED = 20_000  # questions of a relation that are learnt from
_TOGETHER, _MANY = 50, 4  # subjects of a part; parts from which on several processes read


class FactChecker:
    """Checks answers against the indexed text, for every relation that has an extractor."""

    def __init__(self, index: Index, extractors: Mapping[str, RelationExtractor]) -> None:
        self.index, self.extractors = index, dict(extractors)
        self._extracted: dict[tuple[str, str], list[Statement]] = {}

    @classmethod
    def fit(cls, index: Index, asked: Sequence[Question]) -> "FactChecker":
        """Learn an extractor for each relation of the asked questions."""
        return cls(index, fit_extractors(index, asked))

    @property
    def starters(self) -> frozenset[str]:
        """Words that begin sentences of the text; every relation has the same."""
        return next(iter(self.extractors.values())).profile.starters

    def statements(self, subject: str, relation: str) -> tuple[Statement, ...]:
        """What the subject's documents state above the threshold, the surest first."""
        threshold = self._extractor(relation).threshold
        return tuple(s for s in self.extract(subject, relation) if s.score >= threshold)

    def judge(self, subject: str, answer: str, relation: str, note: Note | None = None) -> Verdict:
        """What the subject's text says about an answer.

        The model was taught the `note`, and this is the reader that took it: the answer is only as
        read unless other words than the note's own state it, too.
        """
        extractor, extracted = self._extractor(relation), self.extract(subject, relation)
        if not extracted and not self.index.about(subject):
            return Verdict(NO_TEXT, None, None, None, 0.0)
        stated = [s for s in extracted if s.score >= extractor.threshold]
        if not stated:
            return Verdict(SILENT, None, None, None, extracted[0].score if extracted else 0.0)
        # One statement that agrees is enough: two people may share a name.
        agreeing = [s for s in stated if extractor.agrees(answer, s)]
        others = [s for s in agreeing if not is_same_reading(s, note)]
        kept = [(others or agreeing or stated)[0]]
        for statement in stated:  # what the text states besides, each value once
            if not any(extractor.agrees(statement.text, one) for one in kept):
                kept.append(statement)
        first, *also = (self.show(subject, statement) for statement in kept)
        return Verdict(
            label=SUPPORTED if agreeing else CONTRADICTED,
            stated=first.text,
            document=first.document,
            span=first.span,
            score=first.score,
            quote=first.quote,
            also=tuple(also),
            as_read=bool(agreeing) and not others,
        )

    def show(self, subject: str, statement: Statement) -> Stated:
        """A statement as people are shown it: with its quote, and the place in that."""
        text = self.index.document(statement.document).text
        shown, span = quote(text, subject, statement.span, self.starters)
        return Stated(statement.text, statement.document, span, statement.score, shown)

    def _extractor(self, relation: str) -> RelationExtractor:
        if relation not in self.extractors:
            close = nearest(relation, self.extractors)
            raise BadData(
                f"evidence: expected a relation with an extractor, found '{relation}'; {close}"
            )
        return self.extractors[relation]

    def extract(self, subject: str, relation: str) -> list[Statement]:
        """The statements of each passage about the subject, however unsure, the surest first."""
        extractor = self._extractor(relation)
        if (known := self._extracted.get((subject, relation))) is not None:
            return known
        passages = passages_of(self.index, subject)
        found = self._extracted[subject, relation] = _rank(extractor, subject, passages)
        return found

    def read(self, subjects: Sequence[str]) -> None:
        """Extract what the text states about all these subjects, for every relation.

        A subject is read for all relations at once, and several processes share the subjects.
        """
        parts = [subjects[i : i + _TOGETHER] for i in range(0, len(subjects), _TOGETHER)]
        # The other processes cannot use this one's database.
        texts = [[(s, [*passages_of(self.index, s)]) for s in part] for part in parts]
        work = in_processes(self._read_part, texts) if len(parts) >= _MANY else None
        for number, found in enumerate(work or map(self._read_part, texts)):
            tell("looking up what the text states", number, len(parts))
            self._extracted |= found
        tell("looking up what the text states", len(parts), len(parts))

    def _read_part(
        self, part: Sequence[tuple[str, Sequence[tuple[Passage, str]]]]
    ) -> dict[tuple[str, str], list[Statement]]:
        return {
            (subject, relation): _rank(extractor, subject, passages)
            for subject, passages in part
            for relation, extractor in self.extractors.items()
        }


def _rank(
    extractor: RelationExtractor, subject: str, passages: Iterable[tuple[Passage, str]]
) -> list[Statement]:
    """What an extractor finds in passages about a subject, the surest first."""
    found = [
        statement
        for passage, text in passages
        for statement in extractor.extract(text, subject, passage.document, passage.start)
    ]
    return sorted(found, key=lambda s: (-s.score, s.document))


def fit_extractors(
    source: PassageSource,
    asked: Sequence[Question],
    known: Mapping[str, RelationExtractor] = MappingProxyType({}),
) -> dict[str, RelationExtractor]:
    """The extractor of each relation of the asked questions; those that are known stay.

    A relation with too few answers in the text is left out; BadData if no relation is left. Of a
    relation with very many questions some are learnt from, evenly out of all of them.
    """
    counts = Counter(question.relation for question in asked)
    apart = {relation: -(-n // _MOST_ASKED) for relation, n in counts.items()}
    some: dict[str, list[Question]] = defaultdict(list)
    seen: Counter[str] = Counter()
    for question in asked:
        if seen[question.relation] % apart[question.relation] == 0:
            some[question.relation].append(question)
        seen[question.relation] += 1
    extractors: dict[str, RelationExtractor] = {}
    problem = BadData("evidence: expected asked questions to learn from, found none")
    starters = next((extractor.profile.starters for extractor in known.values()), None)
    if starters is None:
        starters = learn_starters(source, (q for own in some.values() for q in own))
    for relation, questions in some.items():
        try:
            one = known.get(relation)
            one = one or RelationExtractor.fit(source, questions, starters).whole
            extractors[relation] = one
        except BadData as error:
            problem = error
    if not extractors:
        raise problem
    return extractors


def is_same_reading(statement: Statement, note: Note | None) -> bool:
    """Whether a statement is the very words that the note was taken from."""
    if note is None or statement.document != note.document:
        return False
    return statement.span.start < note.span.end and note.span.start < statement.span.end
