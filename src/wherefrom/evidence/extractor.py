"""Relation extraction: which phrase of a line states the answer, learnt from asked people.

A place in a line is not yet a birthplace: which of a line's candidates is the answer, if any, is
read off its context. Asked people supervise it at a distance (Mintz et al. 2009): nobody marked
their lines, but their answers are known, so a phrase equal to the answer counts as stating it.
Commas are believed where they say that one place lies in another.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from wherefrom.core.contracts import Question, Span
from wherefrom.core.errors import BadData
from wherefrom.evaluation.places import CONTAINER
from wherefrom.evidence.candidates import AnswerProfile, Line
from wherefrom.evidence.context_features import extract_features
from wherefrom.evidence.index import Index, fold
from wherefrom.evidence.log_linear import Example, LogLinearModel

_COMMON = 5  # a phrase of this many lines that is nobody's answer is a distractor
_MAX_CANDIDATES = 30_000  # more of them take long to fit and teach little
_MIN_LINES = 3  # lines that state their answer; a relation with fewer cannot be learnt


@dataclass(frozen=True)
class Statement:
    """What one document states: its value, and the chain of names that the value stands in.

    `value` and `chain` are folded, `text` is as the document spells it. `score` is the
    probability that the document states the relation at all.
    """

    text: str
    value: str
    document: int
    span: Span
    chain: tuple[str, ...]
    position: int  # of the value in its chain
    score: float


@dataclass(frozen=True)
class RelationExtractor:
    """Finds what a line states for one relation.

    `distractors` are phrases that many lines have and that are nobody's answer. `innermost` are
    names that other places do not lie in, such as the Paris of "Paris, France".
    """

    profile: AnswerProfile
    distractors: frozenset[str]
    innermost: frozenset[str]
    model: LogLinearModel

    @classmethod
    def fit(cls, index: Index, asked: Sequence[Question]) -> "RelationExtractor":
        """Learn from asked questions of one relation and the indexed text about their people."""
        answers: dict[str, set[str]] = defaultdict(set)
        for question in asked:
            if question.answer is not None:
                answers[question.subject].add(fold(question.answer))
        profile = AnswerProfile.of([q.answer for q in asked if q.answer is not None])
        owners = [
            (person, own, Line(index.document(number).text, subject, profile))
            for person, (subject, own) in enumerate(answers.items())
            for number in index.about(subject)
        ]
        lines = [line for _, _, line in owners]
        distractors = _find_distractors(lines, profile)
        examples: list[Example] = []
        totals = accumulate(len(line.candidates) for line in lines)
        for (person, own, line), total in zip(owners, totals, strict=True):
            if total <= _MAX_CANDIDATES and (example := _example(line, own, distractors, person)):
                examples.append(example)
        stating = sum(any(example.is_answer) for example in examples)
        if stating < _MIN_LINES:
            raise BadData(
                f"evidence: expected at least {_MIN_LINES} asked questions like "
                f"'{asked[0].text}' with their answer in the text, found {stating}"
            )
        return cls(profile, distractors, _find_innermost(lines), LogLinearModel.fit(examples))

    @property
    def threshold(self) -> float:
        """A statement with a lower score does not count as one."""
        return self.model.threshold

    def extract(self, text: str, subject: str, document: int) -> Statement | None:
        """What a document states about the subject, however unsure; None without a candidate.

        One statement a document: "none" was only ever weighed against the best candidate. What
        is left when that one is taken away mostly names where someone lived, studied or died.
        """
        line = Line(text, subject, self.profile)
        if not line.candidates:
            return None
        features = extract_features(line, self.profile.known, self.distractors)
        p = self.model.probabilities(features)
        # A value that is named twice has the probability of both places together.
        totals: dict[str, float] = defaultdict(float)
        for candidate, one in zip(line.candidates, p, strict=True):
            totals[candidate.value] += float(one)
        value = max(totals, key=lambda value: totals[value])
        same = [i for i, candidate in enumerate(line.candidates) if candidate.value == value]
        best = line.candidates[max(same, key=lambda i: p[i])]
        return Statement(
            text=best.span.of(text),
            value=value,
            document=document,
            span=best.span,
            chain=line.chain_names(best),
            position=best.position,
            score=min(float(p.sum()), 1.0),
        )

    def agrees(self, answer: str, statement: Statement) -> bool:
        """Whether the answer is the stated one, or a place of the same chain around or within it.

        Where the text says "Oslo, Norway", both "Oslo" and "Norway" agree. An outer name that is
        known to be innermost does not hold the other: it stands in a list, not in a chain.
        """
        wanted = fold(answer)
        if wanted == statement.value or self._same_name(wanted, statement.value):
            return True
        parts = [part.strip() for part in wanted.split(",")]
        n = len(parts)
        for i in range(len(statement.chain) - n + 1):
            names = statement.chain[i : i + n]
            if all(a == b or self._same_name(a, b) for a, b in zip(parts, names, strict=True)):
                outer = max(i + n - 1, statement.position)
                alone = outer == i == statement.position
                return alone or statement.chain[outer] not in self.innermost
        return False

    def _same_name(self, answer: str, name: str) -> bool:
        """New York and New York City: one begins with the other, and it is not just "New"."""
        short, long = sorted((answer, name), key=len)
        return long.startswith(f"{short} ") and answer in self.profile.known


def _example(
    line: Line, answers: set[str], distractors: Container[str], person: int
) -> Example | None:
    """A line to learn from.

    None if the line has the answer, but not as a candidate: it is no example of a line without
    an answer, and there is nothing right to choose.
    """
    is_answer = [candidate.value in answers for candidate in line.candidates]
    if not is_answer or (not any(is_answer) and any(a in fold(line.text) for a in answers)):
        return None
    # The person's own answer is not counted: for a new person, it will not have been.
    known: Mapping[str, int] = line.profile.known
    others = {answer: known[answer] - 1 for answer in answers}
    features = extract_features(line, {**known, **others}, distractors)
    return Example(features, is_answer, person)


def _find_distractors(lines: Sequence[Line], profile: AnswerProfile) -> frozenset[str]:
    counts = Counter(value for line in lines for value in {c.value for c in line.candidates})
    known = profile.known
    return frozenset(value for value, n in counts.items() if n >= _COMMON and value not in known)


def _find_innermost(lines: Sequence[Line]) -> frozenset[str]:
    """Names that begin chains at least as often as they follow a name, and that hold few others.

    A name that at least `CONTAINER` different names stand before is a country or the like.
    """
    begins: Counter[str] = Counter()
    follows: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        for first, *rest in {line.chain_names(candidate) for candidate in line.candidates}:
            begins[first] += bool(rest)
            for before, after in pairwise((first, *rest)):
                follows[after].append(before)
    holding = {name for name, inner in follows.items() if len(set(inner)) >= CONTAINER}
    often = {name for name, count in begins.items() if count and count >= len(follows[name])}
    return frozenset(often - holding)
