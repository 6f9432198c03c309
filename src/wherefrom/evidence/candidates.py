"""The phrases of a line that may be an answer.

Nothing here knows a relation or a language: what answers look like (capitals, numbers, words,
and how many of them) is taken from the answers of asked people.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from wherefrom.core.contracts import Span
from wherefrom.evidence.index import fold

_TOKEN = re.compile(r"\w+(?:['’.\-]\w+)*|--|[^\w\s]")
_ENDS = frozenset(".!?")
_INITIAL = 2  # a full stop after so few letters is an abbreviation's, and ends no sentence
_RARE = 0.02  # a kind of answer that fewer than this share have is not looked for
_FREE, _KNOWN = 4, 8  # words that a phrase without capitals, and a known answer, have at most
NAME = "<name>"


@dataclass(frozen=True)
class Shape:
    """What answers look like."""

    longest: Mapping[str, int]  # kind of the first word: how many words there are at most
    links: frozenset[str]  # words without capitals inside a name: the "of" in "Isle of Man"
    known: Mapping[str, int]  # folded answers of asked people, and how many have each

    @classmethod
    def of(cls, answers: Sequence[str]) -> "Shape":
        lengths: dict[str, list[int]] = {}
        links: set[str] = set()
        for words in filter(None, map(_TOKEN.findall, answers)):
            lengths.setdefault(kind(words[0]), []).append(len(words))
            links |= {w for w in words[1:-1] if kind(w) == "word"}
        common = {k: max(n) for k, n in lengths.items() if len(n) >= _RARE * len(answers)}
        return cls(common, frozenset(links), Counter(map(fold, answers)))

    @cached_property
    def most_words(self) -> int:
        longest = max((len(_TOKEN.findall(answer)) for answer in self.known), default=0)
        return min(longest, _KNOWN)

    def as_json(self) -> dict[str, Any]:
        known = dict(self.known)
        return {"longest": dict(self.longest), "links": sorted(self.links), "known": known}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Shape":
        return cls(dict(data["longest"]), frozenset(data["links"]), dict(data["known"]))


@dataclass(frozen=True)
class Phrase:
    """A possible answer: words `first` to `last` (not included).

    `chain` has the names that are joined to it: all of "Paris, Ile-de-France, France" for each
    of the three, and `place` says which of them this is.
    """

    first: int
    last: int
    span: Span
    value: str  # folded
    run: tuple[int, int]
    chain: tuple[tuple[int, int], ...]
    place: int


class Line:
    """A document's words, the subject's own name hidden, and the phrases among them."""

    def __init__(self, text: str, subject: str, shape: Shape) -> None:
        self.text, self.shape = text, shape
        found = list(_TOKEN.finditer(text))
        self.words = [match[0] for match in found]
        self.spans = [Span(*match.span()) for match in found]
        own = {fold(word) for word in _TOKEN.findall(subject)} - shape.known.keys()
        self.kinds = [
            "name" if word[0].isalnum() and fold(word) in own else kind(word) for word in self.words
        ]
        self.sentence = self._sentences()
        self.runs = self._runs()
        self.chains = self._chains()
        self.phrases = [self._phrase(*place) for place in sorted(set(self._places()))]

    def names(self, phrase: Phrase) -> tuple[str, ...]:
        """The chain that a phrase stands in, folded."""
        return tuple(fold(self.span(*run).of(self.text)) for run in phrase.chain)

    def span(self, first: int, last: int) -> Span:
        return Span(self.spans[first].start, self.spans[last - 1].end)

    def _sentences(self) -> list[int]:
        """For each word, where its sentence begins."""
        starts, start = [], 0
        for i, word in enumerate(self.words):
            starts.append(start)
            if word in _ENDS and i and len(self.words[i - 1]) > _INITIAL:
                start = i + 1
        return starts

    def _runs(self) -> list[tuple[int, int]]:
        """Words with capitals that stand side by side."""
        inside = [False, *(kind == "capital" for kind in self.kinds), False]
        turns = [i for i, (a, b) in enumerate(pairwise(inside)) if a != b]
        return list(zip(turns[::2], turns[1::2], strict=True))

    def _chains(self) -> dict[tuple[int, int], tuple[tuple[int, int], ...]]:
        """For each run, the runs that are joined to it: "Paris, France", "in Paris in France"."""
        chains: list[list[tuple[int, int]]] = []
        for run in self.runs:
            if chains and self._joins(chains[-1][0][0], chains[-1][-1][1], run[0]):
                chains[-1].append(run)
            else:
                chains.append([run])
        return {run: tuple(chain) for chain in chains for run in chain}

    def _joins(self, start: int, end: int, following: int) -> bool:
        """By a comma, or by the very word that stands before them all."""
        between = self.words[end:following]
        return between == [","] or (start > 0 and between == [self.words[start - 1]])

    def _phrase(self, first: int, last: int) -> Phrase:
        span = self.span(first, last)
        run = next((r for r in self.runs if r[0] <= first and last <= r[1]), (first, last))
        chain = self.chains.get(run, (run,))
        return Phrase(first, last, span, fold(span.of(self.text)), run, chain, chain.index(run))

    def _places(self) -> Iterator[tuple[int, int]]:
        if "capital" in self.shape.longest:
            yield from self._names()
        for first, what in enumerate(self.kinds):
            if what not in self.shape.longest:
                continue
            free = 0 if what == "capital" else min(self.shape.longest[what], _FREE)
            for last in range(first + 1, min(first + self.shape.most_words, len(self.words)) + 1):
                fits = last - first <= free and self.kinds[last - 1] not in ("name", "mark")
                if fits or fold(self.span(first, last).of(self.text)) in self.shape.known:
                    yield first, last

    def _names(self) -> Iterator[tuple[int, int]]:
        for first, last in self.runs:
            yield first, last
            if first == self.sentence[first] and last - first > 1:
                yield first + 1, last  # "In Paris": the first capital may be the sentence's
        for (first, last), (start, end) in pairwise(self.runs):
            if last < start and self.shape.links.issuperset(self.words[last:start]):
                yield first, end


def kind(word: str) -> str:
    """Capital, number, word (without a capital) or mark (no word at all)."""
    if word[0].isupper():
        return "capital"
    return "number" if word[0].isdigit() else "word" if word[0].isalnum() else "mark"
