"""Context features: what surrounds a candidate answer, as strings that a model can weigh.

"before: born in" is a feature, and so is "chain: 0 of 2". Which features matter for a relation is
learnt (`log_linear.py`); no word of any language is written into this file.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from wherefrom.reading.candidates import Line
from wherefrom.reading.subject_text import CandidateAnswer

_LEFT, _RIGHT = 12, 5  # how many tokens count as context on each side
_CONTENT = 4  # letters: most shorter words without a capital are grammar ("in", "the")
_EDGE = "<edge>"  # stands for a token beyond the sentence or the line


class Context:
    """What all candidates of one line share.

    Most of a candidate's features depend on where it begins or on where it ends, and many begin or
    end at the same token: these are made once, and other relations of the text use them, too.

    `known` counts how many asked people have each answer. In training, the person whom the line is
    about must not be counted: otherwise the count would give the answer away. `distractors` are
    common phrases that are nobody's answer.
    """

    def __init__(self, line: Line, known: Mapping[str, int], distractors: Container[str]) -> None:
        self.line, self.known, self.distractors = line, known, distractors
        self.patterns, self.depths = line.read.patterns, line.read.depths
        self.runs = sorted({c.run[0] for c in line.candidates})
        self.known_runs = sorted({c.run[0] for c in line.candidates if known.get(c.value, 0)})

    def features(self, candidate: CandidateAnswer) -> list[str]:
        """Each feature once, in an order that does not change: fits must be reproducible."""
        return [
            *self._left(candidate.first),
            *self._right(candidate.last),
            *self._made(candidate),
            *self._standing(candidate, self._familiarity(candidate)),
        ]

    def scores(self, weights: Mapping[str, float]) -> list[float]:
        """The sum of the weights of each candidate's features."""
        weight, lefts, rights = weights.get, dict[int, float](), dict[int, float]()
        standings: dict[tuple[object, ...], float] = {}

        def add(features: Iterable[str]) -> float:
            return sum([weight(feature, 0.0) for feature in features])

        scores: list[float] = []
        for one in self.line.candidates:
            first, last = one.first, one.last
            if first not in lefts:
                lefts[first] = add(self._left(first))
            if last not in rights:
                rights[last] = add(self._right(last))
            familiarity = self._familiarity(one)
            among = (first, one.run[0], one.position, len(one.chain), familiarity, one.fit)
            if among not in standings:
                standings[among] = add(self._standing(one, familiarity))
            scores.append(lefts[first] + rights[last] + standings[among] + add(self._made(one)))
        return scores

    def _left(self, first: int) -> list[str]:
        """What stands before a candidate, and its first word."""
        kept = self.line.names.lefts
        if first not in kept:
            left1, left2, left3 = [self._before(first, steps) for steps in (1, 2, 3)]
            start, content = self.line.sentence_starts[first], self._pattern(self._anchor(first))
            kept[first] = [
                f"before: {left1}",
                f"before: {left2} {left1}",
                f"before: {left3} {left2} {left1}",
                f"2 before: {left2}",
                f"3 before: {left3}",
                f"before, behind a {self._kind(first - 2)}: {left1}",
                f"parentheses: {self.depths[first]} after {left1}",
                f"first word: {self.line.tokens[first].lower()}",
                f"later sentence: {start > 0}",
                f"opens sentence: {start == first}",
                f"sentence: {self.patterns[start]}",
                f"sentence: {self.patterns[start]} {self._after(start, 1)}",
                f"anchor: {content}",
                f"anchor: {content} {left1}",
                *dict.fromkeys(self._words_before(first)),
            ]
        return kept[first]

    def _right(self, last: int) -> list[str]:
        """What stands behind a candidate, and its last word."""
        kept = self.line.names.rights
        if last not in kept:
            words = [_word(pattern).right for pattern in self.patterns[last : last + _RIGHT]]
            beyond = self.line.read.skip_parentheses(last)
            following, then = self._following(last), list[str]()
            if beyond > last:
                then = [f for f in self._following(beyond) if f not in following]
            kept[last] = [
                *following,
                f"after, then a {self._kind(last + 1)}: {self._after(last, 0)}",
                f"last word: {self.line.tokens[last - 1].lower()}",
                *dict.fromkeys(words),
                *then,
            ]
        return kept[last]

    def _following(self, last: int) -> list[str]:
        """The tokens behind a candidate, or behind parentheses that interrupt the sentence."""
        right1, right2 = self._after(last, 0), self._after(last, 1)
        return [f"after: {right1}", f"after: {right1} {right2}"]

    def _made(self, candidate: CandidateAnswer) -> list[str]:
        """The tokens on both sides and before its chain, and what the candidate is made of."""
        place, kept = (candidate.first, candidate.last), self.line.names.made
        if place not in kept:
            first, last = place
            own = sum(self.line.is_name[first:last])
            inner = [t.lower() for t in self.line.tokens[first:last] if t[0].islower()]
            outer1, outer2 = (self._before(candidate.chain[0][0], steps) for steps in (1, 2))
            in_chain = f"{candidate.position} of {len(candidate.chain)}"
            kept[place] = [
                f"around: {self._before(first, 1)} {self._after(last, 0)}",
                f"chain: {in_chain} after {outer1}",
                f"chain: {candidate.position} after {outer2} {outer1}",
                "bias",
                *(f"inner word: {word}" for word in dict.fromkeys(inner) if last - first > 2),
                *([f"own name: {last - first - own > 0}"] if own else []),
                f"part: {first - candidate.run[0]}, {candidate.run[1] - last}",
                f"words: {last - first}",
                *self._shape(first, last),
                f"chain: {in_chain}",
            ]
        return kept[place]

    def _shape(self, first: int, last: int) -> list[str]:
        """What a candidate with a number looks like: "May 3, 1950" is another date than "1950"."""
        kinds = self.line.read.kinds[first:last]
        if "number" not in kinds:
            return []
        made = zip(kinds, self.patterns[first:last], strict=True)
        shape = (pattern if kind in ("number", "mark") else kind for kind, pattern in made)
        return [f"shape: {' '.join(shape)}"]

    def _standing(self, candidate: CandidateAnswer, familiarity: str) -> list[str]:
        """Where the candidate stands among the relation's others, and whether it is an answer."""
        anchor = self._anchor(candidate.first)
        rank = bisect_left(self.runs, candidate.run[0])
        known_before = min(bisect_left(self.known_runs, candidate.run[0]), 4)
        between = min(max(rank - bisect_right(self.runs, anchor), 0), 3) if anchor >= 0 else 0
        content = self._pattern(anchor)
        return [
            *self._bounds(candidate),
            f"value: {familiarity}",
            f"before: {self._before(candidate.first, 1)}, {familiarity}",
            f"rank: {min(rank, 5)}",
            f"known before: {known_before}, {familiarity}",
            f"chain: {candidate.position} of {len(candidate.chain)}, {familiarity}",
            f"parentheses: {self.depths[candidate.first]}, rank {min(rank, 3)}",
            f"anchor: {content}, {between}",
            f"anchor: {content}, {between}, {familiarity}",
        ]

    def _bounds(self, candidate: CandidateAnswer) -> list[str]:
        """How well the words around the candidate fit those around answers, if that is known."""
        if self.line.profile.boundaries is None:
            return []
        return [f"bounds: {int(candidate.fit * 5)}", f"within bounds: {candidate.fit > 0}"]

    def _words_before(self, first: int) -> list[str]:
        """The tokens to the left of one in its sentence, with and without distance."""
        start = max(self.line.sentence_starts[first], first - _LEFT)
        left = [*map(_word, reversed(self.patterns[start:first]))]
        return [
            *(word.near for word in left[:2]),
            *(word.farther for word in left[2:5]),
            *(word.far for word in left[5:]),
            *(word.left for word in left),
        ]

    def _anchor(self, first: int) -> int:
        """The last content word before a token in its sentence; -1: the sentence has none.

        In "born 1950 in Oslo" the word "born" says what Oslo is; the words in between vary.
        """
        kept, start = self.line.names.anchors, self.line.sentence_starts[first]
        if first not in kept:
            kinds, tokens = self.line.kinds, self.line.tokens
            content = (
                i
                for i in range(first - 1, start - 1, -1)
                if i == start or (kinds[i] == "word" and len(tokens[i]) >= _CONTENT)
            )
            kept[first] = next(content, -1)
        return kept[first]

    def _kind(self, i: int) -> str:
        """The kind of a token: a name may go on where "and" stands before a capital."""
        return self.line.read.kinds[i] if 0 <= i < len(self.patterns) else "edge"

    def _pattern(self, i: int) -> str:
        return self.patterns[i] if i >= 0 else _EDGE

    def _familiarity(self, candidate: CandidateAnswer) -> str:
        """How many asked people have this value as their answer, in bins."""
        if candidate.value in self.distractors:
            return "distractor"
        count = self.known.get(candidate.value, 0)
        return f"known {'4+' if count >= 4 else '2+' if count >= 2 else count}"

    def _before(self, i: int, steps: int) -> str:
        """The token `steps` before the i-th, in the same sentence."""
        inside = i - steps >= self.line.sentence_starts[i]
        return self.patterns[i - steps] if inside else _EDGE

    def _after(self, i: int, steps: int) -> str:
        return self.patterns[i + steps] if i + steps < len(self.patterns) else _EDGE


class _Word(NamedTuple):
    """The features of a word of the window: to the left, in bins of 1, 3 and 6 tokens away."""

    left: str
    near: str
    farther: str
    far: str
    right: str


@lru_cache(maxsize=50_000)  # most words of a text come again
def _word(pattern: str) -> _Word:
    left = f"left: {pattern}"
    return _Word(left, f"{left}, 1", f"{left}, 3", f"{left}, 6", f"right: {pattern}")
