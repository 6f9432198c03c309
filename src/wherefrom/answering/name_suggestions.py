"""Did you mean Amos Karlsson? Known names that are spelt like an unknown one.

A name that is one slip away from a known name is always found: a letter replaced, dropped, added
or doubled, two neighbours exchanged, accents, spaces or marks more or less, words in another order,
initials, a title. Names that differ by more are found if they are similar as a whole.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from heapq import nsmallest

from wherefrom.reading.index import fold

# The least similarity (difflib's ratio, 0 to 1) at which a name is offered:
_CLOSE = 0.8  # of the whole names
_CLOSE_WORD = 0.65  # of each pair of words: Clara Whitfield is not a misspelt Adam Whitfield
_JOINED = 0.9  # of the whole names, if they differ in their number of words
_INITIAL = 2  # characters of an initial, with its full stop
_SHARED = 2  # words that a shortened or a longer name must share
_OFFERED = 3  # names at most
_LOOKED_AT = 40  # names that are compared in full: those that share most pairs of characters
_SHORTEST = 3  # letters of a name in which a slip can be told from another name

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # O'Neil is one word
_PART = re.compile(r"[^\W_]+")
_NO_LETTER = re.compile(r"[\W_]+")
TITLES = ("dr", "mr", "mrs", "ms", "miss", "prof", "professor", "sir", "dame", "lord", "lady",
          "rev", "hon", "capt", "captain", "gen", "general", "col", "colonel", "st", "saint",
          "president", "king", "queen", "prince", "princess")  # fmt: skip
# Letters that no decomposition takes apart into a plain letter and a mark.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe",
                        "ı": "i", "ħ": "h"})  # fmt: skip


class NameSuggester:
    """Finds the closest of many names: an inverted index first, then a comparison of a few."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._folded = [fold(name) for name in self._names]
        pairs = [_pairs(name) for name in self._folded]
        self._sizes = list(map(len, pairs))
        self._by_pair: dict[str, list[int]] = {}
        self._by_initials: dict[str, list[int]] = {}
        for number, own in enumerate(pairs):
            for pair in own:
                self._by_pair.setdefault(pair, []).append(number)
            self._by_initials.setdefault(_initials(self._folded[number]), []).append(number)

    def suggest(self, name: str) -> tuple[str, ...]:
        """The closest names, the closest first; an empty tuple if no name is close."""
        typed = fold(name)
        close: dict[int, float] = {}
        for wanted in dict.fromkeys((typed, _without_titles(typed))):
            for number in (*self._alike(wanted), *self._abbreviated(wanted)):
                found = similarity(wanted, self._folded[number])
                close[number] = max(found, close.get(number, 0.0))
        ranked = sorted((-alike, number) for number, alike in close.items() if alike)
        return tuple(self._names[number] for _, number in ranked)[:_OFFERED]

    def _abbreviated(self, wanted: str) -> list[int]:
        """Names with the same initials, if the wanted one has an initial for a word."""
        if min(map(len, _WORD.findall(wanted)), default=0) != 1:
            return []
        return self._by_initials.get(_initials(wanted), [])

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
    words, others = _WORD.findall(_bare(wanted)), _WORD.findall(_bare(known))
    if sorted(words) == sorted(others):  # the same words in another order
        return max(whole, _CLOSE)
    if is_one_slip(_letters(wanted), _letters(known)) or _abbreviates(words, others):
        return max(whole, _CLOSE)
    if _adds_words(wanted, known) or _adds_words(known, wanted):
        return max(whole, _CLOSE)
    words, others = wanted.split(), known.split()
    if len(words) == len(others):
        alike = all(_alike(*pair) for pair in zip(words, others, strict=True))
        return whole if alike and whole >= _CLOSE else 0.0
    return whole if whole >= _JOINED else 0.0


def is_one_slip(text: str, other: str) -> bool:
    """Whether one letter replaced, added, left out or exchanged with the next makes them equal."""
    short, long = sorted((text, other), key=len)
    if len(short) < _SHORTEST or len(long) - len(short) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), None)
    if start is None:  # equal, or a letter more at the end
        return True
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    exchanged = short[start : start + 2] == long[start : start + 2][::-1]
    return short[start + 1 :] == long[start + 1 :] or (
        exchanged and short[start + 2 :] == long[start + 2 :]
    )


def _abbreviates(words: list[str], others: list[str]) -> bool:
    """Whether a name is the other with initials for words, or without its middle words."""
    if len(words) < 2 or len(others) < 2 or len(words) > len(others):
        return False
    if not any(len(word) == 1 for word in words):
        return False
    ends = ((words[0], others[0]), (words[-1], others[-1]))
    return all(word == other or (len(word) == 1 and word == other[:1]) for word, other in ends)


def _adds_words(name: str, shorter: str) -> bool:
    """Whether a name has all words of a shorter one: a middle name, or a second last name."""
    words, fewer = (set(_PART.findall(_bare(each))) for each in (name, shorter))
    return len(fewer) >= _SHARED and fewer <= words


def _alike(word: str, other: str) -> bool:
    """Whether one word may be the other misspelt; two initials are too short to tell."""
    initials = max(len(word), len(other)) <= _INITIAL
    return initials or SequenceMatcher(None, word, other).ratio() >= _CLOSE_WORD


def _without_titles(folded: str) -> str:
    words = folded.split()
    while len(words) > 1 and words[0].rstrip(".") in TITLES:
        words = words[1:]
    return " ".join(words)


def _bare(folded: str) -> str:
    """The same letters without accents."""
    if folded.isascii():
        return folded
    apart = unicodedata.normalize("NFKD", folded.translate(_PLAIN))
    return "".join(c for c in apart if not unicodedata.combining(c))


def _letters(folded: str) -> str:
    """Letters and digits alone."""
    return _NO_LETTER.sub("", _bare(folded))


def _initials(folded: str) -> str:
    """The first letters of the first and the last word."""
    words = _WORD.findall(_bare(folded))
    return f"{words[0][0]}{words[-1][0]}" if words else ""


def _pairs(folded: str) -> set[str]:
    """Pairs of neighbouring characters; a space stands for each end of the name."""
    padded = f" {_bare(folded)} "
    return {padded[i : i + 2] for i in range(len(padded) - 1)}
