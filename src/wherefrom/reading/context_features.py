"""Context features: what surrounds a candidate answer, as strings that a model can weigh.

"before: born in" is a feature, and so is "chain: 0 of 2". Which features matter for a relation is
learnt (`log_linear.py`); no word of any language is written into this file.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from wherefrom.reading.candidates import Line
from wherefrom.reading.subject_text import CandidateAnswer

_LEFT, _RIGHT = 12, 5  # how many tokens count as context on each side
_CONTENT = 4  # letters: most shorter words without a capital are grammar ("in", "the")
_EDGE = "<edge>"  # stands for a token beyond the sentence or the line


def extract_features(
    line: Line,
    known: Mapping[str, int],
    distractors: Container[str],
    wanted: Sequence[CandidateAnswer] | None = None,
) -> list[list[str]]:
    """The features of every candidate of a line, or of the wanted ones, in their order.

    `known` counts how many asked people have each answer. In training, the person whom the line is
    about must not be counted: otherwise the count would give the answer away. `distractors` are
    common phrases that are nobody's answer.
    """
    context = _Context(line, known, distractors)
    return [context.features(c) for c in (line.candidates if wanted is None else wanted)]


class _Context:
    """What all candidates of one line share."""

    def __init__(self, line: Line, known: Mapping[str, int], distractors: Container[str]) -> None:
        self.line, self.known, self.distractors = line, known, distractors
        self.patterns, self.depths = line.read.patterns, line.read.depths
        self.runs = sorted({c.run[0] for c in line.candidates})
        self.known_runs = sorted({c.run[0] for c in line.candidates if known.get(c.value, 0)})

    def features(self, candidate: CandidateAnswer) -> list[str]:
        """Each feature once, in an order that does not change: fits must be reproducible."""
        place, kept = (candidate.first, candidate.last), self.line.names.contexts
        if place not in kept:
            anchor = self._find_anchor(candidate)
            # Only words of the window may come twice.
            window = dict.fromkeys(self._window(candidate))
            made = self._make(candidate, anchor)
            kept[place] = [*self._adjacent(candidate), *made, *window], anchor
        shared, anchor = kept[place]
        return [*shared, *self._standing(candidate, anchor)]

    def _adjacent(self, candidate: CandidateAnswer) -> list[str]:
        """The tokens next to the candidate, and those before its chain."""
        first, last = candidate.first, candidate.last
        left1, left2, left3 = (self._before(first, steps) for steps in (1, 2, 3))
        right1 = self._after(last, 0)
        outer1, outer2 = (self._before(candidate.chain[0][0], steps) for steps in (1, 2))
        in_chain = f"{candidate.position} of {len(candidate.chain)}"
        beyond = self.line.read.skip_parentheses(last)
        return [
            *(self._following(beyond) if beyond > last else ()),
            f"before: {left1}",
            f"before: {left2} {left1}",
            f"before: {left3} {left2} {left1}",
            f"2 before: {left2}",
            f"3 before: {left3}",
            *self._following(last),
            f"around: {left1} {right1}",
            f"before, behind a {self._kind(first - 2)}: {left1}",
            f"after, then a {self._kind(last + 1)}: {right1}",
            f"chain: {in_chain} after {outer1}",
            f"chain: {candidate.position} after {outer2} {outer1}",
            f"parentheses: {self.depths[first]} after {left1}",
        ]

    def _following(self, last: int) -> list[str]:
        """The tokens behind a candidate, or behind parentheses that interrupt the sentence."""
        right1, right2 = (self._after(last, steps) for steps in (0, 1))
        return [f"after: {right1}", f"after: {right1} {right2}"]

    def _make(self, candidate: CandidateAnswer, anchor: int) -> list[str]:
        """What the candidate is made of, and where it stands in its sentence: for any relation."""
        tokens, first, last = self.line.tokens, candidate.first, candidate.last
        start = self.line.sentence_starts[first]
        own = sum(self.line.is_name[first:last])
        inner = [t.lower() for t in tokens[first:last] if t[0].islower()]
        content = self._pattern(anchor)
        return [
            "bias",
            *(f"inner word: {word}" for word in dict.fromkeys(inner) if last - first > 2),
            *([f"own name: {last - first - own > 0}"] if own else []),
            f"part: {first - candidate.run[0]}, {candidate.run[1] - last}",
            f"words: {last - first}",
            f"chain: {candidate.position} of {len(candidate.chain)}",
            f"first word: {tokens[first].lower()}",
            f"last word: {tokens[last - 1].lower()}",
            f"later sentence: {start > 0}",
            f"opens sentence: {start == first}",
            f"anchor: {content}",
            f"anchor: {content} {self._before(first, 1)}",
        ]

    def _standing(self, candidate: CandidateAnswer, anchor: int) -> list[str]:
        """Where the candidate stands among the relation's others, and whether it is an answer."""
        familiarity = self._familiarity(candidate)
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

    def _window(self, candidate: CandidateAnswer) -> list[str]:
        """The tokens to the left in its sentence, with and without distance; some to the right."""
        first, last = candidate.first, candidate.last
        start = max(self.line.sentence_starts[first], first - _LEFT)
        left = [*map(_word, reversed(self.patterns[start:first]))]
        right = map(_word, self.patterns[last : last + _RIGHT])
        return [
            *(word.near for word in left[:2]),
            *(word.farther for word in left[2:5]),
            *(word.far for word in left[5:]),
            *(word.left for word in left),
            *(word.right for word in right),
        ]

    def _find_anchor(self, candidate: CandidateAnswer) -> int:
        """The last content word before the candidate in its sentence; -1: the sentence has none.

        In "born 1950 in Oslo" the word "born" says what Oslo is; the words in between vary.
        """
        start = self.line.sentence_starts[candidate.first]
        for i in range(candidate.first - 1, start - 1, -1):
            if (
                self.line.kinds[i] == "word" and len(self.line.tokens[i]) >= _CONTENT
            ) or i == start:
                return i
        return -1

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
