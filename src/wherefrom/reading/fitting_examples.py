"""What a reader learns a relation from: the lines of asked people, and what is left of them
without the sentences that state the answer.

Nobody labelled the lines, but the answers are known, so a phrase that equals the answer counts as
stating it (distant supervision, Mintz et al. 2009). Such lines alone would teach that every text
states the relation. So each of them is there a second time, without its stating sentences, as a
line that states nothing.

Every line is read as a new person's would be: by an answer profile that was made without the
answers of its own fold.
"""

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise

from wherefrom.core.contracts import Question
from wherefrom.reading.candidates import AnswerProfile, Line, find_places
from wherefrom.reading.context_features import Context
from wherefrom.reading.index import fold
from wherefrom.reading.log_linear import FOLDS, Example
from wherefrom.reading.sentences import find_starters
from wherefrom.reading.sources import PassageSource, passages_of
from wherefrom.reading.subject_text import CandidateAnswer
from wherefrom.reading.tokens import is_in_capitals, normalise, read_tokens
from wherefrom.reading.worker_processes import in_processes

CONTAINER = 3  # a name that stands behind this many others, "X, NAME", holds places
_COMMON = 5  # a phrase that occurs in this many lines and is nobody's answer is a distractor
_ANCHOR = re.compile(r"anchor: .*, \d")
_MOST_SUBJECTS = 2000  # that are learnt from
_MOST_ANSWERED = 5000  # subjects whose answers tell what answers look like
_MOST_TEXT = 600_000  # characters from which it is learnt what stands around answers
_MOST_CANDIDATES = 40_000  # of all lines: more take long to fit and improve little
_MOST_OTHERS = 60  # candidates of a line besides its answer
_MANY = 100_000  # characters from which on several processes learn it
_FEW_CUT_OFF = 0.1  # the share up to which such answers are faults, and not what is asked for
_MOST_SILENT = 6  # lines of a person that do not have the answer


def learn_starters(source: PassageSource, asked: Iterable[Question]) -> frozenset[str]:
    """Words that begin sentences, from the texts of asked subjects: the same for all relations.

    Then a text that is read for one relation need not be divided into sentences for the next.
    """
    subjects = sorted({question.subject for question in asked}, key=_digest)[:_MOST_SUBJECTS]
    texts = {s: [text for _, text in passages_of(source, s)] for s in subjects}
    return find_starters(text for own in _first(texts).values() for text in own)


class Asked:
    """The asked subjects of one relation with their answers, and which fold each of them is in.

    Their order is that of a hash of their names, so that the first ones are a fair sample.
    `starters` are words that begin sentences. `in_capitals`: the text is, so answers have no shape.
    """

    def __init__(
        self, questions: Iterable[Question], starters: frozenset[str] = frozenset()
    ) -> None:
        self._starters = starters
        self.in_capitals = False
        self.answers: dict[str, set[str]] = defaultdict(set)  # normalised
        self._given: list[tuple[str, str]] = []
        for question in questions:
            for answer in (question.answer, *question.accepted):
                if answer is not None:
                    self.answers[question.subject].add(normalise(answer))
                    self._given.append((answer, question.subject))
        self.subjects = sorted(self.answers, key=_digest)
        # In turn and not by the hash itself: of five people, each has a fold of their own.
        self.folds = {subject: i % FOLDS for i, subject in enumerate(self.subjects)}

    def profile(
        self, texts: Mapping[str, Sequence[str]], without: int | None = None
    ) -> AnswerProfile:
        """What the answers look like, and their subjects' texts, without those of one fold."""
        some = set(self.subjects[:_MOST_ANSWERED])
        used = [(a, s) for a, s in self._given if s in some and self.folds[s] != without]
        spell = str.lower if self.in_capitals else str
        told = [(t, s) for s, own in texts.items() if self.folds[s] != without for t in own]
        profile = AnswerProfile.of(
            [spell(answer) for answer, _ in used],
            [subject for _, subject in used],
            [text for text, _ in told],
            [self.answers[subject] for _, subject in told],
            self._starters,
        )
        # No fold's texts are read by a profile that they taught, so each needs none of its own.
        return replace(profile, untaught={})


