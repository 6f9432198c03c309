"""Relation extraction: which phrase of a line states the answer, learnt from asked people.

A place in a line need not be a birthplace. Its context decides which of a line's candidates is the
answer, if any. The extractor is trained by distant supervision (Mintz et al. 2009): nobody labelled
the lines of asked people, but their answers are known, so a phrase that equals the answer counts as
stating it. A comma between two places ("Paris, France") means that the first lies in the second.
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

_COMMON = 5  # a phrase that occurs in this many lines and is nobody's answer is a distractor
_MAX_CANDIDATES = 30_000  # that are learnt from; more take long to fit and improve little
_MIN_LINES = 3  # a relation needs this many lines that state their answer, or it is not learnt


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

    `distractors` are phrases that occur in many lines and are nobody's answer. `innermost` are
    places that contain no other place, such as Paris in "Paris, France".
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
                f"'{asked[0].text}' whose answer is in the text, found {stating}"
            )
        return cls(profile, distractors, _find_innermost(lines), LogLinearModel.fit(examples))

    @property
    def threshold(self) -> float:
        """A statement with a lower score does not count."""
        return self.model.threshold

    def extract(self, text: str, subject: str, document: int) -> Statement | None:
        """What a document states about the subject, however unsure; None without a candidate.

        Only the best candidate of a document is a statement. The others mostly say where somebody
        lived, studied or died.
        """
        line = Line(text, subject, self.profile)
        if not line.candidates:
            return None
        features = extract_features(line, self.profile.known, self.distractors)
        p = self.model.probabilities(features)
        # The probabilities of a value that occurs twice are added.
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
        """Whether the answer is the stated place, or a larger or smaller place in its chain.

        Where the text says "Oslo, Norway", both "Oslo" and "Norway" agree. If the outer name is
        known to be innermost, it does not contain the other place: "Oslo, Paris" is a list.
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
        """Whether one name begins with the other and the answer is known: New York (City)."""
        short, long = sorted((answer, name), key=len)
        return long.startswith(f"{short} ") and answer in self.profile.known


def _example(
    line: Line, answers: set[str], distractors: Container[str], person: int
) -> Example | None:
    """A line to learn from.

    None if the line contains the answer, but not as a candidate: then "none" would be wrong, and
    no candidate is right.
    """
    is_answer = [candidate.value in answers for candidate in line.candidates]
    if not is_answer or (not any(is_answer) and any(a in fold(line.text) for a in answers)):
        return None
    # The person's own answer is not counted, because a new person's answer is not counted either.
    known: Mapping[str, int] = line.profile.known
    others = {answer: known[answer] - 1 for answer in answers}
    features = extract_features(line, {**known, **others}, distractors)
    return Example(features, is_answer, person)


def _find_distractors(lines: Sequence[Line], profile: AnswerProfile) -> frozenset[str]:
    counts = Counter(value for line in lines for value in {c.value for c in line.candidates})
    known = profile.known
    return frozenset(value for value, n in counts.items() if n >= _COMMON and value not in known)


def _find_innermost(lines: Sequence[Line]) -> frozenset[str]:
    """Names that begin chains at least as often as they follow a name, and follow few names.

    A name that follows at least `CONTAINER` different names is a country or another large place.
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
