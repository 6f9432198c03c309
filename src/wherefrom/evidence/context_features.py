"""The surroundings of a phrase, as strings that a model can weigh.

Which clues matter, and for which relation, is learnt: no word of any language stands here.
"""

from collections.abc import Container, Mapping

from wherefrom.evidence.candidates import NAME, Line, Phrase

_LEFT, _RIGHT = 12, 5  # words that are looked at on each side
_TELLING = 4  # letters: shorter words without a capital are mostly grammar
_EDGE = "<edge>"


def describe(line: Line, known: Mapping[str, int], idle: Container[str]) -> list[list[str]]:
    """The clues of every phrase of a line.

    `known` counts the asked people whose answer a value is; while the clues of one of them are
    weighed, that person must not be counted. `idle` has common phrases that are nobody's answer.
    """
    surroundings = _Surroundings(line, known, idle)
    return [surroundings.clues(phrase) for phrase in line.phrases]


class _Surroundings:
    def __init__(self, line: Line, known: Mapping[str, int], idle: Container[str]) -> None:
        self.line, self.known, self.idle = line, known, idle
        self.patterns = [_pattern(*pair) for pair in zip(line.words, line.kinds, strict=True)]
        self.depths = _depths(line.words)
        self.runs = sorted({p.run[0] for p in line.phrases})
        self.likely = sorted({p.run[0] for p in line.phrases if known.get(p.value, 0)})

    def clues(self, phrase: Phrase) -> list[str]:
        """Each once, in an order that does not change."""
        found = [*self._near(phrase), *self._order(phrase), *self._far(phrase)]
        return list(dict.fromkeys(found))

    def _near(self, phrase: Phrase) -> list[str]:
        """The words next to the phrase, and those before the chain that it stands in."""
        first, last = phrase.first, phrase.last
        l1, l2, l3 = (self._before(first, i) for i in (1, 2, 3))
        r1, r2 = (self._after(last, i) for i in (0, 1))
        start = phrase.chain[0][0]
        o1, o2 = (self._before(start, i) for i in (1, 2))
        place = f"{phrase.place} of {len(phrase.chain)}"
        return [
            f"before: {l1}", f"before: {l2} {l1}", f"before: {l3} {l2} {l1}", f"2 before: {l2}",
            f"3 before: {l3}", f"after: {r1}", f"after: {r1} {r2}", f"around: {l1} {r1}",
            f"before: {l1}, {self._known(phrase)}", f"chain: {place} after {o1}",
            f"chain: {phrase.place} after {o2} {o1}",
            f"depth: {self.depths[first]} after {l1}",
        ]  # fmt: skip

    def _order(self, phrase: Phrase) -> list[str]:
        """What the phrase is made of, and where it stands among the others."""
        line, known = self.line, self._known(phrase)
        rank = self.runs.index(phrase.run[0])
        likely = min(sum(run < phrase.run[0] for run in self.likely), 4)
        start = line.sentence[phrase.first]
        anchor, since = self._anchor(phrase, start)
        place = f"{phrase.place} of {len(phrase.chain)}"
        return [
            "phrase", f"value: {known}", f"rank: {min(rank, 5)}", f"likely: {likely}, {known}",
            f"part: {phrase.first - phrase.run[0]}, {phrase.run[1] - phrase.last}",
            f"words: {phrase.last - phrase.first}", f"chain: {place}", f"chain: {place}, {known}",
            f"first word: {line.words[phrase.first].lower()}",
            f"last word: {line.words[phrase.last - 1].lower()}",
            f"depth: {self.depths[phrase.first]}, rank {min(rank, 3)}",
            f"later sentence: {start > 0}", f"opens: {start == phrase.first}",
            f"anchor: {anchor}", f"anchor: {anchor}, {since}",
            f"anchor: {anchor}, {since}, {known}",
            f"anchor: {anchor} {self._before(phrase.first, 1)}",
        ]  # fmt: skip

    def _far(self, phrase: Phrase) -> list[str]:
        """The words of its sentence to the left, near or far, and some to the right."""
        first, last = phrase.first, phrase.last
        left = self.patterns[max(self.line.sentence[first], first - _LEFT) : first][::-1]
        near = [f"left: {word}, {1 if i < 2 else 3 if i < 5 else 6}" for i, word in enumerate(left)]
        right = self.patterns[last : last + _RIGHT]
        return [*near, *(f"left: {word}" for word in left), *(f"right: {word}" for word in right)]

    def _anchor(self, phrase: Phrase, start: int) -> tuple[str, int]:
        """The last telling word before the phrase, and how many runs stand in between."""
        for i in range(phrase.first - 1, start - 1, -1):
            telling = self.line.kinds[i] == "word" and len(self.line.words[i]) >= _TELLING
            if telling or i == start:
                between = sum(i < run < phrase.run[0] for run in self.runs)
                return self.patterns[i], min(between, 3)
        return _EDGE, 0

    def _known(self, phrase: Phrase) -> str:
        if phrase.value in self.idle:
            return "idle"
        count = self.known.get(phrase.value, 0)
        return f"known {'4+' if count >= 4 else '2+' if count >= 2 else count}"

    def _before(self, i: int, steps: int) -> str:
        """A word of the same sentence so many steps before the i-th."""
        inside = i - steps >= self.line.sentence[i]
        return self.patterns[i - steps] if inside else _EDGE

    def _after(self, i: int, steps: int) -> str:
        return self.patterns[i + steps] if i + steps < len(self.patterns) else _EDGE


def _pattern(word: str, kind: str) -> str:
    """A word as clues have it: any name is one, and so are two numbers of one length."""
    if kind == "name":
        return NAME
    return "0" * len(word) if kind == "number" else word.lower()


def _depths(words: list[str]) -> list[int]:
    """For each word, whether it stands in parentheses."""
    depths, depth = [], 0
    for word in words:
        depth = max(depth + (word == "(") - (word == ")"), 0)
        depths.append(min(depth, 1))
    return depths
