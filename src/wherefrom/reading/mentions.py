"""Where subjects are named in documents: whole words, the longest name that stands there.

Names are looked up by their first two words, so the work grows with the text and not with the
text times the names.
"""

import re
import unicodedata
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from wherefrom.core.contracts import Span
from wherefrom.core.progress import telling

# Scripts that put no space between words: there every character is a word.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
# Latin-1's letters and digits as they are, and a space for every other character.
_LETTERS = bytes(i if chr(i).isalnum() or chr(i) == "_" else 32 for i in range(256))
_GAP = 3  # characters between two words of a name
_SHORT = 3  # letters


class Mentions:
    """Which documents name which subject, and where each document first names one.

    A subject that is nowhere to be found as it is written is looked for again without regard
    to capitals, and then by its letters alone: "PEP 8" is "PEP: 8", and Malmo is Malmö.
    `spelt` has what the text calls such a subject.
    """

    def __init__(self, texts: Sequence[str], subjects: Iterable[str]) -> None:
        self.lines: dict[str, list[int]] = {}
        self.spans: list[Span | None] = [None] * len(texts)
        self._indexes: list[NameIndex] = []
        self._own: dict[int, tuple[Span, str]] = {}  # subjects of documents that no question names
        self.spelt: dict[str, str] = {}
        missing: list[str] = [*dict.fromkeys(subjects)]
        for how, spell, loose in _WAYS:
            if missing:
                index = NameIndex(missing, spell, loose)
                self._search(texts, index, f"looking for names{how}", loose)
                missing = [subject for subject in missing if subject not in self.lines]

    def of(self, subject: str) -> Sequence[int]:
        """The numbers of the documents that name a subject."""
        return self.lines.get(subject, ())

    def find_all(self, text: str, number: int | None = None) -> list[tuple[Span, str]]:
        """Every place where one of the texts names a subject, in their order.

        `number` is the text's own, if it is one of them: it may have a subject that was added.
        """
        found = [place for index in self._indexes for place in index.find(text)]
        if number in self._own:
            span = self._own[number][0]
            found = [p for p in found if p[0].end <= span.start or span.end <= p[0].start]
            found.append(self._own[number])
        return sorted(found, key=lambda place: (place[0].start, -place[0].end))

    def add(self, texts: Sequence[str], found: Iterable[tuple[int, Span, str]]) -> None:
        """Add subjects of documents: a document's number, where it has the name, and the subject.

        A name of one word inside such a name is another's: Paris in Paris Hilton. One of several
        words is the subject itself, which is known then: Ann Lee in Dr Ann Lee.
        """
        gone: dict[str, set[int]] = {}
        for number, span, subject in found:
            places = self.find_all(texts[number]) if self.spans[number] else []
            inside = {s for p, s in places if p.start < span.end and span.start < p.end}
            if any(len(split_words(name)) > 1 or name == subject for name in inside):
                continue
            outside = {s for p, s in places if p.end <= span.start or span.end <= p.start}
            for name in inside - outside:
                gone.setdefault(name, set()).add(number)
            first = self.spans[number]
            if first is None or span.start <= first.start or not outside:
                self.spans[number] = span
            self._own[number] = (span, subject)
            numbers = self.lines.setdefault(subject, [])
            if number not in numbers[-1:]:
                insort(numbers, number)
        self._forget(gone)

    def _forget(self, gone: Mapping[str, set[int]]) -> None:
        """Names that some documents do not have after all."""
        for name, numbers in gone.items():
            kept = [n for n in self.lines.pop(name) if n not in numbers]
            self.lines.update({name: kept} if kept else {})

    def _search(self, texts: Sequence[str], index: "NameIndex", what: str, loose: bool) -> None:
        self._indexes.append(index)
        for number, text in enumerate(telling(what, texts)):
            for span, subject in index.find(text):
                found = self.lines.setdefault(subject, [])
                self.spelt.update({subject: span.of(text)} if loose else {})
                if not found or found[-1] != number:
                    found.append(number)
                first = self.spans[number]
                if first is None or span.start < first.start:
                    self.spans[number] = span


