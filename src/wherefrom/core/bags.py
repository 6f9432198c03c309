"""Words of running text, and a vocabulary that reads a text as a bag of them, without order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Symbols

NO_WORD = ""  # number 0: what pads a row or was dropped from it
_WORD = re.compile(r"n't|\w+|(?<=\w)'(?:s|m|re|ve|ll|d)\b|[!?]")
_SPELLINGS = {"<br />": " ", "_": " ", "’": "'", "n't": " n't"}  # one after the other


def split_words(text: str) -> list[str]:
    """In lower case, and as word vectors have them: did n't, film 's; ! and ? are words too."""
    text = text.lower()
    for old, new in _SPELLINGS.items():
        text = text.replace(old, new)
    return _WORD.findall(text)


@dataclass(frozen=True)
class BagVocabulary(Symbols):
    """The words in their order, after the place of no word.

    `vectors` [words, width] are where the words may begin, where there are some; they are no
    part of the vocabulary's identity. Texts are read once: a run puts the same ones to many
    models.
    """

    words: tuple[str, ...]
    vectors: np.ndarray | None = field(default=None, repr=False, compare=False)
    _read: dict[str, np.ndarray] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if self.words[:1] != (NO_WORD,):
            raise BadData("vocabulary: expected no word in the first place, found one")
        super().__post_init__()

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.words

    def encode(self, text: str) -> np.ndarray:
        """The numbers of the words that it knows; the others are left out."""
        if text not in self._read:
            self._read[text] = self.number(split_words(text))
        return self._read[text]

    def number(self, words: Sequence[str]) -> np.ndarray:
        """The numbers of those of the words that it knows."""
        index = self._index
        return np.array([index[w] for w in words if w in index], np.int32)

    def decode(self, ids: Sequence[int]) -> list[str]:
        return [self.words[int(i)] for i in ids]
