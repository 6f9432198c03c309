"""Whether a string stands anywhere in a large text, without searching all of it every time.

The texts are read once, and which words stand side by side is kept. If "Ada Beck" stands in a text,
then there a word that ends with "Ada" is followed by a word that begins with "Beck": two ranges of
sorted words, and a pair between them. Only for strings of three words and more are texts searched,
and only those in the parts of the text where all their pairs are.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.progress import tell

_BLOCKS = 64  # parts of the text, a bit for each
_MANY = 1 << 18  # words that are held until their pairs are noted
_EDGE = " "  # stands between texts: no word has a space


class Occurrences:
    """`string in Occurrences(documents)` says whether it stands in their texts, one a line.

    The texts are read when the first string is looked for. Words are what spaces separate.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def __contains__(self, string: str) -> bool:
        if not string:
            return True
        if "\n" in string:  # it may stand across the end of a text
            return string in "\n".join(d.text for d in self._documents)
        parts = string.split(" ")
        if len(parts) == 1:
            return string in self._every_word
        blocks = self._pairs.find_blocks(parts)
        if len(parts) == 2:
            return blocks != 0
        found = (block for number, block in enumerate(self._blocks()) if blocks >> number & 1)
        return any(string in d.text for block in found for d in self._documents[block])

    def _blocks(self) -> Iterator[slice]:
        count = len(self._documents)
        for number in range(_BLOCKS):
            yield slice(count * number // _BLOCKS, count * (number + 1) // _BLOCKS)

    @cached_property
    def _every_word(self) -> str:
        return " ".join(self._pairs.words)

    @cached_property
    def _pairs(self) -> "_WordPairs":
        numbers = defaultdict[str, int]()
        numbers.default_factory = numbers.__len__  # a new word has the next number
        edge, found = numbers[_EDGE], list[tuple[int, np.ndarray]]()

        def note(block: int, words: list[str]) -> None:
            ids = np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))
            inside = (ids[:-1] != edge) & (ids[1:] != edge)
            found.append((block, np.unique((ids[:-1] << 32 | ids[1:])[inside])))

        for number, block in enumerate(self._blocks()):
            tell("noting which words stand side by side", block.start, len(self._documents))
            words: list[str] = []
            for document in self._documents[block]:
                words += document.text.split(" ")
                words.append(_EDGE)
                if len(words) > _MANY:
                    note(number, words)
                    words = []
            note(number, words)
        return _WordPairs(list(numbers), found)


class _WordPairs:
    """Pairs of words that stand side by side, and in which blocks of the text each does.

    A pair is one number: the place of its first word among all words sorted by their ends, times
    the number of words, plus the place of its second word among all sorted as usual. So all pairs
    of one word and any beginning are neighbours.
    """

    def __init__(self, words: Sequence[str], found: list[tuple[int, np.ndarray]]) -> None:
        """`words` by their numbers, the edge first; `found` has a block's pairs of numbers."""
        by_end = sorted(range(1, len(words)), key=lambda i: words[i][::-1])
        by_start = sorted(range(1, len(words)), key=words.__getitem__)
        self.words = [words[i] for i in by_start]
        self._by_end = [words[i] for i in by_end]
        ends, starts = np.zeros((2, len(words)), np.int64)
        ends[by_end] = starts[by_start] = np.arange(len(by_end))
        for i, (block, pairs) in enumerate(found):
            found[i] = block, ends[pairs >> 32] * len(by_end) + starts[pairs & 0xFFFFFFFF]
        self._pairs = np.unique(np.concatenate([pairs for _, pairs in found]))
        self._blocks = np.zeros(len(self._pairs), np.uint64)
        for block, pairs in found:
            self._blocks[np.searchsorted(self._pairs, pairs)] |= np.uint64(1 << block)

    def find_blocks(self, parts: Sequence[str]) -> int:
        """The blocks, as bits, that have every pair of neighbours among the parts of a string.

        The first part may be the end of a word, and the last part the beginning of one.
        """
        blocks, last = (1 << _BLOCKS) - 1, len(parts) - 2
        for i, (first, second) in enumerate(pairwise(parts)):
            left, right = self._ending(first, i > 0), self._beginning(second, i < last)
            blocks &= self._blocks_of(left, right)
            if not blocks:
                break
        return blocks

    def _blocks_of(self, left: range, right: range) -> int:
        rows = np.arange(left.start, left.stop, dtype=np.int64) * len(self.words)
        starts = np.searchsorted(self._pairs, rows + right.start)
        ends = np.searchsorted(self._pairs, rows + right.stop)
        blocks = 0
        for i in np.flatnonzero(starts < ends):
            blocks |= int(np.bitwise_or.reduce(self._blocks[starts[i] : ends[i]]))
        return blocks

    def _ending(self, end: str, whole: bool) -> range:
        """The places of the words with this end, or of the word that is this, if `whole`."""
        size, key = len(end), end[::-1]
        first = bisect_left(self._by_end, key, key=lambda word: word[::-1])
        if whole:
            return range(first, first + (self._by_end[first : first + 1] == [end]))
        return range(
            first, bisect_right(self._by_end, key, first, key=lambda word: word[::-1][:size])
        )

    def _beginning(self, start: str, whole: bool) -> range:
        """The places of the words with this beginning, or of the word that is this."""
        size, first = len(start), bisect_left(self.words, start)
        if whole:
            return range(first, first + (self.words[first : first + 1] == [start]))
        return range(first, bisect_right(self.words, start, first, key=lambda word: word[:size]))
