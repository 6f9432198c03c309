"""Candidate answers: the phrases of a line that look like an answer.

Nothing here depends on the relation or the language. What an answer looks like is learnt from the
answers of asked people, see `AnswerProfile`: capitals, numbers or plain words, how many of them, in
which order, and whether there are others at all. An answer that is known is found in any case.

Answers that are no names, such as a line behind a label or a list, have no shape of their own. They
are found by what stands before and behind them (`boundaries.py`).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from wherefrom.core.contracts import Span
from wherefrom.reading.boundaries import Boundaries, TokenRange, learn_crosswise
from wherefrom.reading.mentions import same_span
from wherefrom.reading.subject_text import CandidateAnswer, Names, SubjectText, read_text
from wherefrom.reading.tokens import (
    find_glue,
    is_unspaced,
    normalise,
    read_tokens,
    token_kind,
    words,
)

_RARE = 0.02  # a kind of answer with less than this share of the answers is not looked for
_CLOSED = 0.01  # answers that occur once have at most this share: there are no others
_CLOSED_FROM = 50  # answers from which on that can be said
_MAX_FREE_WORDS = 4  # the longest candidate without capitals that is not itself a known answer
_MAX_FREE_CHARACTERS = 6  # the same where words are not divided by spaces
_SHORT = 3  # letters: a word like "du" may link names even if no known answer has it
_MOST_LINKED = 4  # runs of capitals in one name: College of Art and Design
_FEW_SHAPES = 3  # dates have a few shapes; where there are more, others will come
_MAX_KNOWN_WORDS = 12  # the longest known answer that is looked for
_SAMPLE = 3000  # texts from which it is learnt what stands around answers
_OFTEN = 0.75  # the share of the answers found so from which such phrases are candidates
_ALWAYS = 0.97  # the share from which nothing else is
_LONG = 300  # tokens: in such texts not every name can be a candidate
_ALWAYS_FROM = 30  # texts from which on that can be said


@dataclass(frozen=True)
class AnswerProfile:
    """What the answers of asked people look like.

    `max_words` is the largest number of words in an answer, by the kind of its first token (see
    `token_kind`). `linking_words` are words without a capital inside an answer, such as "of" in
    "Isle of Man". `known` counts how many asked people have each (normalised) answer. `shapes` are
    the kinds of the tokens of answers that begin with a capital and have numbers or marks, such as
    "May 3, 1950". `closed`: the answers are few and always the same, such as left and right; then
    no other word is a candidate. `named`: some answers are in their subject's name, as the capitals
    Singapore and Guatemala City are. `starters` are words that begin sentences of the text.

    `glue` are the marks inside web addresses, versions and the like, see `find_glue`. `boundaries`
    tell what stands around answers, where some answers are found in no other way; `untaught` has
    for each text that they were learnt from what other texts taught. `labelled`: all answers stand
    behind the same few words. `stops`: answers may end with a full stop, as "Acme Ltd." does.
    `dates`: answers with a capital have a number, too, so that names are no candidates.
    """

    max_words: Mapping[str, int]
    linking_words: frozenset[str]
    known: Mapping[str, int]
    shapes: frozenset[str] = frozenset()
    closed: bool = False
    named: bool = False
    starters: frozenset[str] = frozenset()
    glue: str = ""
    boundaries: Boundaries | None = None
    untaught: Mapping[str, Boundaries] = field(default_factory=dict[str, Boundaries])
    labelled: bool = False
    stops: bool = True
    dates: bool = False

    @classmethod
    def of(
        cls,
        answers: Sequence[str],
        subjects: Sequence[str] = (),
        texts: Sequence[str] = (),
        own: Sequence[Collection[str]] = (),
        starters: frozenset[str] = frozenset(),
    ) -> "AnswerProfile":
        """The profile of answers, of the subjects that they belong to, and of their texts.

        `own` has for each text the (normalised) answers of its subject.
        """
        lengths: dict[str, list[int]] = {}
        linking: set[str] = set()
        shapes: Counter[str] = Counter()
        least = _RARE * len(answers)
        glue = find_glue(answers, least)
        split = [tokens for answer in answers if (tokens := words(answer, glue))]
        for tokens in split:
            kinds = [*map(token_kind, tokens)]
            lengths.setdefault(kinds[0], []).append(len(tokens))
            linking |= {token for token in tokens[1:-1] if token_kind(token) == "word"}
            if kinds[0] == "capital" and {"number", "mark"} & set(kinds):
                shapes[_shape(tokens)] += 1
        known = Counter(map(normalise, answers))
        once = sum(count == 1 for count in known.values())
        named = sum(
            not set(map(normalise, words(answer))).isdisjoint(map(normalise, words(subject)))
            for answer, subject in zip(answers, subjects, strict=False)
        )
        profile = cls(
            # One odd answer, such as a year among places, must not make every year a candidate.
            {kind: max(n) for kind, n in lengths.items() if len(n) >= least},
            frozenset(linking),
            known,
            frozenset(shape for shape, count in shapes.items() if count >= least),
            len(answers) >= _CLOSED_FROM and once <= _CLOSED * len(answers),
            named > 1 and named >= least,
            starters,
            glue,
            dates=len(lengths.get("capital", ())) - shapes.total() < least,
            stops=sum(answer.endswith(".") for answer in answers) >= least,
        )
        return profile._bounded(split, texts, own)

    def _bounded(
        self, answers: Sequence[Sequence[str]], texts: Sequence[str], own: Sequence[Collection[str]]
    ) -> "AnswerProfile":
        """The same profile, and what stands around the answers if that is needed."""
        odd = sum(not self._has_shape(tokens) for tokens in answers)
        told = [read_tokens(text, self.known, self.glue) for text in texts[:_SAMPLE]]
        tokens = [read.texts for read in told]
        shapeless = odd > max(1, _RARE * len(answers))
        if not shapeless and sum(map(len, tokens)) <= _LONG * len(tokens):
            return self
        asked = zip(told, own, strict=False)
        found = [find_places(wanted, read.folded, self.glue) for read, wanted in asked]
        halves, covered = learn_crosswise(tokens, found)
        labelled = covered >= _ALWAYS and sum(map(bool, found)) >= _ALWAYS_FROM
        if covered < _OFTEN or not (shapeless or labelled):
            return self
        others = {text: halves[i % 2] for i, text in enumerate(texts[: len(tokens)])}
        boundaries = Boundaries.learn(tokens, found)
        return replace(self, boundaries=boundaries, untaught=others, labelled=labelled)

    def _has_shape(self, tokens: Sequence[str]) -> bool:
        """Whether an answer is found by what it looks like."""
        kinds = [*map(token_kind, tokens)]
        if kinds[0] == "capital":
            linked = {t for t, kind in zip(tokens, kinds, strict=True) if kind == "word"}
            name = kinds[-1] == "capital" and "mark" not in kinds and "number" not in kinds
            shaped = len(self.shapes) <= _FEW_SHAPES and _shape(tokens) in self.shapes
            return (name and linked <= self.linking_words) or shaped
        most = _MAX_FREE_CHARACTERS if is_unspaced(tokens[0]) else _MAX_FREE_WORDS
        return len(tokens) <= most and kinds[-1] != "mark" and kinds[0] in self.max_words

    def trim(self, text: str, span: Span) -> Span:
        """Where a value stands, without a full stop at its end if answers have none."""
        stopped = not self.stops and text[span.end - 1] == "."
        return same_span(span.start, span.end - stopped)

    @cached_property
    def longest_known(self) -> int:
        """The longest phrase, in words, that is compared with the known answers."""
        longest = max((len(words(answer, self.glue)) for answer in self.known), default=0)
        return min(longest, _MAX_KNOWN_WORDS)

    @cached_property
    def first_words(self) -> frozenset[str]:
        """The words that known answers begin with."""
        known = (words(answer, self.glue) for answer in self.known)
        return frozenset(normalise(tokens[0]) for tokens in known if tokens)


class Line:
    """The tokens of a text about a subject and its candidates; the subject's name is no candidate.

    The name is left out because Erna Paris need not come from Paris. But a part of the name that
    is a known answer may be a candidate: otherwise "Erna Paris of Paris" would have none at all.
    A part of the name inside another name is not the subject's: Jose Paniagua, born in San Jose.
    """

    def __init__(self, read: SubjectText, profile: AnswerProfile) -> None:
        self.read, self.text, self.profile = read, read.text, profile
        self.tokens, self.is_name = self.read.tokens, self.read.is_name
        self.sentence_starts = self.read.sentence_starts
        self.names = self._find_names()
        self.kinds, self._runs = self.names.kinds, self.names.runs
        self._possessives = [k for k, kind in enumerate(self.kinds) if kind == "possessive"]
        boundaries = profile.untaught.get(self.text, profile.boundaries)
        self._fits = dict(boundaries.find(self.tokens)) if boundaries else {}
        starts = {first for first, _ in self._fits} if profile.labelled else set[int]()
        places = {*self._fits, *self._places(sorted(starts) or range(len(self.tokens)))}
        if starts:
            places = {place for place in places if place[0] in starts}
        make = self._candidate if self._fits else self.names.candidate
        self.candidates = [make(*place) for place in sorted(places)]

    @classmethod
    def of(cls, text: str, subject: str, profile: AnswerProfile) -> "Line":
        """The line that a text about a subject is."""
        tokens = read_tokens(text, profile.known, profile.glue)
        return cls(read_text(text, subject, tokens, profile.starters), profile)

    def _find_names(self) -> Names:
        """The names of the text, the subject's only where it may be an answer."""
        read, known = self.read, self.profile.known
        if self.profile.named:
            return read.with_name
        if any(part and read.folded[i] in known for i, part in enumerate(self.is_name)):
            return Names(read, read.mark_name(known))
        return read.without_name

    def span(self, candidate: CandidateAnswer) -> Span:
        """Where a candidate stands in the text."""
        return self.read.span(candidate.first, candidate.last)

    def chain_names(self, chain: Sequence[TokenRange]) -> tuple[str, ...]:
        """The names in a chain, normalised."""
        return tuple(self.names.candidate(*run).value for run in chain)

    def _candidate(self, first: int, last: int) -> CandidateAnswer:
        candidate = self.names.candidate(first, last)
        fit = self._fits.get((first, last), 0.0)
        return candidate._replace(fit=fit) if fit else candidate

    def _places(self, starts: Sequence[int]) -> Iterator[TokenRange]:
        """The token ranges of candidates, those of phrases from the starts; one may occur twice."""
        most_words = self.profile.max_words
        found = list(self._known([i for i in starts if self.kinds[i] in most_words]))
        # In capitals where answers have none, or without them: only if there is nothing better.
        yield from found or self._known([i for i in starts if self.kinds[i] != "name"])
        if "capital" in most_words:
            yield from () if self.profile.dates else self._names()
            yield from self._shaped(starts)
        closed = ("capital", "word") if self.profile.closed else ("capital",)
        # Capitals show where a name ends. Without them, every short phrase is a candidate.
        free = {kind: most for kind, most in most_words.items() if kind not in closed}
        for first in starts if free else ():
            if self.kinds[first] in free:
                most = _MAX_FREE_CHARACTERS if is_unspaced(self.tokens[first]) else _MAX_FREE_WORDS
                most = min(free[self.kinds[first]], most)
                for last in range(first + 1, min(first + most, len(self.tokens)) + 1):
                    if self.kinds[last - 1] not in ("name", "mark"):
                        yield first, last

    def _known(self, starts: Sequence[int]) -> Iterator[TokenRange]:
        """Phrases that are known answers and begin at one of the starts."""
        for first in starts:
            if self.read.folded[first] in self.profile.first_words:
                end = min(first + self.profile.longest_known, len(self.tokens))
                for last in range(first + 1, end + 1):
                    phrase = normalise(self.read.phrase(first, last))
                    if self.tokens[last - 1] != "." and phrase in self.profile.known:
                        yield first, last

    def _names(self) -> Iterator[TokenRange]:
        """Runs of capitalised tokens, alone and joined by linking words.

        Also without the first token of a sentence, which begins with a capital in any case: "In
        Paris", "The University of Rome". The 's of "Hockney's" may end a name, and be outside.
        """
        for i, run in enumerate(self._runs):
            opens = run[0] == self.sentence_starts[run[0]] and run[1] - run[0] > 1
            owned = [k for k in self._possessives if run[0] < k < run[1]]
            starts = [run[0], *([run[0] + 1] if opens else []), *(k + 1 for k in owned)]
            ends = [*self._ends(i), *owned, *(k + 1 for k in owned)]
            starts = [i for i in starts if i < run[1] and self.kinds[i] == "capital"]
            yield from ((first, last) for first in starts for last in ends if first < last)

    def _ends(self, number: int) -> Iterator[int]:
        """Where names that begin with a run may end: with the run, or with one linked to it."""
        first, last = self._runs[number]
        yield last
        for before, following in pairwise(self._runs[number : number + _MOST_LINKED]):
            if not self._links(before, following):
                break
            if before[0] == first or following[1] - first <= self.profile.max_words["capital"]:
                yield following[1]

    def _links(self, run: TokenRange, following: TokenRange) -> bool:
        """Whether the words between two runs link parts of a name: known ones, or one short one.

        A short one does not after a sentence's first word ("Born in Rome") or the subject's name.
        """
        between = self.tokens[run[1] : following[0]]
        if between and self.profile.linking_words.issuperset(between):
            return True
        short = len(between) == 1 and len(between[0]) <= _SHORT and between[0].isalpha()
        opens = run[0] == self.sentence_starts[run[0]] and run[1] - run[0] == 1
        return short and not (opens or any(self.is_name[run[0] : run[1]]))

    def _shaped(self, starts: Sequence[int]) -> Iterator[TokenRange]:
        """Phrases whose tokens have the kinds of some answers', such as "May 3, 1950"."""
        if not self.profile.shapes:
            return
        lengths = {len(shape.split()) for shape in self.profile.shapes}
        for first in (i for i in starts if token_kind(self.tokens[i]) == "capital"):
            for last in (first + n for n in lengths if first + n <= len(self.tokens)):
                if _shape(self.tokens[first:last]) in self.profile.shapes:
                    yield first, last


def find_places(answers: Collection[str], folded: Sequence[str], glue: str) -> list[TokenRange]:
    """Where a text, of which these are the normalised tokens, has one of the answers."""
    found: list[TokenRange] = []
    for answer in answers:
        wanted = [normalise(token) for token in words(answer, glue)]
        for first in (i for i, token in enumerate(folded) if wanted[:1] == [token]):
            last = first + len(wanted)
            if folded[first:last] == wanted:
                found.append((first, last))
    return found


def _shape(tokens: Sequence[str]) -> str:
    """The kinds of tokens; marks stand for themselves."""
    kinds = map(token_kind, tokens)
    return " ".join(t if kind == "mark" else kind for t, kind in zip(tokens, kinds, strict=True))
