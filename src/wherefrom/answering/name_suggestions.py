"""Did you mean Amos Karlsson? Known names that are spelt like an unknown one."""

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nsmallest

from wherefrom.evidence.index import fold

# The least similarity (difflib's ratio, 0 to 1) at which a name is offered:
_CLOSE = 0.8  # of the whole names
_CLOSE_WORD = 0.65  # of each pair of words: Clara Whitfield is not a misspelt Adam Whitfield
_JOINED = 0.9  # of the whole names, if they differ in their number of words
_INITIAL = 2  # characters of an initial, with its full stop
_SHARED = 2  # words that a shortened or a longer name must share
_OFFERED = 3  # names at most
_LOOKED_AT = 40  # names that are compared in full: those that share most pairs of characters


class NameSuggester:
    """Finds the closest of many names: an inverted index first, then a comparison of a few."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._folded = [fold(name) for name in self._names]
        pairs = [_pairs(name) for name in self._folded]
        self._sizes = list(map(len, pairs))
        self._by_pair: dict[str, list[int]] = {}
        for number, own in enumerate(pairs):
            for pair in own:
                self._by_pair.setdefault(pair, []).append(number)

    def suggest(self, name: str) -> tuple[str, ...]:
        """The closest names, the closest first; an empty tuple if no name is close."""
        wanted = fold(name)
        close = [(-similarity(wanted, self._folded[i]), i) for i in self._alike(wanted)]
        return tuple(self._names[i] for apart, i in sorted(close) if apart)[:_OFFERED]

    def _alike(self, wanted: str) -> list[int]:
        pairs = _pairs(wanted)
        shared: Counter[int] = Counter()
        for pair in pairs:
            shared.update(self._by_pair.get(pair, ()))

        def apart(number: int) -> tuple[float, int]:
            """Dice's coefficient, since a long name shares many pairs with any other."""
            return -shared[number] / (len(pairs) + self._sizes[number]), number

        return nsmallest(_LOOKED_AT, shared, key=apart)


def similarity(wanted: str, known: str) -> float:
    """The similarity of two folded names, 0 to 1; 0 if one is probably not the other misspelt."""
    whole = SequenceMatcher(None, wanted, known).ratio()
    words, others = wanted.split(), known.split()
    if sorted(words) == sorted(others):  # the same words in another order
        return max(whole, _CLOSE)
    if len(words) == len(others):
        alike = all(_alike(*pair) for pair in zip(words, others, strict=True))
        return whole if alike and whole >= _CLOSE else 0.0
    fewer, more = sorted((set(words), set(others)), key=len)
    if len(fewer) >= _SHARED and fewer <= more:  # a middle name is left out
        return max(whole, _CLOSE)
    return whole if whole >= _JOINED else 0.0


def _alike(word: str, other: str) -> bool:
    """Whether one word may be the other misspelt; two initials are too short to tell."""
    initials = max(len(word), len(other)) <= _INITIAL
    return initials or SequenceMatcher(None, word, other).ratio() >= _CLOSE_WORD


def _pairs(name: str) -> set[str]:
    """Pairs of neighbouring characters; a space stands for each end of the name."""
    padded = f" {name} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}
