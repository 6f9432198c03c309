"""What it costs to say what a model did not: plain codes that anybody could undo, in nats."""

import math
from collections.abc import Sequence

from wherefrom.core.words import DIGIT, UNKNOWN

BYTE = math.log(256)


def where(count: int, length: int) -> float:
    """Which `count` of so many characters are meant, when how many is known."""
    share = count / max(length, 1)
    if share in (0, 1):
        return 0.0
    return -length * (share * math.log(share) + (1 - share) * math.log(1 - share))


def left_out(characters: Sequence[str], length: int) -> list[float]:
    """For each character that was taken out of a text of that length: where, and which."""
    each = where(len(characters), length) / max(len(characters), 1)
    return [each + BYTE * len(c.encode()) for c in characters]


def unsaid(word: str, form: str) -> float:
    """What a word's form in the vocabulary does not say: all of an unknown word, or digits."""
    return spelled(word) if form == UNKNOWN else digits(word, form)


def spelled(word: str) -> float:
    """The bytes of a word, and the one that ends it."""
    return BYTE * (len(word.encode()) + 1)


def digits(word: str, form: str) -> float:
    """Of a number that is only known by its shape, every digit is a choice among ten."""
    return form.count(DIGIT) * math.log(10) if form != word.lower() else 0.0
