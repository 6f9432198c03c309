"""What a model does not say of a text, priced in nats by plain codes that anybody could undo."""

import math
from collections.abc import Sequence

from wherefrom.core.words import WordForms

BYTE = math.log(256)


def where(count: int, length: int) -> float:
    """The cost of saying which `count` of a text's characters are meant: their entropy."""
    share = count / max(length, 1)
    if share in (0, 1):
        return 0.0
    return -length * (share * math.log(share) + (1 - share) * math.log(1 - share))


def left_out(characters: Sequence[str], length: int) -> list[float]:
    """For each character that was taken out of a text: where it stood, and which one it was.

    `length` is that of the text, in characters.
    """
    each = where(len(characters), length) / max(len(characters), 1)
    return [each + BYTE * len(c.encode()) for c in characters]


def unsaid(word: str, form: str, forms: WordForms | None) -> float:
    """What a word's form in the vocabulary does not say: all of an unknown word, or digits.

    A vocabulary without `forms` writes every word as it is, which leaves nothing unsaid.
    """
    if forms is None:
        return 0.0
    return spelled(word) if form == forms.unknown else digits(word, form, forms)


def spelled(word: str) -> float:
    """The bytes of a word, and the one that ends it."""
    return BYTE * (len(word.encode()) + 1)


def digits(word: str, form: str, forms: WordForms) -> float:
    """Of a number that is only known by its shape, every digit is a choice among ten."""
    return form.count(forms.digit) * math.log(10) if form != word.lower() else 0.0
