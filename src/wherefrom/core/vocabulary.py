"""Characters and their numbers."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wherefrom.core.errors import BadData

PAD, MASK = "\u25a1", "\u2047"
PAD_ID, MASK_ID = 0, 1


def refuse_marks(text: str) -> None:
    """Raise BadData if a text has one of the two characters that mean something to the model."""
    if marks := [c for c in (PAD, MASK) if c in text]:
        raise BadData(
            f"{text!r}: expected no {marks[0]!r} (U+{ord(marks[0]):04X}), found one; "
            "leave it out: the model uses this character as a marker"
        )


@dataclass(frozen=True)
class Alphabet:
    """Characters in their order, none of which means anything but itself."""

    characters: tuple[str, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index = {c: i for i, c in enumerate(self.characters)}
        if len(index) != len(self.characters):
            raise BadData("vocabulary: expected every character once, found a repetition")
        object.__setattr__(self, "_index", index)

    def __len__(self) -> int:
        return len(self.characters)

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

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the characters in order: two vocabularies are equal if this is."""
        return hashlib.sha256(json.dumps(self.characters).encode()).hexdigest()


@dataclass(frozen=True)
class Vocabulary(Alphabet):
    """Pad first, mask second, then the sorted characters of the training text."""

    def __post_init__(self) -> None:
        if self.characters[:2] != (PAD, MASK):
            raise BadData(
                f"vocabulary: expected it to begin with pad {PAD!r} and mask {MASK!r}, "
                f"found {self.characters[:2]}"
            )
        super().__post_init__()

    @classmethod
    def from_text(cls, texts: Iterable[str]) -> "Vocabulary":
        seen: set[str] = set()
        for text in texts:
            seen.update(text)
        for special, name in ((PAD, "pad"), (MASK, "mask")):
            if special in seen:
                raise BadData(
                    f"text: expected no {name} character U+{ord(special):04X} ({special}), "
                    "found one; remove it: the model uses this character as a marker"
                )
        return cls((PAD, MASK, *sorted(seen)))


def read_characters(characters: Sequence[str]) -> Alphabet:
    """What a run wrote down: a vocabulary where it begins with pad and mask."""
    marked = tuple(characters[:2]) == (PAD, MASK)
    return (Vocabulary if marked else Alphabet)(tuple(characters))
