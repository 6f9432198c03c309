"""Words and their numbers: the vocabulary of the word-level models, and a text that brings one."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Symbols

BEGIN, END = "<s>", "</s>"


@dataclass(frozen=True)
class WordForms:
    """How a list of words writes those that it does not have.

    `unknown` is the listed word that stands for all others; `digit` stands for every digit of a
    number, so that numbers of one shape share a place in the list. Which spellings these are is
    a matter of the data.
    """

    unknown: str
    digit: str

    def shape(self, word: str) -> str:
        """A word without letters, digit by digit, thousands without their commas.

        With DG for a digit, 1,234.5 is DGDGDGDG.DG. A word that has letters stays as it is.
        """
        if any(c.isalpha() for c in word):
            return word
        word = re.sub(r"\d", self.digit, word)
        return word.replace(",", "") if word.startswith(self.digit) else word

    def canonical(self, word: str, known: Container[str]) -> str:
        """The listed form of a word: lower case, else its shape, else the unknown word."""
        word = word.lower()
        word = word if word in known else self.shape(word)
        return word if word in known else self.unknown


@dataclass(frozen=True)
class WordVocabulary(Symbols):
    """The words in their order; the marks of a sentence's begin and end are among them.

    The two marks stand around a sentence and never in it: a text that has one is refused, or
    it would silently cut a sentence in two. `vectors` [words, width] are frozen inputs of the
    words, where there are some. `forms` say what stands for words that are not in the list, where
    something does. Neither is part of the vocabulary's identity: the words are.
    """

    words: tuple[str, ...]
    vectors: np.ndarray | None = field(default=None, repr=False, compare=False)
    forms: WordForms | None = field(default=None, compare=False)

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.words

    def __post_init__(self) -> None:
        super().__post_init__()
        for mark in (BEGIN, END):
            if mark not in self:
                raise BadData(
                    f"vocabulary: expected {BEGIN} and {END} among its words, found no {mark}"
                )
        if self.forms and self.forms.unknown not in self:
            raise BadData(
                f"vocabulary: expected {self.forms.unknown}, which stands for unknown words, among "
                "its words, found none"
            )

    @classmethod
    def from_text(cls, texts: Iterable[str]) -> "WordVocabulary":
        """The marks first, then the sorted words of the text."""
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

    @property
    def begin(self) -> int:
        return self._index[BEGIN]

    @property
    def end(self) -> int:
        return self._index[END]

    @property
    def unknown(self) -> int | None:
        """The number of the word that stands for all others, if there is one."""
        return self._index[self.forms.unknown] if self.forms else None

    def missing(self, text: str) -> list[str]:
        """The words of a text that it may not have, each once, in order."""
        marks = (BEGIN, END)
        return [w for w in dict.fromkeys(text.split()) if w not in self._index or w in marks]

    def encode(self, text: str) -> list[int]:
        """The words' numbers, without begin and end."""
        if missing := self.missing(text):
            names = ", ".join(repr(w) for w in missing)
            raise BadData(
                f"{text!r}: expected words of the training text, found {names}; "
                f"the model has never seen {'it' if len(missing) == 1 else 'them'}"
            )
        return [self._index[w] for w in text.split()]

    def bigrams(self, texts: Iterable[str]) -> np.ndarray:
        """Every (previous, next) of the texts, [N, 2]; none reaches from one into another.

        Each text stands between begin and end, so n words make n + 1 bigrams.
        """
        begin, end = self.begin, self.end
        ids = (i for text in texts for i in (begin, *self.encode(text), end))
        flat = np.fromiter(ids, np.int64)
        return np.stack([flat[:-1], flat[1:]], 1)[flat[:-1] != end]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(self.words[int(i)] for i in ids)


@dataclass(frozen=True)
class WordText(Dataset):
    """A data set whose vocabulary is given, not gathered; `details` are reported with scores.

    `original` are the words of the held-out sentences as they stood there.
    """

    vocabulary: WordVocabulary | None = None
    original: tuple[tuple[str, ...], ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
