"""Whether a text stands in the training text: its score would be one of memory, not of language."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

_WINDOW = 60  # characters: too many to be in two texts by chance
_SHORTEST = 20  # characters of a text that say anything about where it comes from
_WINDOWS = 1000  # the most stretches of one text that are looked up


@dataclass(frozen=True)
class Verbatim:
    """How many `stretches` of a text were looked up, and how many the training text has."""

    found: int
    stretches: int


def find_verbatim(form: str, training: str, unknown_word: str | None = None) -> Verbatim:
    """Look stretches of a text up in the training text, which must be written in the same form.

    A text shorter than one stretch is looked up whole. A text of a few characters has no stretch
    that could tell, and neither has one that is mostly unknown words.
    """
    line = one_line(form)
    size = min(_WINDOW, max(len(line), _SHORTEST))
    starts: Collection[int] = range(0, len(line) - size + 1, size)
    if len(starts) > _WINDOWS:
        starts = [int(i) for i in np.linspace(0, len(line) - size, _WINDOWS)]
    stretches = [line[i : i + size] for i in starts]
    telling = [s for s in stretches if _mostly_known(s, unknown_word)]
    return Verbatim(sum(s in training for s in telling), len(telling))


def _mostly_known(stretch: str, unknown_word: str | None) -> bool:
    if not unknown_word:
        return True
    return 2 * len(unknown_word) * stretch.count(unknown_word) < len(stretch)


def one_line(text: str) -> str:
    """The text with single spaces: where its lines end does not matter for being the same text."""
    return " ".join(text.split())