@dataclass(frozen=True)
class LearntLine:
    """A line of an asked person; `weight` is how many lines like it there are.

    `is_cut`: its stating sentences were cut out.
    """

    line: Line
    answers: frozenset[str]
    fold: int
    weight: float = 1.0
    is_cut: bool = False

    @cached_property
    def states(self) -> bool:
        return any(candidate.value in self.answers for candidate in self.line.candidates)

    @cached_property
    def has_answer(self) -> bool:
        """Whether the answer stands there at all, be it in a longer word."""
        return self.states or _has_any(self.line.text, self.answers)

    @property
    def is_cut_off(self) -> bool:
        """Whether a longer name goes on behind the answer everywhere.

        William in William M. Hall, and Rose in Rose-Hulman, are no candidates.
        """
        line = self.line
        heads = [token.split("-")[0] or token for token in line.tokens]
        folded = [*map(normalise, heads)]
        ends = [last for _, last in find_places(self.answers, folded, line.profile.glue)]
        return (
            bool(ends)
            and not self.states
            and all(
                line.names.goes_on(last) or heads[last - 1] != line.tokens[last - 1]
                for last in ends
            )
        )


@dataclass(frozen=True)
class Lesson:
    """The lines that a relation is learnt from, and what the profiles of its answers are.

    `profiles` has for each fold the profile without its answers. `silent` are the lines without
    their stating sentences.
    """

    profile: AnswerProfile
    profiles: tuple[AnswerProfile, ...]
    lines: tuple[LearntLine, ...]
    silent: tuple[LearntLine, ...]

    @classmethod
    def of(cls, source: PassageSource, asked: Asked) -> "Lesson":
        subjects = asked.subjects[:_MOST_SUBJECTS]
        texts = {s: [text for _, text in passages_of(source, s)] for s in subjects}
        profile, *profiles = _profiles(asked, texts)
        lines: list[LearntLine] = []
        silent: list[LearntLine] = []
        size = 0
        for subject in subjects:
            number, answers = asked.folds[subject], frozenset(asked.answers[subject])
            own = _lines(texts[subject], subject, profiles[number], answers, number)
            cut = [one for each in own if (one := _cut(each))]
            lines += own
            silent += cut
            size += sum(min(len(one.line.candidates), _MOST_OTHERS) for one in (*own, *cut))
            if size > _MOST_CANDIDATES:
                break
        return cls(profile, tuple(profiles), tuple(lines), tuple(silent))

    def distractors(self) -> tuple[frozenset[str], list[frozenset[str]]]:
        """Phrases that occur in many lines and are nobody's answer; the same for each fold."""
        counts = Counter(
            value for each in self.lines for value in {c.value for c in each.line.candidates}
        )
        common = {value for value, n in counts.items() if n >= _COMMON}
        known = (self.profile.known, *(profile.known for profile in self.profiles))
        whole, *folds = (frozenset(value for value in common if value not in k) for k in known)
        return whole, folds

    def learnt(self) -> list[LearntLine]:
        """All lines but faulty ones, the silent ones last.

        If a few asked answers are cut off, the questions are faulty: whatever is chosen in their
        lines is neither right nor wrong.
        """
        faulty = {id(each) for each in self.lines if each.is_cut_off}
        if len(faulty) > _FEW_CUT_OFF * len(self.lines):
            faulty = set[int]()
        return [each for each in (*self.lines, *self.silent) if id(each) not in faulty]

    def innermost(self) -> frozenset[str]:
        """Names that begin chains at least as often as they follow a name, and follow few names.

        A name that follows at least `CONTAINER` different names is a country or another large
        place.
        """
        begins: Counter[str] = Counter()
        follows: dict[str, list[str]] = defaultdict(list)
        for line in (each.line for each in self.lines):
            chains = {c.chain for c in line.candidates if len(c.chain) > 1}
            for first, *rest in set(map(line.chain_names, chains)):
                begins[first] += 1
                for before, after in pairwise((first, *rest)):
                    follows[after].append(before)
        holding = {name for name, inner in follows.items() if len(set(inner)) >= CONTAINER}
        often = {name for name, count in begins.items() if count >= len(follows[name])}
        return frozenset(often - holding)


def make_examples(
    learnt: Iterable[LearntLine], distractors: Sequence[Container[str]]
) -> list[Example]:
    """Examples of lines that have candidates; `distractors` are those of the folds."""
    found = (_example(each, distractors[each.fold]) for each in learnt)
    return [example for example in found if example]


def find_anchors(examples: Iterable[Example]) -> frozenset[str]:
    """Features of the last content word before a candidate that mostly mark the answer."""
    every: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for example in examples:
        for features, is_answer in zip(example.features, example.is_answer, strict=True):
            named = (feature for feature in features if feature.startswith("anchor: "))
            anchors = [feature for feature in named if _ANCHOR.fullmatch(feature)]
            every.update(anchors)
            right.update(anchors if is_answer else ())
    return frozenset(a for a, n in right.items() if n >= _COMMON and 2 * n > every[a])


def same_place(one: CandidateAnswer, other: CandidateAnswer) -> bool:
    """Whether two candidates of a line are of one chain, or one is part of the other."""
    overlap = one.first < other.last and other.first < one.last
    return overlap or one.run in other.chain or one.value == other.value


