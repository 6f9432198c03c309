"""Fact checking: what the text says about an answer. This is a property of the corpus alone.

The subject's text *supports* the answer, or *contradicts* it (the text states another answer), or
is *silent* (the text does not state the relation); or the corpus has *no text* about the subject.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData, nearest
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED, Verdict
from wherefrom.evidence.extractor import RelationExtractor, Statement
from wherefrom.evidence.index import Index


class FactChecker:
    """Checks answers against the indexed text, for every relation that has an extractor."""

    def __init__(self, index: Index, extractors: Mapping[str, RelationExtractor]) -> None:
        self.index, self.extractors = index, dict(extractors)

    @classmethod
    def fit(cls, index: Index, asked: Sequence[Question]) -> "FactChecker":
        """Learn an extractor for each relation of the asked questions.

        A relation with too few answers in the text is left out; BadData if no relation is left.
        """
        by_relation: dict[str, list[Question]] = defaultdict(list)
        for question in asked:
            by_relation[question.relation].append(question)
        extractors: dict[str, RelationExtractor] = {}
        problem = BadData("evidence: expected asked questions to learn from, found none")
        for relation, questions in by_relation.items():
            try:
                extractors[relation] = RelationExtractor.fit(index, questions)
            except BadData as error:
                problem = error
        if not extractors:
            raise problem
        return cls(index, extractors)

    def statements(self, subject: str, relation: str) -> tuple[Statement, ...]:
        """What the subject's documents state above the threshold, the surest first."""
        threshold = self._extractor(relation).threshold
        return tuple(s for s in self._extract(subject, relation) if s.score >= threshold)

    def judge(self, subject: str, answer: str, relation: str) -> Verdict:
        """What the subject's text says about an answer."""
        extractor, extracted = self._extractor(relation), self._extract(subject, relation)
        if not extracted and not self.index.about(subject):
            return Verdict(NO_TEXT, None, None, None, 0.0)
        stated = [s for s in extracted if s.score >= extractor.threshold]
        if not stated:
            return Verdict(SILENT, None, None, None, extracted[0].score if extracted else 0.0)
        # One document that agrees is enough: two people may share a name.
        agreeing = [s for s in stated if extractor.agrees(answer, s)]
        first = (agreeing or stated)[0]
        return Verdict(
            label=SUPPORTED if agreeing else CONTRADICTED,
            stated=first.text,
            document=first.document,
            span=first.span,
            score=first.score,
            quote=self.index.document(first.document).text,
        )

    def _extractor(self, relation: str) -> RelationExtractor:
        if relation not in self.extractors:
            close = nearest(relation, self.extractors)
            raise BadData(
                f"evidence: expected a relation with an extractor, found '{relation}'; {close}"
            )
        return self.extractors[relation]

    def _extract(self, subject: str, relation: str) -> list[Statement]:
        """One statement for each document about the subject, however unsure, the surest first."""
        extractor = self._extractor(relation)
        numbers = self.index.about(subject)
        found = (extractor.extract(self.index.document(n).text, subject, n) for n in numbers)
        return sorted(filter(None, found), key=lambda s: (-s.score, s.document))
