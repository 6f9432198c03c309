"""Did you mean Amos Karlsson? Known names that are spelt like an unknown one."""

from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nsmallest

from wherefrom.evidence.index import fold

_CLOSE = 0.8  # similarity (difflib's ratio) of the whole names from which one is offered
_CLOSE_WORD = 0.65  # and of each pair of words: Clara Whitfield is not a misspelt Adam Whitfield
_JOINED = 0.9  # of names with other numbers of words, such as a space left out
_INITIAL = 2  # characters, the full stop among them
_SHARED = 2  # words that a shortened or a longer name must share
_OFFERED = 3
_LOOKED_AT = 40  # names alike in their pairs of characters, whose similarity is computed


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
        """The closest names, the closest first; none if none is close."""
        wanted = fold(name)
        close = [(-similarity(wanted, self._folded[i]), i) for i in self._alike(wanted)]
        return tuple(self._names[i] for apart, i in sorted(close) if apart)[:_OFFERED]

    def _alike(self, wanted: str) -> list[int]:
        pairs = _pairs(wanted)
        shared: Counter[int] = Counter()
        for pair in pairs:
            shared.update(self._by_pair.get(pair, ()))

        def apart(number: int) -> tuple[float, int]:
            """Dice's coefficient: a long name shares many pairs with any other."""
            return -shared[number] / (len(pairs) + self._sizes[number]), number

        return nsmallest(_LOOKED_AT, shared, key=apart)


def similarity(wanted: str, known: str) -> float:
    """Of two folded names, from 0 to 1; 0 where one is hardly the other misspelt."""
    whole = SequenceMatcher(None, wanted, known).ratio()
    words, others = wanted.split(), known.split()
    if sorted(words) == sorted(others):  # in another order
        return max(whole, _CLOSE)
    if len(words) == len(others):
        alike = all(_alike(*pair) for pair in zip(words, others, strict=True))
        return whole if alike and whole >= _CLOSE else 0.0
    fewer, more = sorted((set(words), set(others)), key=len)
    if len(fewer) >= _SHARED and fewer <= more:  # a middle name left out
        return max(whole, _CLOSE)
    return whole if whole >= _JOINED else 0.0


def _alike(word: str, other: str) -> bool:
    """Whether one word is the other misspelt; initials say too little to tell."""
    initials = max(len(word), len(other)) <= _INITIAL
    return initials or SequenceMatcher(None, word, other).ratio() >= _CLOSE_WORD


def _pairs(name: str) -> set[str]:
    """Neighbouring characters, the ends of the name among them."""
    padded = f" {name} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}
