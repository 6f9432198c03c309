"""Where subjects are named in documents: whole words, the longest name that stands there.

Names are looked up by their first two words, so the work grows with the text and not with the
text times the names.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from wherefrom.core.contracts import Span

# Scripts that put no space between words: there every character is a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


class Mentions:
    """Which documents name which subject, and where each document first names one.

    A subject that is nowhere to be found as it is written is looked for again without regard
    to capitals.
    """

    def __init__(self, texts: Sequence[str], subjects: Iterable[str]) -> None:
        self.lines: dict[str, list[int]] = {}
        self.spans: list[Span | None] = [None] * len(texts)
        self._indexes: list[NameIndex] = []
        wanted = dict.fromkeys(subjects)
        self._search(texts, wanted, fold=False)
        missing = [subject for subject in wanted if subject not in self.lines]
        if missing:
            self._search(texts, missing, fold=True)

    def of(self, subject: str) -> Sequence[int]:
        """The numbers of the documents that name a subject."""
        return self.lines.get(subject, ())

    def find_all(self, text: str) -> list[tuple[Span, str]]:
        """Every place where one of the texts names a subject, in their order."""
        found = [place for index in self._indexes for place in index.find(text)]
        return sorted(found, key=lambda place: (place[0].start, -place[0].end))

    def _search(self, texts: Sequence[str], subjects: Iterable[str], fold: bool) -> None:
        index = NameIndex(subjects, fold)
        self._indexes.append(index)
        for number, text in enumerate(texts):
            for span, subject in index.find(text):
                found = self.lines.setdefault(subject, [])
                if not found or found[-1] != number:
                    found.append(number)
                first = self.spans[number]
                if first is None or span.start < first.start:
                    self.spans[number] = span


class NameIndex:
    """Names by their first word and then by their second, "" where there is none."""

    def __init__(self, subjects: Iterable[str], fold: bool) -> None:
        self._fold = fold
        self._names: dict[str, dict[str, list[tuple[int, str]]]] = {}
        for subject in subjects:
            words = list(_WORD.finditer(subject))
            if words:
                first = self._spell(words[0][0])
                second = self._spell(words[1][0]) if len(words) > 1 else ""
                names = self._names.setdefault(first, {}).setdefault(second, [])
                names.append((words[0].start(), subject))

    def find(self, text: str) -> Iterator[tuple[Span, str]]:
        """The names in a text in their order; none that is part of a longer one there."""
        words = list(_WORD.finditer(text))
        last, end = (0, 0), 0
        for i, word in enumerate(words):
            group = self._names.get(self._spell(word[0]))
            if group is None:
                continue
            second = self._spell(words[i + 1][0]) if i + 1 < len(words) else ""
            found = [
                (start, subject)
                for key in {"", second}
                for offset, subject in group.get(key, ())
                if self._stands(text, start := word.start() - offset, subject)
            ]
            for start, subject in sorted(found, key=lambda pair: (-len(pair[1]), pair[1])):
                stop = start + len(subject)
                if stop > end or (start, stop) == last:
                    last, end = (start, stop), stop
                    yield Span(start, stop), subject

    def _stands(self, text: str, start: int, subject: str) -> bool:
        end = start + len(subject)
        if start < 0 or self._spell(text[start:end]) != self._spell(subject):
            return False
        return end == len(text) or not joined(text[end - 1], text[end])

    def _spell(self, text: str) -> str:
        return text.casefold() if self._fold else text


def joined(left: str, right: str) -> bool:
    """Whether two characters that stand side by side belong to one word."""
    return _WORD.fullmatch(left + right) is not None
