"""What the text says of an answer: a property of the corpus, never of the model.

An answer is *supported* by the subject's text, *contradicted* (the text states another), or the
text is *silent* (there is some, but it does not tell), or there is *no text*.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wherefrom.core.contracts import Question, Span
from wherefrom.core.errors import BadData, nearest
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import wilson
from wherefrom.evidence.candidates import Line
from wherefrom.evidence.extractor import Relation, Statement
from wherefrom.evidence.index import Index, fold

SUPPORTED, CONTRADICTED, SILENT, NO_TEXT = "supported", "contradicted", "silent", "no text"
LABELS = (SUPPORTED, CONTRADICTED, SILENT, NO_TEXT)


@dataclass(frozen=True)
class Evidence:
    """What the text says of an answer, and where: `stated` is its own word for it.

    `score` is the reader's probability that a document states the relation at all.
    """

    label: str
    stated: str | None
    document: int | None
    span: Span | None
    score: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Reader:
    """Reads the indexed text for every relation that it was taught."""

    def __init__(self, index: Index, relations: Mapping[str, Relation]) -> None:
        self.index, self.relations = index, dict(relations)

    @classmethod
    def learn(cls, index: Index, asked: Sequence[Question]) -> "Reader":
        """From asked questions; relations with too few answers in the text are left out."""
        groups: dict[str, list[Question]] = defaultdict(list)
        for question in asked:
            groups[question.relation].append(question)
        relations, problem = {}, BadData("evidence: expected asked questions, found none")
        for name, questions in groups.items():
            try:
                relations[name] = Relation.learn(index, questions)
            except BadData as error:
                problem = error
        if not relations:
            raise problem
        return cls(index, relations)

    def stated(self, subject: str, relation: str) -> tuple[Statement, ...]:
        """What the subject's documents state, the surest first; nothing that is in doubt."""
        threshold = self._relation(relation).threshold
        return tuple(s for s in self._read(subject, relation) if s.score >= threshold)

    def judge(self, subject: str, answer: str, relation: str) -> Evidence:
        """What the subject's text says of an answer."""
        known, read = self._relation(relation), self._read(subject, relation)
        if not read and not self.index.about(subject):
            return Evidence(NO_TEXT, None, None, None, 0.0)
        told = [s for s in read if s.score >= known.threshold]
        if not told:
            return Evidence(SILENT, None, None, None, read[0].score if read else 0.0)
        agreeing = [s for s in told if known.agrees(answer, s)]
        first = (agreeing or told)[0]
        label = SUPPORTED if agreeing else CONTRADICTED
        return Evidence(label, first.text, first.document, first.span, first.score)

    def as_json(self) -> dict[str, Any]:
        return {name: relation.as_json() for name, relation in self.relations.items()}

    @classmethod
    def from_json(cls, data: Any, index: Index) -> "Reader":
        try:
            return cls(index, {name: Relation.from_json(one) for name, one in data.items()})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadData(f"evidence: expected what a reader wrote, found: {error!r}") from None

    def _relation(self, name: str) -> Relation:
        if name not in self.relations:
            close = nearest(name, self.relations)
            raise BadData(f"evidence: expected a relation that was learnt, found '{name}'; {close}")
        return self.relations[name]

    def _read(self, subject: str, relation: str) -> list[Statement]:
        known = self._relation(relation)
        numbers = self.index.about(subject)
        read = (known.read(self.index.document(n).text, subject, n) for n in numbers)
        return sorted(filter(None, read), key=lambda s: (-s.score, s.document))


def report(reader: Reader, questions: Sequence[Question], level: float = 0.95) -> dict[str, Score]:
    """How often the labels are right, on people whose answers were not used to learn.

    What is known of them: the *gold* answer of a text that has it is supported, *another of the
    text* and *another* answer are contradicted, a text where the gold answer is *omitted* is
    silent (in a user's own text it may state something else), the *untold* have no text. Details
    count the labels; *evidence* has all of these together. Beside them, *stated*: whether what
    the text states most surely is the gold answer to the letter.
    """
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    right: Counter[str] = Counter()
    for question in questions:
        for probe, answer, expected in _probes(reader, question):
            label = reader.judge(question.subject, answer, question.relation).label
            labels[probe][label] += 1
            right[probe] += label == expected
    told = [q for q in questions if q.support == "stated" and q.answer is not None]
    found = [(reader.stated(q.subject, q.relation), fold(q.answer or "")) for q in told]
    exact = sum(bool(stated) and stated[0].value == gold for stated, gold in found)
    scores = {probe: _share(right[probe], n.total(), n, level) for probe, n in labels.items()}
    every = sum(labels.values(), Counter())
    if every:
        scores["evidence"] = _share(right.total(), every.total(), every, level)
    if told:
        scores["stated"] = _share(exact, len(told), Counter(), level)
    return scores


def _probes(reader: Reader, question: Question) -> Iterator[tuple[str, str, str]]:
    """Answers whose label is known: what kind of answer, the answer, its label."""
    if question.answer is None:
        return
    expected = {"stated": SUPPORTED, "omitted": SILENT, "none": NO_TEXT}[question.support]
    probe = {"stated": "gold", "omitted": "omitted", "none": "untold"}[question.support]
    yield probe, question.answer, expected
    if question.support == "stated":
        inside, outside = _others(reader, question)
        for probe, others in (("another of the text", inside), ("another", outside)):
            if others:
                digest = hashlib.sha256(question.text.encode()).digest()
                yield probe, others[int.from_bytes(digest[:8], "big") % len(others)], CONTRADICTED


def _others(reader: Reader, question: Question) -> tuple[list[str], list[str]]:
    """Asked people's answers in this person's text, apart from the gold one; and not in it.

    What commas join to the gold answer is left out: it may hold the gold one or lie in it.
    """
    shape, gold = reader.relations[question.relation].shape, fold(question.answer or "")
    inside: set[str] = set()
    near: set[str] = {gold}
    text = ""
    for number in reader.index.about(question.subject):
        line = Line(reader.index.document(number).text, question.subject, shape)
        text += fold(line.text)
        inside |= {phrase.value for phrase in line.phrases}
        chains = {run for p in line.phrases if p.value == gold for run in p.chain}
        near |= {phrase.value for phrase in line.phrases if phrase.run in chains}
    known = sorted(shape.known.keys() - near)
    return [v for v in known if v in inside], [v for v in known if v not in text]


def _share(right: int, n: int, labels: Counter[str], level: float) -> Score:
    details = {"labels": {k: labels[k] for k in LABELS}} if labels else {}
    return Score("accuracy", right / n, wilson(right, n, level), n, details)
