"""Relation extraction: which phrase of a line states the answer, learnt from asked people.

A place in a line need not be a birthplace. Its context decides which of a line's candidates is the
answer, if any (`fitting_examples.py` says what that is learnt from). A comma between two places
("Paris, France") means that the first lies in the second.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.core.contracts import Question, Span
from wherefrom.core.errors import BadData
from wherefrom.reading.candidates import AnswerProfile, Line
from wherefrom.reading.context_features import Context
from wherefrom.reading.fitting_examples import (
    Asked,
    LearntLine,
    Lesson,
    find_anchors,
    make_examples,
    may_rival,
    same_place,
)
from wherefrom.reading.index import fold
from wherefrom.reading.log_linear import LogLinearModel
from wherefrom.reading.note_scores import Calibration, Choice
from wherefrom.reading.sources import PassageSource, passages_of
from wherefrom.reading.tokens import normalise
from wherefrom.reading.worker_processes import in_processes

_CONTEXT = re.compile(r"anchor: [^<\s,]{4,} [^<\s,]+")
_MIN_LINES = 3  # a relation needs this many lines that state their answer, or it is not learnt
_UNCHANGED = Calibration()
_MOST_WEIGHED = 100_000  # candidates from whose lines it is learnt how far to trust a choice
_TOGETHER, _MANY = 8, 10_000  # lines of a part; candidates from which on several processes choose


@dataclass(frozen=True)
class Statement:
    """What one document states: its value, and the chain of names that the value stands in.

    `value` and `chain` are normalised, `text` is as the document spells it. `score` is the
    probability that the document states the relation at all, `certainty` the probability that it
    states this value.
    """

    text: str
    value: str
    document: int
    span: Span
    chain: tuple[str, ...]
    position: int  # of the value in its chain
    score: float
    certainty: float = 0.0


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
    calibration: Calibration = _UNCHANGED

    @classmethod
    def fit(
        cls,
        source: PassageSource,
        asked: Sequence[Question],
        starters: frozenset[str] = frozenset(),
    ) -> "CrossFitted":
        """Learn from asked questions of one relation and the text about their people.

        `starters` are words that begin sentences of this text.
        """
        people = Asked(asked, starters)
        lesson = Lesson.of(source, people)
        distractors, of_folds = lesson.distractors()
        learnt = lesson.learnt()
        examples = make_examples(learnt, of_folds)
        stating = sum(any(example.is_answer) for example in examples)
        if stating < _MIN_LINES:
            raise BadData(
                f"evidence: expected at least {_MIN_LINES} asked questions like "
                f"'{asked[0].text}' whose answer is in the text, found {stating}"
            )
        anchors = find_anchors(e for e in examples if any(e.is_answer))
        examples = [
            replace(e, is_anchored=[not anchors.isdisjoint(f) for f in e.features])
            for e in examples
        ]
        model, models = LogLinearModel.fit_folds(examples)
        whole = cls(lesson.profile, distractors, lesson.innermost(), model, anchors)
        parts = zip(lesson.profiles, of_folds, models, strict=True)
        others = [replace(whole, profile=p, distractors=d, model=m) for p, d, m in parts]
        calibration = Calibration.fit(_choose_values(learnt, others))
        whole, *others = (replace(one, calibration=calibration) for one in (whole, *others))
        folds = {fold(subject): number for subject, number in people.folds.items()}
        return CrossFitted(whole, folds, tuple(others))

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
        line = Line.of(text, subject, self.profile)
        if not line.candidates:
            return []
        context, p, totals = self._weigh(line)
        chosen = self._choose(line, context, p, totals)
        score = min(float(p.sum()), 1.0)
        return [
            Statement(
                text=span.of(text),
                value=candidate.value,
                document=document,
                span=Span(start + span.start, start + span.end),
                chain=line.chain_names(candidate.chain),
                position=candidate.position,
                score=score,
                certainty=self.calibration.apply(totals[candidate.value]),
            )
            for candidate in (line.candidates[i] for i in chosen)
            for span in (self.profile.trim(text, line.span(candidate)),)
        ]

    def _weigh(self, line: Line) -> tuple[Context, np.ndarray, dict[str, float]]:
        """The contexts of a line's candidates, their probabilities, and those of their values."""
        context = Context(line, self.profile.known, self.distractors)
        p = self.model.probabilities(context.scores(self.model.weights))
        return context, p, _add_by_value(line, p)

    def best_value(self, line: Line) -> tuple[str, float]:
        """The likeliest value of a line that has candidates, and its probability."""
        totals = self._weigh(line)[-1]
        return max(totals.items(), key=lambda pair: pair[1])

    def _choose(
        self, line: Line, context: Context, p: np.ndarray, totals: Mapping[str, float]
    ) -> list[int]:
        """The numbers of the best candidate and of those that are statements beside it.

        `totals` has the probability of each value.
        """
        likeliest: dict[str, int] = {}
        for i, candidate in enumerate(line.candidates):
            if p[i] > p[likeliest.setdefault(candidate.value, i)]:
                likeliest[candidate.value] = i
        first, *others = sorted(totals, key=lambda value: -totals[value])
        chosen = [likeliest[first]]
        # Most others are far too unlikely to be looked at.
        least = min(self.model.rival, self.model.anchored_rival) * totals[first]
        for i in (likeliest[value] for value in others if totals[value] >= least):
            candidate = line.candidates[i]
            best = line.candidates[chosen[0]]
            anchored = self._anchored(context.features(candidate), context.features(best))
            ratio = self.model.anchored_rival if anchored else self.model.rival
            enough = totals[candidate.value] >= ratio * totals[first]
            apart = not any(same_place(candidate, line.candidates[j]) for j in chosen)
            if enough and apart and may_rival(line, candidate, self.distractors):
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


