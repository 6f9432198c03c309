"""Whether a string stands anywhere in a large text, without searching all of it every time.

The texts are read once, and which words stand side by side is kept, each pair once. If "Ada Beck"
stands in a text, then there a word that ends with "Ada" is followed by a word that begins with
"Beck", so only pairs whose second word begins so are searched. For strings of three words and more
the texts are searched, if they have all pairs.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from wherefrom.core.contracts import Document
from wherefrom.core.progress import telling

_BEGINNING = 2  # letters of the second word by which pairs are looked up


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
            return any(string in pairs for pairs in self._pairs.values())
        found = all(self._has_pair(*pair) for pair in pairwise(parts))
        return found and (len(parts) == 2 or any(string in d.text for d in self._documents))

    def _has_pair(self, first: str, second: str) -> bool:
        """Whether a word that ends so stands before one that begins so."""
        begun = second[:_BEGINNING]
        near = (pairs for start, pairs in self._pairs.items() if start.startswith(begun))
        return any(f"{first} {second}" in pairs for pairs in near)

    @cached_property
    def _pairs(self) -> dict[str, str]:
        """Words that stand side by side, a pair a line, by the beginning of the second one.

        A text's first word stands behind none, which no string of two words can match.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for document in telling("noting which words stand side by side", self._documents):
            words = document.text.split(" ")
            found[""].add(words[0])
            for first, second in pairwise(words):
                found[second[:_BEGINNING]].add(f"{first} {second}")
        return {start: "\n".join(pairs) for start, pairs in found.items()}
