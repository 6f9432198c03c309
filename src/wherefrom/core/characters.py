"""The hundred characters of the character models, and a text of them that brings its alphabet."""

import string
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from wherefrom.core.contracts import Dataset
from wherefrom.core.vocabulary import Alphabet

PRINTABLE = Alphabet(tuple(string.printable))

# What Unicode does not take apart by itself, and how it is usually typed.
_TYPED = str.maketrans({
    **dict.fromkeys("‘’‚‛′ʼ", "'"), **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–−", "-"), "—": "--", "―": "--", "•": "*", "·": "*", "×": "x", "⁄": "/",
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i",
})  # fmt: skip


@dataclass(frozen=True)
class Folded:
    """A text in printable ASCII; how many of its characters were changed, and how many left out."""

    text: str
    changed: int = 0
    dropped: int = 0


def fold(text: str) -> Folded:
    """Every character as the printable ones that look like it; what looks like none is left out.

    Lines that end in \\r\\n end in \\n afterwards, which is not counted.
    """
    text = text.replace("\r\n", "\n")
    allowed = frozenset(PRINTABLE.characters)
    table = {c: _fold(c, allowed) for c in set(text) - allowed}
    if not table:
        return Folded(text)
    touched = [table[c] for c in text if c in table]
    dropped = sum(not new for new in touched)
    return Folded(text.translate(str.maketrans(table)), len(touched) - dropped, dropped)


def _fold(character: str, allowed: frozenset[str]) -> str:
    apart = unicodedata.normalize("NFKD", character.translate(_TYPED)).translate(_TYPED)
    return "".join(c for c in apart if c in allowed)


@dataclass(frozen=True)
class CharacterText(Dataset):
    """A stream of printable characters; `details` are reported with scores."""

    vocabulary: Alphabet = PRINTABLE
    details: dict[str, Any] = field(default_factory=dict)