def _choose_values(
    learnt: Iterable[LearntLine], readers: Sequence[RelationExtractor]
) -> Iterator[Choice]:
    """What the readers of the folds choose in lines that they did not learn from.

    Among all candidates of a line: in those that were learnt from, its worst rival may be missing.
    """
    lines = [each for each in learnt if each.line.candidates]
    size = sum(len(each.line.candidates) for each in lines)
    lines = lines[:: size // _MOST_WEIGHED + 1]
    parts = [lines[i : i + _TOGETHER] for i in range(0, len(lines), _TOGETHER)]

    def choose(part: Sequence[LearntLine]) -> list[Choice]:
        found = [(each, *readers[each.fold].best_value(each.line)) for each in part]
        return [Choice(p, v in each.answers, each.weight, each.is_cut) for each, v, p in found]

    for chosen in in_processes(choose, parts) if size >= _MANY else map(choose, parts):
        yield from chosen


def _add_by_value(line: Line, p: np.ndarray) -> dict[str, float]:
    """The probability of each value: of one that occurs twice, both are added."""
    totals: dict[str, float] = defaultdict(float)
    for candidate, one in zip(line.candidates, p.tolist(), strict=True):
        totals[candidate.value] += one
    return totals


@dataclass(frozen=True)
class CrossFitted:
    """The extractor of all asked people, and for each of them one that did not see them.

    `folds` says which asked subject (folded) is in which fold.
    """

    whole: RelationExtractor
    folds: Mapping[str, int]
    extractors: tuple[RelationExtractor, ...]

    def read(self, source: PassageSource, subject: str) -> list[Statement]:
        """What the passages about a subject state, the surest first."""
        number = self.folds.get(fold(subject))
        extractor = self.whole if number is None else self.extractors[number]
        found: list[Statement] = []
        for passage, text in passages_of(source, subject):
            found += extractor.extract(text, subject, passage.document, passage.start)
        return sorted(found, key=lambda s: (-s.certainty, s.document, s.span.start))

    def contradicts(self, first: Statement, other: Statement) -> bool:
        """Whether another document states something else."""
        return first.document != other.document and not self.whole.agrees(other.text, first)
