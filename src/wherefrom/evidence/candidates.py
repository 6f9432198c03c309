"""Candidate answers: the phrases of a line that look like an answer.

Nothing here depends on the relation or the language. What an answer looks like (capitals, numbers
or plain words, and how many words) is learnt from the answers of asked people: see `AnswerProfile`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from wherefrom.core.contracts import Span
from wherefrom.evidence.index import fold

_TOKEN = re.compile(r"\w+(?:['’.\-]\w+)*|--|[^\w\s]")
_SENTENCE_ENDS = frozenset(".!?")
_INITIAL = 2  # letters: a full stop after a word this short marks an abbreviation, as in "St."
_RARE = 0.02  # a kind of answer with less than this share of the answers is not looked for
_MAX_FREE_WORDS = 4  # the longest candidate without capitals that is not itself a known answer
_MAX_KNOWN_WORDS = 8  # the longest known answer that is looked for

# Tokens `first` to `last` (not included) of a line.
TokenRange = tuple[int, int]


@dataclass(frozen=True)
class AnswerProfile:
    """What the answers of asked people look like.

    `max_words` is the largest number of words in an answer, by the kind of its first token (see
    `token_kind`). `linking_words` are words without a capital inside an answer, such as "of" in
    "Isle of Man". `known` counts how many asked people have each (folded) answer.
    """

    max_words: Mapping[str, int]
    linking_words: frozenset[str]
    known: Mapping[str, int]

    @classmethod
    def of(cls, answers: Sequence[str]) -> "AnswerProfile":
        lengths: dict[str, list[int]] = {}
        linking: set[str] = set()
        for tokens in filter(None, map(_TOKEN.findall, answers)):
            lengths.setdefault(token_kind(tokens[0]), []).append(len(tokens))
            linking |= {token for token in tokens[1:-1] if token_kind(token) == "word"}
        # One odd answer, such as a year among places, must not make every year a candidate.
        common = {kind: max(n) for kind, n in lengths.items() if len(n) >= _RARE * len(answers)}
        return cls(common, frozenset(linking), Counter(map(fold, answers)))

    @cached_property
    def longest_known(self) -> int:
        """The longest phrase, in words, that is compared with the known answers."""
        longest = max((len(_TOKEN.findall(answer)) for answer in self.known), default=0)
        return min(longest, _MAX_KNOWN_WORDS)


@dataclass(frozen=True)
class CandidateAnswer:
    """A phrase that may be the answer: tokens `first` to `last` (not included) of its line.

    `run` is the run of capitalised tokens that contains the phrase. `chain` has the runs that are
    joined to it, in their order: "Paris", "Ile-de-France" and "France" all have the chain
    "Paris, Ile-de-France, France", and `position` is the place of this candidate in its chain.
    """

    first: int
    last: int
    span: Span
    value: str  # folded
    run: TokenRange
    chain: tuple[TokenRange, ...]
    position: int


class Line:
    """The tokens of a document and its candidates; words of the subject's name are no candidates.

    The name is left out because Erna Paris need not come from Paris. But a part of the name that
    is a known answer may be a candidate: otherwise "Erna Paris of Paris" would have none at all.
    """

    def __init__(self, text: str, subject: str, profile: AnswerProfile) -> None:
        self.text, self.profile = text, profile
        matches = list(_TOKEN.finditer(text))
        self.tokens = [match[0] for match in matches]
        self.spans = [Span(*match.span()) for match in matches]
        own = {fold(token) for token in _TOKEN.findall(subject)} - profile.known.keys()
        self.kinds = [
            "name" if token[0].isalnum() and fold(token) in own else token_kind(token)
            for token in self.tokens
        ]
        self.sentence_starts = self._sentence_starts()
        self.runs = self._runs()
        self.chains = self._chains()
        self.candidates = [self._candidate(*place) for place in sorted(set(self._places()))]

    def chain_names(self, candidate: CandidateAnswer) -> tuple[str, ...]:
        """The names in a candidate's chain, folded."""
        return tuple(fold(self.span(*run).of(self.text)) for run in candidate.chain)

    def span(self, first: int, last: int) -> Span:
        """The characters of tokens `first` to `last` (not included)."""
        return Span(self.spans[first].start, self.spans[last - 1].end)

    def _sentence_starts(self) -> list[int]:
        """For each token, the first token of its sentence."""
        starts: list[int] = []
        start = 0
        for i, token in enumerate(self.tokens):
            starts.append(start)
            if token in _SENTENCE_ENDS and i and len(self.tokens[i - 1]) > _INITIAL:
                start = i + 1
        return starts

    def _runs(self) -> list[TokenRange]:
        """The runs of capitalised tokens."""
        inside = [False, *(kind == "capital" for kind in self.kinds), False]
        edges = [i for i, (before, after) in enumerate(pairwise(inside)) if before != after]
        return list(zip(edges[::2], edges[1::2], strict=True))

    def _chains(self) -> dict[TokenRange, tuple[TokenRange, ...]]:
        """For each run, its chain: "Paris, France", or "in Paris in France"."""
        chains: list[list[TokenRange]] = []
        for run in self.runs:
            if chains and self._joins(chains[-1][0][0], chains[-1][-1][1], run[0]):
                chains[-1].append(run)
            else:
                chains.append([run])
        return {run: tuple(chain) for chain in chains for run in chain}

    def _joins(self, start: int, end: int, following: int) -> bool:
        """Whether a comma joins the next run to the chain, or the word that precedes the chain."""
        between = self.tokens[end:following]
        return between == [","] or (start > 0 and between == [self.tokens[start - 1]])

    def _candidate(self, first: int, last: int) -> CandidateAnswer:
        span = self.span(first, last)
        run = next((r for r in self.runs if r[0] <= first and last <= r[1]), (first, last))
        chain = self.chains.get(run, (run,))
        value = fold(span.of(self.text))
        return CandidateAnswer(first, last, span, value, run, chain, chain.index(run))

    def _places(self) -> Iterator[TokenRange]:
        """The token ranges of candidates; a range may occur twice."""
        if "capital" in self.profile.max_words:
            yield from self._names()
        for first, kind in enumerate(self.kinds):
            if kind not in self.profile.max_words:
                continue
            # Capitals show where a name ends. Without them, every short phrase is a candidate.
            free = 0 if kind == "capital" else min(self.profile.max_words[kind], _MAX_FREE_WORDS)
            end = min(first + self.profile.longest_known, len(self.tokens))
            for last in range(first + 1, end + 1):
                fits = last - first <= free and self.kinds[last - 1] not in ("name", "mark")
                if fits or fold(self.span(first, last).of(self.text)) in self.profile.known:
                    yield first, last

    def _names(self) -> Iterator[TokenRange]:
        """Runs of capitalised tokens, alone and joined by linking words."""
        for first, last in self.runs:
            yield first, last
            if first == self.sentence_starts[first] and last - first > 1:
                yield first + 1, last  # "In Paris": every sentence begins with a capital
        for (first, last), (start, end) in pairwise(self.runs):
            if last < start and self.profile.linking_words.issuperset(self.tokens[last:start]):
                yield first, end


def token_kind(token: str) -> str:
    """Capital (begins with one), number, word (without a capital) or mark (no letter or digit)."""
    if token[0].isupper():
        return "capital"
    if token[0].isdigit():
        return "number"
    return "word" if token[0].isalnum() else "mark"