def may_rival(line: Line, candidate: CandidateAnswer, distractors: Container[str]) -> bool:
    """Whether a candidate may be a second answer: no month, and not the subject.

    Distractors are nobody's answer, and "In Peru" is not the capital of Peru.
    """
    named = any(line.is_name[candidate.first : candidate.last])
    return not named and candidate.value not in distractors


def _profiles(asked: Asked, texts: Mapping[str, Sequence[str]]) -> list[AnswerProfile]:
    """The profile of all answers, then for each fold the one without its answers."""
    some = _first(texts)
    every = [text for own in some.values() for text in own]
    asked.in_capitals = bool(every) and all(is_in_capitals(read_tokens(t).texts) for t in every)
    whole = asked.profile(some)
    if not whole.boundaries:
        some = dict[str, Sequence[str]]()  # of which nothing else is used
    folds = partial(asked.profile, some)
    if sum(map(len, every)) < _MANY:
        return [whole, *map(folds, range(FOLDS))]
    others = in_processes(folds, range(FOLDS))
    # One set of words for all: the same text read for two profiles is looked up by it.
    return [whole, *(replace(other, starters=whole.starters) for other in others)]


def _first(texts: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """The texts of the first subjects, as far as there is room; all if the first is too long."""
    sizes = accumulate(sum(map(len, own)) for own in texts.values())
    room = {s for s, size in zip(texts, sizes, strict=True) if size < _MOST_TEXT}
    return {s: own for s, own in texts.items() if s in room} or texts


def _lines(
    texts: Sequence[str],
    subject: str,
    profile: AnswerProfile,
    answers: frozenset[str],
    number: int,
) -> list[LearntLine]:
    """The lines of one subject: those with the answer, and some of the others for all of them."""
    has = [_has_any(text, answers) for text in texts]
    having = [text for text, has_answer in zip(texts, has, strict=True) if has_answer]
    others = [text for text, has_answer in zip(texts, has, strict=True) if not has_answer]
    kept = sorted(others, key=_digest)[:_MOST_SILENT]
    weight = len(others) / max(len(kept), 1)
    weighed = [*((text, 1.0) for text in having), *((text, weight) for text in kept)]
    return [LearntLine(Line.of(t, subject, profile), answers, number, w) for t, w in weighed]


def _cut(learnt: LearntLine) -> LearntLine | None:
    """The line without the sentences that have the answer; None if it has none, or no others."""
    if not learnt.has_answer:
        return None
    line, answers = learnt.line, learnt.answers
    right = [line.span(c).start for c in line.candidates if c.value in answers]
    kept = [
        sentence
        for sentence in line.read.sentences
        if not any(sentence.start <= start < sentence.end for start in right)
        and not _has_any(sentence.of(line.text), answers)
    ]
    if not any(sentence.of(line.text).strip() for sentence in kept):
        return None
    return replace(learnt, line=Line(line.read.keep(kept), line.profile), is_cut=True)


def _has_any(text: str, answers: Iterable[str]) -> bool:
    folded = fold(text)
    return any(answer in folded for answer in answers)


def _example(learnt: LearntLine, distractors: Container[str]) -> Example | None:
    """A line to learn from, None without candidates.

    A line that contains the answer, but not as a candidate, has the weight 0: "none" would be
    wrong, and no candidate is right.
    """
    line, answers = learnt.line, learnt.answers
    if not line.candidates:
        return None
    missed = learnt.has_answer and not learnt.states
    right = [c for c in line.candidates if c.value in answers]
    others = [i for i, c in enumerate(line.candidates) if c.value not in answers]
    # Of very many candidates some stand for all of them.
    sample = set(_sample(others, _MOST_OTHERS, line.text))
    offset = math.log(len(others) / len(sample)) if sample else 0.0
    kept = [i for i, c in enumerate(line.candidates) if c.value in answers or i in sample]
    candidates = [line.candidates[i] for i in kept]
    context = Context(line, line.profile.known, distractors)
    return Example(
        features=[context.features(c) for c in candidates],
        is_answer=[c.value in answers for c in candidates],
        fold=learnt.fold,
        weight=0.0 if missed else learnt.weight,
        offsets=[0.0 if c.value in answers else offset for c in candidates],
        is_rival=[
            may_rival(line, c, distractors) and not any(same_place(c, one) for one in right)
            for c in candidates
        ],
    )


def _sample(items: Sequence[int], most: int, key: str) -> Iterator[int]:
    """At most `most` items, evenly spaced; the key decides which item is the first."""
    if len(items) <= most:
        yield from items
        return
    start = int(_digest(key)[:8], 16) / 16**8
    for i in range(most):
        yield items[int((i + start) * len(items) / most)]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