class NameIndex:
    """Names by their first word and then by their second, "" where there is none.

    `spell` says how words are compared. `loose`: whatever marks stand between a name's words; then
    a name of one word needs some letters, since "C++" is not C.
    """

    def __init__(
        self, subjects: Iterable[str], spell: Callable[[str], str] = str, loose: bool = False
    ) -> None:
        self._spell_one, self._loose = spell, loose
        # Under a pair of words stands a name, or a list of names: most pairs have one.
        self._names: dict[str, dict[str, str | list[str]]] = {}
        for subject in subjects:
            words = [*self._spell(split_words(subject)), ""]
            if len(words) > 2 or len(words[0]) > (_SHORT if loose else 0):
                group = self._names.setdefault(words[0], {})
                held = group.setdefault(words[1], subject)
                if isinstance(held, list):
                    held.append(subject)
                elif held != subject:
                    group[words[1]] = [held, subject]

    def find(self, text: str) -> Iterator[tuple[Span, str]]:
        """The names in a text in their order; none that is part of a longer one there."""
        words = split_words(text)
        spelt = [*self._spell(words), ""]
        last, end = (0, 0), 0
        passed, place = 0, 0  # how many words were passed, and where they end in the text
        for i in [i for i, word in enumerate(spelt) if word in self._names]:
            names = self._begun(spelt[i], spelt[i + 1])
            if not names:
                continue
            for word in words[passed:i]:
                place = text.index(word, place) + len(word)
            passed, here = i, text.index(words[i], place)
            locate = self._locate_loosely if self._loose else self._locate
            found = [(span, name) for name in names if (span := locate(text, here, name))]
            for (start, stop), subject in sorted(found, key=lambda one: (-len(one[1]), one[1])):
                if stop > end or (start, stop) == last:
                    last, end = (start, stop), stop
                    yield same_span(start, stop), subject

    def _begun(self, first: str, second: str) -> list[str]:
        """The names that begin with two words, or are the first of them alone."""
        group, found = self._names[first], list[str]()
        for key in ("", second) if second else ("",):
            held = group.get(key, ())
            found += [held] if isinstance(held, str) else held
        return found

    def _locate(self, text: str, here: int, subject: str) -> tuple[int, int] | None:
        """Where a name stands whose first word is here, if it does."""
        start = here - _offset(subject)
        end = start + len(subject)
        if start < 0 or self._spell_one(text[start:end]) != self._spell_one(subject):
            return None
        return None if end < len(text) and joined(text[end - 1], text[end]) else (start, end)

    def _locate_loosely(self, text: str, here: int, subject: str) -> tuple[int, int] | None:
        wanted, end = self._spell(split_words(subject)), here
        for word in _WORD.finditer(text, here):
            if not wanted or word.start() > end + _GAP or self._spell_one(word[0]) != wanted[0]:
                break
            end, wanted = word.end(), wanted[1:]
        return None if wanted else (here, end)

    def _spell(self, words: list[str]) -> list[str]:
        return words if self._spell_one is str else [*map(self._spell_one, words)]


def letters_of(name: str) -> tuple[str, ...]:
    """The words of a name in any capitals and without accents."""
    return tuple(map(_bare, split_words(name)))


@lru_cache(maxsize=50_000)  # most words of a text come again
def _bare(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


# How names are looked for, each way those that the ways before it did not find.
_WAYS = (("", str, False), (" in any capitals", str.casefold, False), (" by letters", _bare, True))


@lru_cache(maxsize=1 << 15)
def same_span(start: int, end: int) -> Span:
    """A span; equal ones are one object, since a million lines have few different ones."""
    return Span(start, end)


def split_words(text: str) -> list[str]:
    """The words of a text in their order.

    In Western European letters, where a byte is a character, this is several times faster than
    the pattern and finds the same words.
    """
    try:
        letters = text.encode("latin-1")
    except UnicodeEncodeError:
        return _WORD.findall(text)
    return letters.translate(_LETTERS).decode("latin-1").split()


def joined(left: str, right: str) -> bool:
    """Whether two characters that stand side by side belong to one word."""
    if left.isascii() and right.isascii():
        return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")
    return _WORD.fullmatch(left + right) is not None


def _offset(subject: str) -> int:
    """Where the first word of a name begins in it: 1 in "'Abd al-Malik"."""
    if subject[0].isalnum():
        return 0
    found = _WORD.search(subject)
    return found.start() if found else 0
