"""Tokens: the words, numbers and marks of a text, in any script.

Where a script puts no space between words, every character is a token, but katakana stay together.
A full stop belongs to the abbreviation before it ("St.", "P.R."), a hyphen to its word unless a
part of the word is an answer by itself: "right-handed" has one, "Stratford-upon-Avon" has none.
"""

import re
from collections.abc import Container, Iterator
from functools import lru_cache
from unicodedata import category

from wherefrom.core.contracts import Span
from wherefrom.reading.index import fold
from wherefrom.reading.mentions import UNSPACED
from wherefrom.reading.sentences import is_abbreviation

# Vowel signs and accents that are characters of their own belong to their word, as in Hindi.
_SIGNS = "".join(c for c in map(chr, range(0x300, 0x1E00)) if category(c).startswith("M"))
_LETTER = rf"(?:[^\W{UNSPACED}]|(?![{UNSPACED}])[{_SIGNS}])"
_TOKEN = re.compile(
    r"\d{1,3}(?:[.,]\d{3})+(?![\w])"  # 1,250
    r"|[\u30a0-\u30ff]+"  # katakana
    rf"|[{UNSPACED}]"
    rf"|{_LETTER}+(?:['’.\-]{_LETTER}+)*"
    r"|--|[^\w\s]"
)
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_YEARS = re.compile(r"\d{3,4}-\d{2,4}")


def tokenise(text: str, answers: Container[str] = frozenset()) -> list[Span]:
    """Where the tokens of a text stand; `answers` are (normalised) answers."""
    spans: list[Span] = []
    for match in _TOKEN.finditer(text):
        token, span = match[0], Span(*match.span())
        last = spans[-1] if spans else None
        if token == "." and last and last.end == span.start and _takes_stop(last.of(text)):
            spans[-1] = Span(last.start, span.end)
        elif "-" in token and len(token) > 2 and _divides(token, answers):
            spans += _divide(token, span.start)
        else:
            spans.append(span)
    return spans


def words(text: str) -> list[str]:
    """The tokens of an answer or a name."""
    return [span.of(text) for span in tokenise(text)]


@lru_cache(maxsize=20_000)  # most words of a text come again
def normalise(text: str) -> str:
    """A phrase as phrases are compared: folded, without a full stop at its end."""
    return fold(text).rstrip(". ")


@lru_cache(maxsize=20_000)
def token_kind(token: str) -> str:
    """Capital (begins with one), number, word (without a capital) or mark (no letter or digit)."""
    if token[0].isupper():
        return "capital"
    if token[0].isdigit():
        return "number"
    return "word" if token[0].isalnum() or is_unspaced(token) else "mark"


def is_unspaced(token: str) -> bool:
    """Whether a token is of a script that puts no space between words."""
    return _UNSPACED.fullmatch(token) is not None


def _takes_stop(token: str) -> bool:
    """Whether a full stop after the token is part of a name: "St. Louis", "J. Smith"."""
    return token[0].isupper() and is_abbreviation(token)


def _divides(token: str, answers: Container[str]) -> bool:
    """Whether the hyphens of a word stand between words of their own.

    They do in a range of years, and if a part is an answer and the others have no capital.
    """
    if _YEARS.fullmatch(token):
        return normalise(token) not in answers
    if normalise(token) in answers:
        return False
    parts = token.split("-")
    return any(
        normalise(part) in answers and not any(p[:1].isupper() for p in parts if p is not part)
        for part in parts
    )


def _divide(token: str, start: int) -> Iterator[Span]:
    for match in re.finditer(r"-|[^-]+", token):
        yield Span(start + match.start(), start + match.end())
