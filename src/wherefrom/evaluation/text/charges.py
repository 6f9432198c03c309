"""The price, in nats, of what a model leaves unsaid about a text, by simple invertible codes."""

import math
from collections.abc import Sequence

from wherefrom.core.words import WordForms

BYTE = math.log(256)


def where(count: int, length: int) -> float:
    """The cost of saying which `count` of a text's characters are meant: the entropy."""
    share = count / max(length, 1)
    if share in (0, 1):
        return 0.0
    return -length * (share * math.log(share) + (1 - share) * math.log(1 - share))


def left_out(characters: Sequence[str], length: int) -> list[float]:
    """For each character that a text lost: the cost of its place and of the character itself.

    `length` is the length of the text in characters.
    """
    each = where(len(characters), length) / max(len(characters), 1)
    return [each + BYTE * len(c.encode()) for c in characters]


def unsaid(word: str, form: str, forms: WordForms | None) -> float:
    """The cost of what a word's form in the vocabulary leaves unsaid: an unknown word, or digits.

    A vocabulary without `forms` has every word as it is written, and leaves nothing unsaid.
    """
    if forms is None:
        return 0.0
    return spelled(word) if form == forms.unknown else digits(word, form, forms)


def spelled(word: str) -> float:
    """The cost of a word's bytes, and of one more byte that ends it."""
    return BYTE * (len(word.encode()) + 1)


def digits(word: str, form: str, forms: WordForms) -> float:
    """The cost of the digits if the form keeps only a number's shape: log 10 for each."""
    return form.count(forms.digit) * math.log(10) if form != word.lower() else 0.0
