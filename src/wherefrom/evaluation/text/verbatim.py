"""Whether the training text contains a text: then its score measures memory, not language."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

_WINDOW = 60  # characters of a window; two texts do not share this many by chance
_SHORTEST = 20  # characters; a shorter window could occur in both texts by chance
_WINDOWS = 1000  # the most windows of one text that are looked up


@dataclass(frozen=True)
class Verbatim:
    """How many `windows` of a text were looked up, and how many the training text contains."""

    found: int
    windows: int


def find_verbatim(form: str, training: str, unknown_word: str | None = None) -> Verbatim:
    """Look up windows of a text in the training text, which must be written in the same form.

    A text shorter than one window is looked up whole. A text of a few characters is not looked
    up, and neither is a window that is mostly unknown words: finding them would prove nothing.
    """
    line = one_line(form)
    size = min(_WINDOW, max(len(line), _SHORTEST))
    starts: Collection[int] = range(0, len(line) - size + 1, size)
    if len(starts) > _WINDOWS:
        starts = [int(i) for i in np.linspace(0, len(line) - size, _WINDOWS)]
    windows = [line[i : i + size] for i in starts]
    telling = [s for s in windows if _mostly_known(s, unknown_word)]
    return Verbatim(sum(s in training for s in telling), len(telling))


def _mostly_known(window: str, unknown_word: str | None) -> bool:
    if not unknown_word:
        return True
    return 2 * len(unknown_word) * window.count(unknown_word) < len(window)


def one_line(text: str) -> str:
    """The text with single spaces, since line ends do not matter for the comparison."""
    return " ".join(text.split())
