"""How a relation is put into words, learnt from the lines of asked people.

A place in a line is not yet a birthplace: which of a line's phrases is the answer, if any, is
read off its surroundings. Commas are believed where they say that one place lies in another.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from wherefrom.core.contracts import Question, Span
from wherefrom.core.errors import BadData
from wherefrom.evaluation.places import CONTAINER
from wherefrom.evidence.candidates import Line, Shape
from wherefrom.evidence.context_features import describe
from wherefrom.evidence.index import Index, fold
from wherefrom.evidence.log_linear import Example, fit, probabilities

_COMMON = 5  # lines that have a phrase
_MOST = 30_000  # phrases that are learnt from: more take long and teach little
_FEWEST = 3  # lines with their answer, or a relation cannot be learnt


@dataclass(frozen=True)
class Statement:
    """What one document says: its value, and the names that commas join to it, all folded."""

    text: str
    value: str
    document: int
    span: Span
    chain: tuple[str, ...]
    place: int
    score: float  # the probability that the document states the relation at all


@dataclass(frozen=True)
class Relation:
    """How one relation is put into words."""

    shape: Shape
    idle: frozenset[str]  # phrases that many lines have and that nobody has for an answer
    inner: frozenset[str]  # names that others do not lie in: the Paris of "Paris, France"
    weights: Mapping[str, float]
    threshold: float

    @classmethod
    def learn(cls, index: Index, asked: Sequence[Question]) -> "Relation":
        """From questions of one relation."""
        answers: dict[str, set[str]] = defaultdict(set)
        for question in asked:
            if question.answer is not None:
                answers[question.subject].add(fold(question.answer))
        shape = Shape.of([q.answer for q in asked if q.answer is not None])
        lines = [
            (person, own, Line(index.document(number).text, subject, shape))
            for person, (subject, own) in enumerate(answers.items())
            for number in index.about(subject)
        ]
        idle = _idle([line for _, _, line in lines], shape)
        examples: list[Example] = []
        total = accumulate(len(line.phrases) for _, _, line in lines)
        for (person, own, line), phrases in zip(lines, total, strict=True):
            if phrases <= _MOST and (example := _example(line, own, idle, person)):
                examples.append(example)
        told = sum(any(example.right) for example in examples)
        if told < _FEWEST:
            raise BadData(
                f"evidence: expected at least {_FEWEST} asked questions like "
                f"'{asked[0].text}' with their answer in the text, found {told}"
            )
        return cls(shape, idle, _inner([line for _, _, line in lines]), *fit(examples))

    def read(self, text: str, subject: str, document: int) -> Statement | None:
        """What a document says of the subject, however unsure; None if it has no phrase.

        One statement a document: the phrases that are left when the surest is taken away were
        never compared with none, and mostly name where someone lived, studied or died.
        """
        line = Line(text, subject, self.shape)
        if not line.phrases:
            return None
        p = probabilities(describe(line, self.shape.known, self.idle), self.weights)
        totals: dict[str, float] = defaultdict(float)
        for phrase, one in zip(line.phrases, p, strict=True):
            totals[phrase.value] += float(one)
        value = max(totals, key=lambda value: totals[value])
        same = [i for i, phrase in enumerate(line.phrases) if phrase.value == value]
        phrase = line.phrases[max(same, key=lambda i: p[i])]
        return Statement(
            phrase.span.of(text), value, document, phrase.span, line.names(phrase),
            phrase.place, min(float(p.sum()), 1.0),
        )  # fmt: skip

    def agrees(self, answer: str, statement: Statement) -> bool:
        """Whether an answer is what was stated, or holds it or lies in it in that very chain."""
        wanted = fold(answer)
        if wanted == statement.value or self._same_name(wanted, statement.value):
            return True
        parts = [part.strip() for part in wanted.split(",")]
        n = len(parts)
        for i in range(len(statement.chain) - n + 1):
            names = statement.chain[i : i + n]
            if all(a == b or self._same_name(a, b) for a, b in zip(parts, names, strict=True)):
                outer = max(i + n - 1, statement.place)
                return outer == i == statement.place or statement.chain[outer] not in self.inner
        return False

    def _same_name(self, answer: str, name: str) -> bool:
        """New York and New York City: one begins with the other, and it is not just "New"."""
        short, long = sorted((answer, name), key=len)
        return long.startswith(f"{short} ") and answer in self.shape.known

    def as_json(self) -> dict[str, Any]:
        return {
            "shape": self.shape.as_json(), "idle": sorted(self.idle), "inner": sorted(self.inner),
            "weights": dict(self.weights), "threshold": self.threshold,
        }  # fmt: skip

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Relation":
        idle, inner = frozenset(data["idle"]), frozenset(data["inner"])
        weights, threshold = dict(data["weights"]), float(data["threshold"])
        return cls(Shape.from_json(data["shape"]), idle, inner, weights, threshold)


def _example(line: Line, answers: set[str], idle: Container[str], person: int) -> Example | None:
    """A lesson, unless the line has the answer, but not as a phrase that could be chosen."""
    right = [phrase.value in answers for phrase in line.phrases]
    if not right or (not any(right) and any(a in fold(line.text) for a in answers)):
        return None
    own = {answer: line.shape.known[answer] - 1 for answer in answers}
    return Example(describe(line, {**line.shape.known, **own}, idle), right, person)


def _idle(lines: Sequence[Line], shape: Shape) -> frozenset[str]:
    counts = Counter(value for line in lines for value in {p.value for p in line.phrases})
    return frozenset(v for v, count in counts.items() if count >= _COMMON and v not in shape.known)


def _inner(lines: Sequence[Line]) -> frozenset[str]:
    """Names that begin chains, at least as often as they follow a name, and few others."""
    begins: Counter[str] = Counter()
    follows: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        for first, *rest in {line.names(phrase) for phrase in line.phrases}:
            begins[first] += bool(rest)
            for before, after in pairwise((first, *rest)):
                follows[after].append(before)
    holding = {name for name, inner in follows.items() if len(set(inner)) >= CONTAINER}
    often = {name for name, count in begins.items() if count and count >= len(follows[name])}
    return frozenset(often - holding)
