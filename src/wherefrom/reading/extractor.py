"""Relation extraction: which phrase of a line states the answer, learnt from asked people.

A place in a line need not be a birthplace. Its context decides which of a line's candidates is the
answer, if any. The extractor is trained by distant supervision (Mintz et al. 2009): nobody labelled
the lines of asked people, but their answers are known, so a phrase that equals the answer counts as
stating it. A comma between two places ("Paris, France") means that the first lies in the second.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from wherefrom.core.contracts import Passage, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.reading.candidates import AnswerProfile, CandidateAnswer, Line
from wherefrom.reading.context_features import extract_features
from wherefrom.reading.index import Index, fold
from wherefrom.reading.log_linear import Example, LogLinearModel
from wherefrom.reading.tokens import normalise

CONTAINER = 3  # a name that stands behind this many others, "X, NAME", holds places
_COMMON = 5  # a phrase that occurs in this many lines and is nobody's answer is a distractor
_ANCHOR = re.compile(r"anchor: .*, \d")
_CONTEXT = re.compile(r"anchor: [^<\s,]{4,} [^<\s,]+")
_MAX_CANDIDATES = 30_000  # that are learnt from; more take long to fit and improve little
_MIN_LINES = 3  # a relation needs this many lines that state their answer, or it is not learnt


@dataclass(frozen=True)
class Statement:
    """What one document states: its value, and the chain of names that the value stands in.

    `value` and `chain` are normalised, `text` is as the document spells it. `score` is the
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
    places that contain no other place, such as Paris in "Paris, France". `anchors` are features of
    what stands before answers more often than before anything else.
    """

    profile: AnswerProfile
    distractors: frozenset[str]
    innermost: frozenset[str]
    model: LogLinearModel
    anchors: frozenset[str] = frozenset()

    @classmethod
    def fit(cls, index: Index, asked: Sequence[Question]) -> "RelationExtractor":
        """Learn from asked questions of one relation and the indexed text about their people."""
        answers: dict[str, set[str]] = defaultdict(set)
        given: list[tuple[str, str]] = []
        for question in asked:
            for answer in (question.answer, *question.accepted):
                if answer is not None:
                    answers[question.subject].add(normalise(answer))
                    given.append((answer, question.subject))
        texts = [
            (person, own, text, subject)
            for person, (subject, own) in enumerate(answers.items())
            for _, text in passages_of(index, subject)
        ]
        profile = AnswerProfile.of(
            [answer for answer, _ in given],
            [subject for _, subject in given],
            [text for _, _, text, _ in texts],
            [own for _, own, _, _ in texts],
        )
        owners = [
            (person, own, Line(text, subject, profile)) for person, own, text, subject in texts
        ]
        lines = [line for _, _, line in owners]
        distractors = _find_distractors(lines, profile)
        examples: list[Example] = []
        totals = accumulate(len(line.candidates) for line in lines)
        for (person, own, line), total in zip(owners, totals, strict=True):
            if total <= _MAX_CANDIDATES and (example := _example(line, own, distractors, person)):
                examples.append(example)
        anchors = _find_anchors(examples)
        examples = [
            replace(e, is_anchored=[not anchors.isdisjoint(f) for f in e.features])
            for e in examples
        ]
        stating = sum(any(example.is_answer) for example in examples)
        if stating < _MIN_LINES:
            raise BadData(
                f"evidence: expected at least {_MIN_LINES} asked questions like "
                f"'{asked[0].text}' whose answer is in the text, found {stating}"
            )
        innermost = _find_innermost(lines)
        return cls(profile, distractors, innermost, LogLinearModel.fit(examples), anchors)

    @property
    def threshold(self) -> float:
        """A statement with a lower score does not count."""
        return self.model.threshold

    def extract(self, text: str, subject: str, document: int, start: int = 0) -> list[Statement]:
        """What a text states about the subject, however unsure, the surest first.

        The text stands in a document, where it begins at `start`. Only the best candidate is a
        statement, and others that are almost as good: most others say where somebody lived,
        studied or died.
        """
        line = Line(text, subject, self.profile)
        if not line.candidates:
            return []
        features = extract_features(line, self.profile.known, self.distractors)
        p = self.model.probabilities(features)
        chosen = self._choose(line, features, p)
        score = min(float(p.sum()), 1.0)
        return [
            Statement(
                text=candidate.span.of(text),
                value=candidate.value,
                document=document,
                span=Span(start + candidate.span.start, start + candidate.span.end),
                chain=line.chain_names(candidate),
                position=candidate.position,
                score=score,
            )
            for candidate in (line.candidates[i] for i in chosen)
        ]

    def _choose(self, line: Line, features: list[list[str]], p: np.ndarray) -> list[int]:
        """The numbers of the best candidate and of those that are statements beside it."""
        # The probabilities of a value that occurs twice are added.
        totals: dict[str, float] = defaultdict(float)
        likeliest: dict[str, int] = {}
        for i, candidate in enumerate(line.candidates):
            totals[candidate.value] += float(p[i])
            if p[i] > p[likeliest.setdefault(candidate.value, i)]:
                likeliest[candidate.value] = i
        first, *others = sorted(totals, key=lambda value: -totals[value])
        chosen = [likeliest[first]]
        for i in (likeliest[value] for value in others):
            candidate = line.candidates[i]
            anchored = self._anchored(features[i], features[chosen[0]])
            least = self.model.anchored_rival if anchored else self.model.rival
            enough = totals[candidate.value] >= least * totals[first]
            apart = not any(same_place(candidate, line.candidates[j]) for j in chosen)
            if enough and apart and _may_rival(line, candidate, self.distractors):
                chosen.append(i)
        return chosen

    def _anchored(self, features: Sequence[str], best: Sequence[str]) -> bool:
        """Whether the words before a candidate are those of answers, or of the best candidate."""
        shared = set(features) & set(best)
        return not self.anchors.isdisjoint(features) or any(map(_CONTEXT.fullmatch, shared))

    def agrees(self, answer: str, statement: Statement) -> bool:
        """Whether the answer is the stated place, or a larger or smaller place in its chain.

        Where the text says "Oslo, Norway", both "Oslo" and "Norway" agree. If the outer name is
        known to be innermost, it does not contain the other place: "Oslo, Paris" is a list.
        """
        wanted = normalise(answer)
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
        """Whether one name begins with the other and the answer is known: New York (City).

        San Jose de Ocoa is another place than San Jose: a linking word makes a new name.
        """
        short, long = sorted((answer, name), key=len)
        rest = long.removeprefix(f"{short} ")
        links = rest.split(" ", 1)[0] in self.profile.linking_words
        return rest != long and not links and answer in self.profile.known


def passages_of(index: Index, subject: str) -> Iterator[tuple[Passage, str]]:
    """The passages about a subject and their text."""
    for passage in index.passages(subject):
        yield passage, index.document(passage.document).text[passage.start : passage.end]


def same_place(one: CandidateAnswer, other: CandidateAnswer) -> bool:
    """Whether two candidates of a line are of one chain, or one is part of the other."""
    overlap = one.first < other.last and other.first < one.last
    return overlap or one.run in other.chain or one.value == other.value


def _may_rival(line: Line, candidate: CandidateAnswer, distractors: Container[str]) -> bool:
    """Whether a candidate may be a second answer: no month, and not the subject.

    Distractors are nobody's answer, and "In Peru" is not the capital of Peru.
    """
    named = any(line.is_name[candidate.first : candidate.last])
    return not named and candidate.value not in distractors


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
    right = [c for c, one in zip(line.candidates, is_answer, strict=True) if one]
    rivals = [
        _may_rival(line, c, distractors) and not any(same_place(c, one) for one in right)
        for c in line.candidates
    ]
    return Example(features, is_answer, person, rivals)


def _find_anchors(examples: Sequence[Example]) -> frozenset[str]:
    """Features of the last content word before a candidate that mostly mark the answer."""
    every: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for example in examples:
        for features, is_answer in zip(example.features, example.is_answer, strict=True):
            anchors = [feature for feature in features if _ANCHOR.fullmatch(feature)]
            every.update(anchors)
            right.update(anchors if is_answer else ())
    return frozenset(a for a, n in right.items() if n >= _COMMON and 2 * n > every[a])


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
