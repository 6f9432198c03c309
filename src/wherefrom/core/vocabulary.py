"""Characters and their numbers, and what every vocabulary has."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wherefrom.core.errors import BadData

PAD, MASK = "\u25a1", "\u2047"
PAD_ID, MASK_ID = 0, 1
# A text may have the usual mark itself: the first of these that it lacks is taken. Where it has
# all that can be seen, characters for private use are left.
_PADS = (PAD, *"\u25af\u2b1a\u25fb", *map(chr, range(0xE000, 0xE010)))
_MASKS = (MASK, *"\u2370\u2e2e\u2048", *map(chr, range(0xE010, 0xE020)))


class Symbols:
    """Symbols in their order, each of which stands there once: characters, or words."""

    @property
    def symbols(self) -> tuple[str, ...]:
        raise NotImplementedError

    def __post_init__(self) -> None:
        if len(self._index) != len(self):
            raise BadData("vocabulary: expected every symbol once, found a repetition")

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._index

    @cached_property
    def _index(self) -> dict[str, int]:
        return {symbol: i for i, symbol in enumerate(self.symbols)}

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the symbols in order: two vocabularies are equal if this is."""
        return hashlib.sha256(json.dumps(self.symbols).encode()).hexdigest()


@dataclass(frozen=True)
class Alphabet(Symbols):
    """Characters in their order, none of which means anything but itself."""

    characters: tuple[str, ...]

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.characters

    @property
    def marks(self) -> tuple[str, ...]:
        """The characters that mean something to the model."""
        return ()

    def refuse_marks(self, text: str) -> None:
        """Raise BadData if a text has a character that means something to the model."""
        if marks := [c for c in self.marks if c in text]:
            raise BadData(
                f"{text!r}: expected no {marks[0]!r} (U+{ord(marks[0]):04X}), found one; "
                "leave it out: the model uses this character as a marker"
            )

    def missing(self, text: str) -> list[str]:
        """The characters of a text that the vocabulary lacks, each once, in order."""
        return [c for c in dict.fromkeys(text) if c not in self._index]

    def encode(self, text: str) -> list[int]:
        try:
            return [self._index[c] for c in text]
        except KeyError:
            missing = self.missing(text)
            names = ", ".join(f"{c!r} (U+{ord(c):04X})" for c in missing)
            raise BadData(
                f"{text!r}: expected characters of the training text, found {names}; "
                f"the model has never seen {'it' if len(missing) == 1 else 'them'}"
            ) from None

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(self.characters[int(i)] for i in ids)


@dataclass(frozen=True)
class Vocabulary(Alphabet):
    """Pad first, mask second, then the sorted characters of the training text."""

    def __post_init__(self) -> None:
        if not _is_marked(self.characters):
            raise BadData(
                f"vocabulary: expected it to begin with pad {PAD!r} and mask {MASK!r}, "
                f"found {self.characters[:2]}"
            )
        super().__post_init__()

    @property
    def marks(self) -> tuple[str, ...]:
        return self.characters[:2]

    @property
    def mask(self) -> str:
        return self.characters[MASK_ID]

    @classmethod
    def from_text(cls, texts: Iterable[str]) -> "Vocabulary":
        """The vocabulary of a text; other marks are chosen if it has one of the usual two."""
        seen: set[str] = set()
        for text in texts:
            seen.update(text)
        marks: list[str] = []
        for choices, name in ((_PADS, "pad"), (_MASKS, "mask")):
            free = [c for c in choices if c not in seen]
            if not free:
                raise BadData(
                    f"text: expected no {name} character U+{ord(choices[0]):04X} ({choices[0]}), "
                    "found one; remove it: the model uses this character as a marker"
                )
            marks.append(free[0])
        return cls((*marks, *sorted(seen)))


def read_characters(characters: Sequence[str]) -> Alphabet:
    """What a run wrote down: a vocabulary where it begins with pad and mask."""
    return (Vocabulary if _is_marked(characters) else Alphabet)(tuple(characters))


def _is_marked(characters: Sequence[str]) -> bool:
    return len(characters) > 1 and characters[PAD_ID] in _PADS and characters[MASK_ID] in _MASKS
