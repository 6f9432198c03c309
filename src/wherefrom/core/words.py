"""Words and their numbers: the vocabulary of the word-level models."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wherefrom.core.errors import BadData

BEGIN, END = "<s>", "</s>"
BEGIN_ID, END_ID = 0, 1


@dataclass(frozen=True)
class WordVocabulary:
    """A sentence's begin first, its end second, then the sorted words of the text.

    The two marks stand around a sentence and never in it: a text that has one is refused, or
    it would silently cut a sentence in two.
    """

    words: tuple[str, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.words[:2] != (BEGIN, END):
            raise BadData(
                f"vocabulary: expected it to begin with {BEGIN} and {END}, found {self.words[:2]}"
            )
        index = {w: i for i, w in enumerate(self.words)}
        if len(index) != len(self.words):
            raise BadData("vocabulary: expected every word once, found a repetition")
        object.__setattr__(self, "_index", index)

    @classmethod
    def from_text(cls, texts: Iterable[str]) -> "WordVocabulary":
        seen: set[str] = set()
        for text in texts:
            seen.update(text.split())
        for mark in (BEGIN, END):
            if mark in seen:
                raise BadData(
                    f"text: expected no word {mark}, found one; remove it, "
                    "it marks where sentences begin and end"
                )
        return cls((BEGIN, END, *sorted(seen)))

    def __len__(self) -> int:
        return len(self.words)

    def missing(self, text: str) -> list[str]:
        """The words of a text that it may not have, each once, in order."""
        return [w for w in dict.fromkeys(text.split()) if self._index.get(w, 0) <= END_ID]

    def encode(self, text: str) -> list[int]:
        """The words' numbers, without begin and end."""
        if missing := self.missing(text):
            names = ", ".join(repr(w) for w in missing)
            raise BadData(
                f"{text!r}: expected words of the training text, found {names}; "
                "the model has never seen them"
            )
        return [self._index[w] for w in text.split()]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[int(i)] for i in ids)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the words in order: two vocabularies are equal if this is."""
        return hashlib.sha256(json.dumps(self.words).encode()).hexdigest()
